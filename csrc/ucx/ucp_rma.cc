// One-sided calls: ucp_put_nbx, ucp_get_nbx, ucp_atomic_op_nbx.
#include "ucx/ucp_call.hpp"

namespace fabricbench::ucx::ucp {
namespace {

struct Put : PlainCall {
  static constexpr Completion kCompletion = Completion::kSend;
  ucp_ep_h endpoint;
  void *buffer;
  size_t count;
  uint64_t address;
  ucp_rkey_h key;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    return ucp_put_nbx(endpoint, buffer, count, address, key, param);
  }
};

// The last byte becomes the next sequence number first: the peer waits for it.
struct StampedPut : Put {
  uint8_t *stamp = nullptr;
  uint8_t next = 1;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    *stamp = next++;
    return Put::post(param);
  }
};

struct Get : Put {
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    return ucp_get_nbx(endpoint, buffer, count, address, key, param);
  }
};

struct Atomic : PlainCall {
  static constexpr Completion kCompletion = Completion::kSend;
  ucp_ep_h endpoint;
  ucp_atomic_op_t name;
  uint64_t operand;
  uint64_t address;
  ucp_rkey_h key;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    return ucp_atomic_op_nbx(endpoint, name, &operand, 1, address, key, param);
  }
};

// UCX takes the new value from the buffer of the result, where it puts the old one: it is set before each call.
struct CompareAndSwap : Atomic {
  void *result;
  uint64_t value;
  size_t size;
  ucs_status_ptr_t post(const ucp_request_param_t *param) {
    __builtin_memcpy(result, &value, size);
    return Atomic::post(param);
  }
};

void require_key(Napi::Env env, const char *call, const Rkey &key, const std::shared_ptr<Endpoint> &endpoint) {
  if (key.endpoint == endpoint) return;
  throw Napi::TypeError::New(
      env, std::string(call) + ": the key was unpacked for another endpoint: unpack it for the one that is used");
}

// (endpoint, data..., inFlight, address, key)
template <class Call>
Napi::Value transfer(const Napi::CallbackInfo &info, const char *name) {
  Arguments arguments(info);
  std::unique_ptr<Posting<Call>> operation(make_operation<Posting<Call>>(name));
  const auto endpoint = arguments.box<Endpoint>();
  const Data data = read_data(arguments, operation.get());
  const auto counter = arguments.box<Counter>();
  Call &call = operation->call;
  call.endpoint = endpoint->handle;
  call.buffer = data.buffer;
  call.count = data.count;
  call.address = arguments.uint64();
  const auto key = arguments.box<Rkey>();
  require_key(info.Env(), name, *key, endpoint);
  call.key = key->handle;
  if constexpr (std::is_same_v<Call, StampedPut>) {
    const auto &pieces = operation->pieces;
    auto *last = pieces.empty() ? static_cast<char *>(data.buffer) + data.length
                                : static_cast<char *>(pieces.back().buffer) + pieces.back().length;
    call.stamp = reinterpret_cast<uint8_t *>(last - 1);
  }
  return finish_posting(arguments, std::move(operation), endpoint->worker, counter.get(), {});
}

Napi::Value put(const Napi::CallbackInfo &info) { return transfer<Put>(info, "ucp_put_nbx"); }
Napi::Value stamped_put(const Napi::CallbackInfo &info) { return transfer<StampedPut>(info, "ucp_put_nbx"); }
Napi::Value get(const Napi::CallbackInfo &info) { return transfer<Get>(info, "ucp_get_nbx"); }

// What (endpoint, address, key, name, size, operand, inFlight, result or undefined, ...) have in common. UCX reads the
// operand as a word of `size` bytes: little-endian machines have it at the front.
template <class Call>
Napi::Value atomic(const Napi::CallbackInfo &info) {
  Arguments arguments(info);
  std::unique_ptr<Posting<Call>> operation(make_operation<Posting<Call>>("ucp_atomic_op_nbx"));
  const auto endpoint = arguments.box<Endpoint>();
  Call &call = operation->call;
  call.endpoint = endpoint->handle;
  call.address = arguments.uint64();
  const auto key = arguments.box<Rkey>();
  require_key(info.Env(), operation->name, *key, endpoint);
  call.key = key->handle;
  call.name = static_cast<ucp_atomic_op_t>(arguments.size());
  const size_t size = arguments.size();
  call.operand = arguments.uint64();
  const auto counter = arguments.box<Counter>();
  operation->param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
  operation->param.datatype = ucp_dt_make_contig(size);
  if (arguments.has_next()) {
    operation->param.op_attr_mask |= UCP_OP_ATTR_FIELD_REPLY_BUFFER;
    operation->param.reply_buffer = arguments.bytes("the result").data;
  } else {
    arguments.next();
  }
  if constexpr (std::is_same_v<Call, CompareAndSwap>) {
    call.result = operation->param.reply_buffer;
    call.size = size;
    call.value = arguments.uint64();
  }
  return finish_posting(arguments, std::move(operation), endpoint->worker, counter.get(), {});
}

}  // namespace

void export_remote_memory(Napi::Env env, Napi::Object exports) {
  exports.Set("ucpPut", Napi::Function::New(env, put));
  exports.Set("ucpStampedPut", Napi::Function::New(env, stamped_put));
  exports.Set("ucpGet", Napi::Function::New(env, get));
  exports.Set("ucpAtomic", Napi::Function::New(env, atomic<Atomic>));
  exports.Set("ucpCompareAndSwap", Napi::Function::New(env, atomic<CompareAndSwap>));
  auto names = Napi::Object::New(env);
  names.Set("add", Napi::Number::New(env, UCP_ATOMIC_OP_ADD));
  names.Set("and", Napi::Number::New(env, UCP_ATOMIC_OP_AND));
  names.Set("or", Napi::Number::New(env, UCP_ATOMIC_OP_OR));
  names.Set("xor", Napi::Number::New(env, UCP_ATOMIC_OP_XOR));
  names.Set("swap", Napi::Number::New(env, UCP_ATOMIC_OP_SWAP));
  names.Set("cswap", Napi::Number::New(env, UCP_ATOMIC_OP_CSWAP));
  exports.Set("ucpAtomicNames", names);
}

}  // namespace fabricbench::ucx::ucp
