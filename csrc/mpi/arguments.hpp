// Reads the arguments of an MPI call, one after the other in the order of MPI's C binding, and refuses what is wrong
// with a sentence that names the call and the argument. One reader serves the immediate and the bound form of a call.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "data.hpp"
#include "requests.hpp"

namespace fabricbench::mpi {

enum class Form { kImmediate, kBound };

// A buffer argument as JavaScript gave it, before it is known how many elements must fit.
struct RawData {
  void *data = nullptr;
  size_t bytes = 0;
  bool in_place = false;
  int64_t count = 0;
  std::shared_ptr<Datatype> type;
  const char *name = "";
};

struct Slot {
  std::shared_ptr<Requests> box;
  int index = 0;
};

class Arguments {
 public:
  Arguments(const Napi::CallbackInfo &info, const char *call, Form form);

  Napi::Env env() const { return info_.Env(); }
  const char *call() const { return call_; }
  bool is_bound() const { return form_ == Form::kBound; }

  // Plain values.
  int integer(const char *name);
  int64_t count(const char *name);
  std::vector<int> integers(const char *name);
  std::vector<int> integers_or_null(const char *name);  // empty for null
  std::vector<int64_t> longs(const char *name);
  bool boolean(const char *name);
  std::vector<int> booleans(const char *name);  // 0 and 1, as MPI takes them
  std::string text(const char *name);

  // Handles. The reference lives as long as these arguments, and as long as the operation bound from them.
  template <class T>
  T &handle(const char *name);
  template <class T>
  std::shared_ptr<T> shared_handle(const char *name);
  template <class T>
  std::vector<std::shared_ptr<T>> handles(const char *name);
  MPI_Comm comm() { return handle<Comm>("comm").value; }
  // The life of the communicator, group or session read last, which what is made from it ends with too; null where
  // there was none.
  const LifeOf &life() const { return *life_; }
  // Rank in, and size of, the communicator that `comm` read last.
  int rank() const;
  int size() const;

  // Buffers. `data` reads buffer, count and datatype that need no more than themselves; the `raw` readers wait for
  // what `fit` must know: how many blocks of `count` elements the call touches.
  Data data(const char *name = "buf");
  RawData raw(const char *name);
  RawData buffer(const char *name);  // the buffer alone
  Data fit(const RawData &raw, int blocks = 1);
  // Elements at another place than this rank's memory: only count and type.
  Data elements(int64_t count, Datatype &type) const;
  // Refuses a buffer that has not `size` bytes, for calls that take it without a datatype.
  void require_memory(const RawData &raw, int64_t size) const;
  // MPI_IN_PLACE, or a buffer that MPI does not look at on this rank.
  Data fit_in_place() const;
  Data ignored(const RawData &raw) const;
  // Element-wise fit for reductions, whose counts MPI 3 keeps within an int.
  int reduction_count(int64_t count) const;
  std::vector<Memory> memories(const char *name);
  void require_fit(const RawData &raw, const Datatype &type, int64_t count, __int128 offset = 0) const;
  [[noreturn]] void refuse(const std::string &cause) const;
  [[noreturn]] void refuse_range(const std::string &cause) const;

  // Requests.
  Slot start();                          // where a call puts the request it starts
  std::shared_ptr<Requests> requests();  // a RequestArray or Request to complete or start
  bool more() const { return next_ < info_.Length(); }
  Napi::Value peek() const { return info_[next_]; }
  Napi::Value take(const char *name);
  // True, and skips it, where the next argument is null.
  bool skip_null();
  // True unless the next, optional argument is STATUS_IGNORE (or STATUSES_IGNORE); always false in the bound form.
  bool wants_status();

  // Refuses surplus arguments; called when the call has read all of its own.
  void done() const;

  // What the call must keep, for operations that outlive it.
  Holds hold() const;
  std::vector<Napi::Value> objects() const;
  std::vector<std::shared_ptr<void>> take_uses() { return std::move(uses_); }
  const std::vector<Slot> &started() const { return started_; }
  // Request arrays and windows in which the call starts something.
  const std::vector<std::shared_ptr<Keeper>> &keepers() const { return keepers_; }
  void starts(std::shared_ptr<Keeper> keeper) { keepers_.push_back(std::move(keeper)); }
  // The request object that an immediate call returns, or undefined when it started into a given slot.
  Napi::Value request_object() const;

 private:
  static inline const LifeOf kNoLife;
  std::string where(const char *name) const { return std::string(call_) + ": " + name; }
  void require_live(const char *name, const LifeOf &life) const;

  const Napi::CallbackInfo &info_;
  const char *call_;
  Form form_;
  size_t next_ = 0;
  MPI_Comm comm_ = MPI_COMM_NULL;
  const LifeOf *life_ = &kNoLife;  // of a box in `uses_`
  std::vector<Memory> memories_;
  std::vector<std::shared_ptr<void>> uses_;
  std::vector<Slot> started_;
  std::vector<std::shared_ptr<Keeper>> keepers_;
  bool own_request_ = false;
};

// MPI_IN_PLACE and MPI_STATUS_IGNORE as JavaScript symbols, set up with the module's constants.
void define_sentinels(Napi::Env env, Napi::Object exports);
void forget_sentinels();

// Whether handles of a kind end with a life of MPI.
template <class T, class = void>
struct has_life : std::false_type {};
template <class T>
struct has_life<T, std::void_t<decltype(std::declval<T &>().life)>> : std::true_type {};

template <class T>
std::shared_ptr<T> Arguments::shared_handle(const char *name) {
  auto box = unwrap<T>(take(name));
  if (!box) refuse(std::string(name) + " must be " + T::kWhat);
  if (box->freed) refuse(std::string(name) + " has been freed");
  if constexpr (has_life<T>::value) {
    require_live(name, box->life);
    if (box->life) life_ = &box->life;
  }
  if constexpr (std::is_same_v<T, Comm>) comm_ = box->value;
  uses_.push_back(box);
  return box;
}

// The box lives in `uses_`.
template <class T>
T &Arguments::handle(const char *name) {
  return *shared_handle<T>(name);
}

template <class T>
std::vector<std::shared_ptr<T>> Arguments::handles(const char *name) {
  const Napi::Value value = take(name);
  if (!value.IsArray()) refuse(std::string(name) + " must be an array");
  const auto array = value.As<Napi::Array>();
  std::vector<std::shared_ptr<T>> result;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    auto box = unwrap<T>(array.Get(i));
    if (!box || box->freed) refuse(std::string(name) + "[" + std::to_string(i) + "] must be " + T::kWhat);
    uses_.push_back(box);
    result.push_back(std::move(box));
  }
  return result;
}

}  // namespace fabricbench::mpi
