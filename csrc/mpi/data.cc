#include "data.hpp"

#include <climits>
#include <utility>

namespace fabricbench::mpi {
namespace {

constexpr int64_t kChunk = int64_t{1} << 30;

std::string decimal(__int128 value) {
  const bool negative = value < 0;
  if (negative) value = -value;
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value > 0);
  return negative ? "-" + digits : digits;
}

std::string elements(const Datatype &type, int64_t count) {
  return std::to_string(count) + (count == 1 ? " element of " : " elements of ") + type.name();
}

// Steps of a datatype's construction: frees what was built when a later step fails.
OwnedType contiguous(Napi::Env env, const char *operation, int64_t count, MPI_Datatype type) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check(env, operation, MPI_Type_contiguous(static_cast<int>(count), type, &made));
  return OwnedType(made);
}

}  // namespace

OwnedType &OwnedType::operator=(OwnedType &&other) noexcept {
  std::swap(type_, other.type_);
  return *this;
}

OwnedType::~OwnedType() {
  if (type_ != MPI_DATATYPE_NULL && is_running() && !is_closing()) MPI_Type_free(&type_);
}

Reach reach(const Datatype &type, int64_t count) {
  if (count <= 0 || type.size == 0) return {};
  const __int128 last = static_cast<__int128>(count - 1) * type.extent;
  Reach result;
  result.first = type.true_lower + (last < 0 ? last : 0);
  result.end = static_cast<__int128>(type.true_lower) + type.true_extent + (last > 0 ? last : 0);
  return result;
}

void require_fit(Napi::Env env, const std::string &where, size_t bytes, const Datatype &type, int64_t count,
                 __int128 offset) {
  const Reach touched = reach(type, count);
  if (touched.first == touched.end) return;
  const __int128 first = offset + touched.first, end = offset + touched.end;
  if (first < 0) {
    throw Napi::RangeError::New(
        env, where + " would be reached " + decimal(-first) + " bytes before its start by " + elements(type, count));
  }
  if (end > static_cast<__int128>(bytes)) {
    const std::string place = offset == 0 ? "" : " at byte " + decimal(offset);
    throw Napi::RangeError::New(env, where + " is too small: " + elements(type, count) + place +
                                         (count == 1 ? " needs " : " need ") + decimal(end) + " bytes, it has " +
                                         std::to_string(bytes));
  }
}

OwnedType big_type(Napi::Env env, const char *operation, const Datatype &type, int64_t count) {
  int64_t extent = 0;
  if (__builtin_mul_overflow(count, type.extent, &extent)) {
    throw Napi::RangeError::New(env,
                                std::string(operation) + ": " + elements(type, count) + " reach beyond all memory");
  }
  const OwnedType chunk = contiguous(env, operation, kChunk, type.value);
  const OwnedType chunks = contiguous(env, operation, count / kChunk, chunk.get());
  const OwnedType rest = contiguous(env, operation, count % kChunk, type.value);
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {0, static_cast<MPI_Aint>((count / kChunk) * kChunk * type.extent)};
  MPI_Datatype parts[2] = {chunks.get(), rest.get()};
  MPI_Datatype joined = MPI_DATATYPE_NULL, whole = MPI_DATATYPE_NULL;
  check(env, operation, MPI_Type_create_struct(2, lengths, places, parts, &joined));
  const OwnedType owned_joined(joined);
  check(env, operation, MPI_Type_create_resized(joined, type.lower, extent, &whole));
  OwnedType result(whole);
  check(env, operation, MPI_Type_commit(&whole));
  return result;
}

}  // namespace fabricbench::mpi
