#include "arguments.hpp"

#include <climits>
#include <cmath>
#include <utility>

namespace fabricbench::mpi {
namespace {

Napi::Reference<Napi::Symbol> in_place_symbol;
Napi::Reference<Napi::Symbol> status_ignore_symbol;

bool is_symbol(const Napi::Value &value, const Napi::Reference<Napi::Symbol> &symbol) {
  return value.Type() == napi_symbol && !symbol.IsEmpty() && value.StrictEquals(symbol.Value());
}

bool is_whole(const Napi::Value &value, double limit) {
  if (!value.IsNumber()) return false;
  const double number = value.As<Napi::Number>().DoubleValue();
  return std::floor(number) == number && std::fabs(number) <= limit;
}

void define_symbol(Napi::Env env, Napi::Object exports, const char *name, Napi::Reference<Napi::Symbol> &place) {
  place = Napi::Reference<Napi::Symbol>::New(Napi::Symbol::New(env, std::string("MPI_") + name), 1);
  place.SuppressDestruct();
  exports.Set(name, place.Value());
}

}  // namespace

void define_sentinels(Napi::Env env, Napi::Object exports) {
  define_symbol(env, exports, "IN_PLACE", in_place_symbol);
  define_symbol(env, exports, "STATUS_IGNORE", status_ignore_symbol);
  exports.Set("STATUSES_IGNORE", status_ignore_symbol.Value());
}

void forget_sentinels() {
  in_place_symbol.Reset();
  status_ignore_symbol.Reset();
}

Arguments::Arguments(const Napi::CallbackInfo &info, const char *call, Form form)
    : info_(info), call_(call), form_(form) {
  require_running(info.Env(), call);
}

void Arguments::refuse(const std::string &cause) const { throw Napi::TypeError::New(env(), where("") + cause); }

void Arguments::refuse_range(const std::string &cause) const { throw Napi::RangeError::New(env(), where("") + cause); }

Napi::Value Arguments::take(const char *name) {
  if (next_ >= info_.Length()) refuse("argument " + std::to_string(next_ + 1) + " (" + name + ") is missing");
  return info_[next_++];
}

void Arguments::done() const {
  if (more()) refuse("takes " + std::to_string(next_) + " arguments, got " + std::to_string(info_.Length()));
}

int Arguments::integer(const char *name) {
  const Napi::Value value = take(name);
  if (!is_whole(value, 2147483648.0) || value.As<Napi::Number>().DoubleValue() > INT_MAX) {
    refuse(std::string(name) + " must be an integer of 32 bits");
  }
  return value.As<Napi::Number>().Int32Value();
}

int64_t Arguments::count(const char *name) {
  const Napi::Value value = take(name);
  if (!is_whole(value, 9007199254740991.0)) refuse(std::string(name) + " must be a safe integer");
  return value.As<Napi::Number>().Int64Value();
}

std::vector<int64_t> Arguments::longs(const char *name) {
  const Napi::Value value = take(name);
  if (!value.IsArray() && !value.IsTypedArray()) refuse(std::string(name) + " must be an array of integers");
  const auto array = value.As<Napi::Object>();
  const uint32_t length = array.Get("length").ToNumber().Uint32Value();
  std::vector<int64_t> result(length);
  for (uint32_t i = 0; i < length; ++i) {
    const Napi::Value element = array.Get(i);
    if (!is_whole(element, 9007199254740991.0)) {
      refuse(std::string(name) + "[" + std::to_string(i) + "] must be an integer");
    }
    result[i] = element.As<Napi::Number>().Int64Value();
  }
  return result;
}

std::vector<int> Arguments::integers(const char *name) {
  const std::vector<int64_t> wide = longs(name);
  std::vector<int> result(wide.size());
  for (size_t i = 0; i < wide.size(); ++i) {
    if (wide[i] > INT_MAX || wide[i] < INT_MIN) {
      refuse_range(std::string(name) + "[" + std::to_string(i) + "] must be an integer of 32 bits");
    }
    result[i] = static_cast<int>(wide[i]);
  }
  return result;
}

bool Arguments::boolean(const char *name) {
  const Napi::Value value = take(name);
  if (!value.IsBoolean()) refuse(std::string(name) + " must be true or false");
  return value.As<Napi::Boolean>().Value();
}

std::vector<int> Arguments::booleans(const char *name) {
  const Napi::Value value = take(name);
  if (!value.IsArray()) refuse(std::string(name) + " must be an array of booleans");
  const auto array = value.As<Napi::Array>();
  std::vector<int> result;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value element = array.Get(i);
    if (!element.IsBoolean()) refuse(std::string(name) + "[" + std::to_string(i) + "] must be true or false");
    result.push_back(element.As<Napi::Boolean>().Value() ? 1 : 0);
  }
  return result;
}

std::string Arguments::text(const char *name) {
  const Napi::Value value = take(name);
  if (!value.IsString()) refuse(std::string(name) + " must be a string");
  return value.As<Napi::String>().Utf8Value();
}

void Arguments::require_live(const char *name, const LifeOf &life) const {
  if (is_live(life)) return;
  if (life != world()) refuse(std::string(name) + " ended with its session");
  int finalized = 0;
  MPI_Finalized(&finalized);
  refuse(std::string(name) + (finalized ? " ended with MPI_Finalize"
                                        : " needs MPI_Init; a session makes communicators by Comm_create_from_group"));
}

