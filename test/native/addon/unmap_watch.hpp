// Hears what UCX hears of memory that is unmapped.
#pragma once
#include <napi.h>

namespace fabricbench {

// watchUnmaps(address: bigint, length: number), unmapsSeen(): number
void export_unmap_watch(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench
