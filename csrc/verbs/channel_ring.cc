#include "verbs/channel_ring.hpp"

#include "verbs/channel.hpp"

namespace fabricbench::verbs {

// `data` is null for an announcement.
void Early::add(uint32_t number, uint32_t size, const char *data) {
  EarlyMessage *place = spare_;
  if (place != nullptr) {
    spare_ = place->next;
  } else {
    place = static_cast<EarlyMessage *>(malloc(sizeof(EarlyMessage) + kEager));
    if (place == nullptr) abort();
  }
  place->number = number;
  place->size = size;
  place->announced = data == nullptr;
  if (data != nullptr) memcpy(place->data(), data, size);
  insert(place);
}

// Nearly always at the end: only announcements come late.
void Early::insert(EarlyMessage *place) {
  const auto before = [place](const EarlyMessage *other) {
    return static_cast<int32_t>(place->number - other->number) < 0;
  };
  if (last_ != nullptr && !before(last_)) {
    place->next = nullptr;
    last_ = last_->next = place;
    return;
  }
  EarlyMessage **to = &first_;
  while (*to != nullptr && !before(*to)) to = &(*to)->next;
  place->next = *to;
  *to = place;
  if (place->next == nullptr) last_ = place;
}

}  // namespace fabricbench::verbs
