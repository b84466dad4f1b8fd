// Preloaded into ranks: the time of day is set an hour ahead whenever somebody reads it. Whoever measures by it finds
// hours.
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

namespace {

constexpr time_t kHour = 3600;
time_t ahead = 0;

bool is_time_of_day(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

}  // namespace

extern "C" __attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec *time) noexcept {
  using Read = int (*)(clockid_t, timespec *);
  static const auto read = reinterpret_cast<Read>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = read(clock, time);
  if (result == 0 && is_time_of_day(clock)) time->tv_sec += ahead += kHour;
  return result;
}

extern "C" __attribute__((visibility("default"))) int gettimeofday(timeval *time, void *) noexcept {
  timespec now = {};
  const int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}