int Arguments::rank() const {
  int result = 0;
  check(env(), call_, MPI_Comm_rank(comm_, &result));
  return result;
}

int Arguments::size() const {
  int result = 0;
  check(env(), call_, MPI_Comm_size(comm_, &result));
  return result;
}

bool Arguments::skip_null() {
  if (!more() || !peek().IsNull()) return false;
  ++next_;
  return true;
}

std::vector<int> Arguments::integers_or_null(const char *name) {
  return skip_null() ? std::vector<int>() : integers(name);
}

RawData Arguments::buffer(const char *name) {
  RawData result;
  result.name = name;
  if (skip_null()) return result;
  const Napi::Value value = take(name);
  result.in_place = is_symbol(value, in_place_symbol);
  if (result.in_place) return result;
  memories_.push_back(read_memory(value, where(name)));
  result.data = memories_.back().data;
  result.bytes = memories_.back().bytes;
  return result;
}

RawData Arguments::raw(const char *name) {
  RawData result = buffer(name);
  result.count = count("count");
  result.type = shared_handle<Datatype>("datatype");
  return result;
}

void Arguments::require_fit(const RawData &raw, const Datatype &type, int64_t count, __int128 offset) const {
  mpi::require_fit(env(), where(raw.name), raw.bytes, type, count, offset);
}

Data Arguments::fit(const RawData &raw, int blocks) {
  if (raw.in_place) refuse(std::string(raw.name) + " can't be IN_PLACE here");
  raw.type->measure(env(), call_);
  int64_t total = 0;
  if (__builtin_mul_overflow(raw.count, static_cast<int64_t>(blocks), &total)) refuse_range("count is too large");
  require_fit(raw, *raw.type, total);
  Data data = elements(raw.count, *raw.type);
  data.buffer = raw.data;
  return data;
}

Data Arguments::elements(int64_t count, Datatype &type) const {
  type.measure(env(), call_);
  Data data;
  data.type = type.value;
  if (count <= INT_MAX) {
    data.count = count < 0 ? -1 : static_cast<int>(count);  // MPI itself refuses a negative count
    return data;
  }
  data.owned = big_type(env(), call_, type, count);
  data.type = data.owned.get();
  data.count = 1;
  return data;
}

void Arguments::require_memory(const RawData &raw, int64_t size) const {
  if (raw.in_place) refuse(std::string(raw.name) + " can't be IN_PLACE here");
  if (static_cast<size_t>(size) <= raw.bytes) return;
  refuse_range(std::string(raw.name) + " is too small: " + std::to_string(size) + " bytes are asked for, it has " +
               std::to_string(raw.bytes));
}

Data Arguments::data(const char *name) { return fit(raw(name)); }

Data Arguments::fit_in_place() const {
  Data data;
  data.buffer = MPI_IN_PLACE;
  return data;
}

Data Arguments::ignored(const RawData &raw) const {
  Data data;
  data.buffer = nullptr;
  data.count = 0;
  data.type = raw.type->value;
  return data;
}

int Arguments::reduction_count(int64_t count) const {
  if (count <= INT_MAX) return count < 0 ? -1 : static_cast<int>(count);
  refuse_range("a reduction takes at most " + std::to_string(INT_MAX) + " elements, not " + std::to_string(count) +
               ": split it into several calls");
}

std::vector<Memory> Arguments::memories(const char *name) {
  const Napi::Value value = take(name);
  if (!value.IsArray()) refuse(std::string(name) + " must be an array of buffers");
  const auto array = value.As<Napi::Array>();
  if (array.Length() == 0) refuse(std::string(name) + " must hold at least one buffer");
  std::vector<Memory> result;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const std::string element = std::string(name) + "[" + std::to_string(i) + "]";
    result.push_back(read_memory(array.Get(i), where(element.c_str())));
    memories_.push_back(result.back());
  }
  return result;
}

std::shared_ptr<Requests> Arguments::requests() { return shared_handle<Requests>("request"); }

Slot Arguments::start() {
  Slot slot;
  if (is_bound() || more()) {
    slot.box = requests();
    slot.index = integer("index");
    if (slot.index < 0 || slot.index >= slot.box->length) {
      refuse_range("index " + std::to_string(slot.index) + " is outside of a request array of " +
                   std::to_string(slot.box->length));
    }
  } else {
    slot.box = Requests::make(1);
    own_request_ = true;
  }
  started_.push_back(slot);
  starts(slot.box);
  return slot;
}

bool Arguments::wants_status() {
  if (more() && is_symbol(peek(), status_ignore_symbol)) {
    ++next_;
    return false;
  }
  return !is_bound();
}

Holds Arguments::hold() const {
  Holds holds;
  holds.reserve(memories_.size());
  for (const Memory &memory : memories_) holds.emplace_back(memory);
  return holds;
}

std::vector<Napi::Value> Arguments::objects() const {
  std::vector<Napi::Value> result;
  for (const Memory &memory : memories_) result.push_back(memory.object);
  return result;
}

Napi::Value Arguments::request_object() const {
  if (!own_request_) return env().Undefined();
  return wrap_requests(env(), started_.front().box);
}

}  // namespace fabricbench::mpi
