// What each file of engine.node exports to JavaScript.
#pragma once

#include <napi.h>

namespace fabricbench {

void export_affinity(Napi::Env env, Napi::Object exports);
void export_buffer(Napi::Env env, Napi::Object exports);
void export_cancel(Napi::Env env, Napi::Object exports);
void export_clock(Napi::Env env, Napi::Object exports);
void export_compute(Napi::Env env, Napi::Object exports);
void export_control(Napi::Env env, Napi::Object exports);
void export_groups(Napi::Env env, Napi::Object exports);
void export_memory_policy(Napi::Env env, Napi::Object exports);
void export_numbers(Napi::Env env, Napi::Object exports);
void export_raw(Napi::Env env, Napi::Object exports);
void export_pace(Napi::Env env, Napi::Object exports);
void export_program(Napi::Env env, Napi::Object exports);
void export_operations(Napi::Env env, Napi::Object exports);
void export_shm(Napi::Env env, Napi::Object exports);
void export_threads(Napi::Env env, Napi::Object exports);
void export_timestamp(Napi::Env env, Napi::Object exports);
void export_watchdog(Napi::Env env, Napi::Object exports);

}  // namespace fabricbench
