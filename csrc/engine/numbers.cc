// Reduction data as operations: numbers to add up, and checks of their sums.
#include "engine/numbers.hpp"

#include <napi.h>

#include <algorithm>
#include <memory>
#include <string>

#include "engine/addon.hpp"
#include "engine/own_operations.hpp"

namespace fabricbench {
namespace {

// An element type by its name in MPI. A complex number is two elements in a row.
struct NumberType {
  const char *name;
  uint64_t byte_length;
  uint64_t parts;  // numbers per element
  uint64_t limit;
  void (*fill)(const Numbers &numbers, uint64_t sender, const NumberPlace &place, uint8_t *data);
  void (*check)(const Numbers &numbers, uint64_t sender, const NumberPlace &place, const uint8_t *data,
                CheckResult *result);
  void (*check_sums)(const Numbers &numbers, const NumberPlace &place, const uint8_t *data, CheckResult *result);
};

template <typename T>
constexpr NumberType type_of(const char *name, uint64_t parts = 1) {
  return {name, parts * sizeof(T), parts, exact_limit<T>(), fill_numbers<T>, check_numbers<T>, check_sums<T>};
}

constexpr NumberType kTypes[] = {
    type_of<signed char>("MPI_CHAR"),
    type_of<signed char>("MPI_SIGNED_CHAR"),
    type_of<unsigned char>("MPI_UNSIGNED_CHAR"),
    type_of<short>("MPI_SHORT"),
    type_of<unsigned short>("MPI_UNSIGNED_SHORT"),
    type_of<int>("MPI_INT"),
    type_of<unsigned>("MPI_UNSIGNED"),
    type_of<long>("MPI_LONG"),
    type_of<unsigned long>("MPI_UNSIGNED_LONG"),
    type_of<long long>("MPI_LONG_LONG"),
    type_of<long long>("MPI_LONG_LONG_INT"),
    type_of<unsigned long long>("MPI_UNSIGNED_LONG_LONG"),
    type_of<int8_t>("MPI_INT8_T"),
    type_of<uint8_t>("MPI_UINT8_T"),
    type_of<int16_t>("MPI_INT16_T"),
    type_of<uint16_t>("MPI_UINT16_T"),
    type_of<int32_t>("MPI_INT32_T"),
    type_of<uint32_t>("MPI_UINT32_T"),
    type_of<int64_t>("MPI_INT64_T"),
    type_of<uint64_t>("MPI_UINT64_T"),
    type_of<int64_t>("MPI_AINT"),
    type_of<int64_t>("MPI_OFFSET"),
    type_of<int64_t>("MPI_COUNT"),
    type_of<float>("MPI_FLOAT"),
    type_of<double>("MPI_DOUBLE"),
    type_of<float>("MPI_C_COMPLEX", 2),
    type_of<float>("MPI_C_FLOAT_COMPLEX", 2),
    type_of<double>("MPI_C_DOUBLE_COMPLEX", 2),
};

// numberTypes(): bytes of an element by name
Napi::Value number_types(const Napi::CallbackInfo &info) {
  Napi::Object result = Napi::Object::New(info.Env());
  for (const NumberType &type : kTypes) result.Set(type.name, static_cast<double>(type.byte_length));
  return result;
}

struct NumbersOperation : Checking {
  const NumberType *type;
  std::unique_ptr<Numbers> numbers;
  uint64_t sender;
  uint8_t *data;
  NumberPlace place;  // but for the iteration

  NumberPlace place_in(const Context *context) const {
    NumberPlace result = place;
    result.iteration = context->iteration;
    return result;
  }
};

int32_t execute_fill(Operation *self, Context *context) {
  const auto *fill = static_cast<NumbersOperation *>(self);
  fill->type->fill(*fill->numbers, fill->sender, fill->place_in(context), fill->data);
  return 0;
}

int32_t execute_check(Operation *self, Context *context) {
  auto *check = static_cast<NumbersOperation *>(self);
  check->type->check(*check->numbers, check->sender, check->place_in(context), check->data, &check->result);
  return 0;
}

int32_t execute_check_sums(Operation *self, Context *context) {
  auto *check = static_cast<NumbersOperation *>(self);
  check->type->check_sums(*check->numbers, check->place_in(context), check->data, &check->result);
  return 0;
}

// Makes an operation from (bytes, type, offset, length, first, slot, senders, sender): offset and length in bytes, of
// which length is whole elements; first in elements.
NumbersOperation *make(const Napi::CallbackInfo &info, const char *name, int32_t (*execute)(Operation *, Context *),
                       const char *what) {
  const Bytes bytes = bytes_of(info.Env(), info[0], what);
  const std::string type_name = info[1].As<Napi::String>();
  const uint64_t offset = integer(info[2]), length = integer(info[3]);
  require_range(info.Env(), bytes, offset, length, what);
  const auto *type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const NumberType &candidate) { return candidate.name == type_name; });
  auto *operation = new_operation<NumbersOperation>(name, execute);
  operation->type = type;
  operation->numbers = std::make_unique<Numbers>(type->limit, integer(info[6]));
  operation->sender = integer(info[7]);
  operation->data = static_cast<uint8_t *>(bytes.data) + offset;
  operation->place = {integer(info[4]) * type->parts, length / type->byte_length * type->parts, 0, integer(info[5])};
  return operation;
}

// fillNumbers(bytes, type, offset, length, first, slot, senders, sender)
Napi::Value fill_operation(const Napi::CallbackInfo &info) {
  return wrap_operation(info.Env(), make(info, "fillNumbers", execute_fill, "the buffer to fill"), {info[0]});
}

// checkNumbers(the same)
Napi::Value check_operation(const Napi::CallbackInfo &info) {
  NumbersOperation *operation = make(info, "checkNumbers", execute_check, "the buffer to check");
  operation->reset = reset_checking;
  return wrap_operation(info.Env(), operation, {info[0]});
}

// checkReduction(the same, sender unused)
Napi::Value check_sums_operation(const Napi::CallbackInfo &info) {
  NumbersOperation *operation = make(info, "checkReduction", execute_check_sums, "the buffer to check");
  operation->reset = reset_checking;
  operation->numbers->add_up();
  return wrap_operation(info.Env(), operation, {info[0]});
}

}  // namespace

void export_numbers(Napi::Env env, Napi::Object exports) {
  exports.Set("numberTypes", Napi::Function::New(env, number_types));
  exports.Set("fillNumbers", Napi::Function::New(env, fill_operation));
  exports.Set("checkNumbers", Napi::Function::New(env, check_operation));
  exports.Set("checkReduction", Napi::Function::New(env, check_sums_operation));
}

}  // namespace fabricbench
