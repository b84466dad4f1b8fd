#include "status.hpp"

#include <cstring>

#include "handles.hpp"

namespace fabricbench::mpi {
namespace {

Napi::FunctionReference status_class;

MPI_Status read_status(const Napi::Value &value) {
  MPI_Status status;
  const bool fits = value.IsTypedArray() && value.As<Napi::TypedArray>().ByteLength() == sizeof status;
  if (!fits) throw Napi::TypeError::New(value.Env(), "not the bytes of an MPI_Status");
  std::memcpy(&status, value.As<Napi::Uint8Array>().Data(), sizeof status);
  return status;
}

// MPI_Get_count fails on messages of more than INT_MAX elements: their bytes tell the count.
int64_t count_elements(const MPI_Status &status, Datatype &type) {
  int count = MPI_UNDEFINED;
  MPI_Count bytes = 0;
  if (MPI_Get_count(&status, type.value, &count) == MPI_SUCCESS && count != MPI_UNDEFINED) return count;
  const int code = MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  if (code != MPI_SUCCESS || bytes == MPI_UNDEFINED || type.size == 0 || bytes % type.size != 0) return MPI_UNDEFINED;
  return bytes / type.size;
}

Napi::Value status_count(const Napi::CallbackInfo &info) {
  const Napi::Env env = info.Env();
  require_running(env, "MPI_Get_count");
  const MPI_Status status = read_status(info[0]);
  const auto type = unwrap<Datatype>(info[1]);
  if (!type || type->freed) throw Napi::TypeError::New(env, "MPI_Get_count: datatype must be a datatype");
  type->measure(env, "MPI_Get_count");
  return Napi::Number::New(env, static_cast<double>(count_elements(status, *type)));
}

Napi::Value status_cancelled(const Napi::CallbackInfo &info) {
  const MPI_Status status = read_status(info[0]);
  int flag = 0;
  require_running(info.Env(), "MPI_Test_cancelled");
  check(info.Env(), "MPI_Test_cancelled", MPI_Test_cancelled(&status, &flag));
  return Napi::Boolean::New(info.Env(), flag != 0);
}

Napi::Value set_status_class(const Napi::CallbackInfo &info) {
  status_class = Napi::Persistent(info[0].As<Napi::Function>());
  status_class.SuppressDestruct();
  return info.Env().Undefined();
}

}  // namespace

Napi::Value make_status(Napi::Env env, const MPI_Status &status) {
  auto bytes = Napi::Uint8Array::New(env, sizeof status);
  std::memcpy(bytes.Data(), &status, sizeof status);
  return status_class.New({Napi::Number::New(env, status.MPI_SOURCE), Napi::Number::New(env, status.MPI_TAG),
                           Napi::Number::New(env, status.MPI_ERROR), bytes});
}

void define_status(Napi::Env env, Napi::Object exports) {
  exports.Set("statusCount", Napi::Function::New<status_count>(env, "statusCount"));
  exports.Set("statusCancelled", Napi::Function::New<status_cancelled>(env, "statusCancelled"));
  exports.Set("setStatusClass", Napi::Function::New<set_status_class>(env, "setStatusClass"));
}

void forget_status_class() { status_class.Reset(); }

}  // namespace fabricbench::mpi
