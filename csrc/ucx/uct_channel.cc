// The channel's receiving side: messages meet receives.
#include "ucx/uct_channel.hpp"

#include <cstdlib>
#include <new>

namespace fabricbench::ucx {
namespace {

// Receives that can be posted before the ring grows.
constexpr uint64_t kFirstRing = 256;

}  // namespace

UctChannel::UctChannel()
    : ring(static_cast<UctPosted *>(malloc(kFirstRing * sizeof(UctPosted)))), mask(kFirstRing - 1) {
  if (ring == nullptr) throw std::bad_alloc();
}

UctChannel::~UctChannel() {
  free(ring);
  for (UctUnexpected *list : {first, spare}) {
    while (list != nullptr) free(std::exchange(list, list->next));
  }
}

void UctChannel::grow() {
  const uint64_t size = mask + 1;
  auto *larger = static_cast<UctPosted *>(malloc(2 * size * sizeof(UctPosted)));
  if (larger == nullptr) abort();
  for (uint64_t i = matched; i != posted; ++i) larger[i & (2 * size - 1)] = ring[i & mask];
  free(ring);
  ring = larger;
  mask = 2 * size - 1;
}

// The place for a message that nobody waits for: a used one where it is large enough.
void UctChannel::begin_unexpected(size_t size) {
  UctUnexpected *place = spare;
  if (place != nullptr && place->capacity >= size) {
    spare = place->next;
  } else {
    const size_t capacity = size < 256 ? 256 : size;
    place = static_cast<UctUnexpected *>(malloc(sizeof(UctUnexpected) + capacity));
    if (place == nullptr) abort();
    place->capacity = capacity;
  }
  place->next = nullptr;
  place->size = size;
  (first == nullptr ? first : last->next) = place;
  last = arriving = place;
  to = place->data();
}

void UctChannel::begin(uint64_t size) {
  missing = size;
  if (matched == posted) return begin_unexpected(size);
  const UctPosted &receive = ring[matched++ & mask];
  if (receive.size != size) error = UCS_ERR_MESSAGE_TRUNCATED;
  to = receive.to;
}

void UctChannel::take(const char *payload, size_t length, uint64_t size) {
  if (__builtin_expect(error != UCS_OK, 0)) return;
  if (missing == 0) {
    begin(size);
    if (__builtin_expect(error != UCS_OK, 0)) return;
  }
  memcpy(to, payload, length);
  to += length;
  missing -= length;
  if (missing != 0) return;
  if (__builtin_expect(arriving == nullptr, 1)) {
    ++finished;
  } else {
    arriving = nullptr;
  }
}

void UctChannel::take_unexpected(char *buffer, size_t size) {
  UctUnexpected *place = first;
  if (place->size != size) {
    error = UCS_ERR_MESSAGE_TRUNCATED;
    return;
  }
  first = place->next;
  ++posted;
  ++matched;
  if (place == arriving) {  // the rest goes where it belongs
    const size_t here = size - missing;
    memcpy(buffer, place->data(), here);
    to = buffer + here;
    arriving = nullptr;
  } else {
    memcpy(buffer, place->data(), size);
    ++finished;
  }
  place->next = spare;
  spare = place;
}

}  // namespace fabricbench::ucx
