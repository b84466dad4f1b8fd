#include "memory.hpp"

#include "engine/bytes_js.hpp"

namespace fabricbench::mpi {

Memory read_memory(const Napi::Value &value, const std::string &where) {
  const Bytes bytes = bytes_of(value.Env(), value, where);
  Memory memory;
  memory.data = static_cast<char *>(bytes.data);
  memory.bytes = bytes.byte_length;
  memory.object = value;
  memory.handle = bytes.handle;
  return memory;
}

Hold::Hold(const Memory &memory) : env_(memory.object.Env()), handle_(memory.handle) {
  check_status(env_, napi_create_reference(env_, memory.object, 1, &reference_));
  if (!handle_) return;
  hold_buffer(handle_);
  ++handle_->users;
}

Hold::Hold(Hold &&other) noexcept : env_(other.env_), reference_(other.reference_), handle_(other.handle_) {
  other.reference_ = nullptr;
  other.handle_ = nullptr;
}

Napi::Value Hold::value() const {
  napi_value object = nullptr;
  check_status(env_, napi_get_reference_value(env_, reference_, &object));
  return Napi::Value(env_, object);
}

Hold::~Hold() {
  if (reference_) napi_delete_reference(env_, reference_);
  if (!handle_) return;
  --handle_->users;
  release_buffer(handle_);
}

}  // namespace fabricbench::mpi
