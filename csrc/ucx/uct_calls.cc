#include "ucx/uct_calls.hpp"

#include "engine/bytes_js.hpp"

namespace fabricbench::ucx {
namespace {

void require_inside(Napi::Env env, const UctPiece &piece, const uct_allocated_memory_t &memory) {
  const auto *begin = static_cast<const char *>(memory.address);
  if (piece.data >= begin && piece.data + piece.length <= begin + memory.length) return;
  throw Napi::RangeError::New(env, "the buffer lies outside the memory that is given for it: pass its own, or none");
}

}  // namespace

char *UctRequest::data(const char *name) const {
  return static_cast<char *>(bytes_of(env(), get(name), std::string("the request's ") + name).data);
}

std::vector<UctPiece> UctRequest::pieces(size_t skipped) const {
  const char *base = data("buffer");
  const auto list = get("pieces").As<Napi::Float64Array>();
  std::vector<UctPiece> pieces;
  for (size_t i = 0; i + 1 < list.ElementLength(); i += 2) {
    const auto length = static_cast<size_t>(list[i + 1]);
    const size_t left_out = skipped < length ? skipped : length;
    skipped -= left_out;
    if (length > left_out) pieces.push_back({base + static_cast<size_t>(list[i]) + left_out, length - left_out});
  }
  return pieces;
}

std::vector<uct_iov_t> UctRequest::iov(size_t skipped) const {
  const auto memory = has("registered") ? box<UctMemory>("registered") : nullptr;
  const uct_mem_h handle = memory ? memory->memory.memh : UCT_MEM_HANDLE_NULL;
  std::vector<uct_iov_t> iov;
  for (const UctPiece &piece : pieces(skipped)) {
    if (memory) require_inside(env(), piece, memory->memory);
    iov.push_back({const_cast<char *>(piece.data), piece.length, handle, 0, 1});
  }
  return iov;
}

}  // namespace fabricbench::ucx
