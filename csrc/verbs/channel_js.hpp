// The two parts of the channels' registration.
#pragma once

#include <napi.h>

namespace fabricbench::verbs {

void register_links(Napi::Env env, Napi::Object exports);
void register_channel_calls(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench::verbs
