/* The clock of everything that is timed, in plain C so that the reference programs read the very same one.
 *
 * Ticks come from the invariant TSC (x86-64) or the generic timer (Arm), calibrated against CLOCK_MONOTONIC_RAW; from
 * clock_gettime where there is none, or where FABRICBENCH_CLOCK=clock_gettime asks for it.
 *
 *   fb_clock_start();        at load: picks the source and takes the first point of the calibration
 *   fb_clock_calibrate();    before the first conversion: takes the second point, at least 10 ms after the first
 *   t = fb_ticks();          a read
 *   fb_seconds(t2 - t1);     a difference in seconds
 */
#ifndef FABRICBENCH_CLOCK_H
#define FABRICBENCH_CLOCK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { FB_CLOCK_GETTIME = 0, FB_CLOCK_TSC = 1, FB_CLOCK_CNTVCT = 2 };

struct fb_clock_state {
  int source;                  /* FB_CLOCK_... */
  int started;                 /* the source is chosen */
  int calibrated;              /* frequency and period hold */
  double frequency;            /* ticks per second */
  double period;               /* seconds per tick */
  uint64_t anchor_ticks;       /* the first point of the calibration */
  uint64_t anchor_nanoseconds; /* the same moment on CLOCK_MONOTONIC_RAW */
};

/* One per program in C; one per addon in C++, whatever the number of files. */
#ifdef __cplusplus
inline struct fb_clock_state fb_clock;
#else
static struct fb_clock_state fb_clock;
#endif

static inline uint64_t fb_gettime_nanoseconds(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Reads the clock. rdtscp waits until all earlier instructions are done, as the kernel's own clock does: a plain rdtsc
 * may be executed before a poll that ends the timed part has seen its value. */
static inline uint64_t fb_ticks(void) {
#if defined(__x86_64__)
  if (__builtin_expect(fb_clock.source == FB_CLOCK_TSC, 1)) {
    unsigned int processor;
    return __builtin_ia32_rdtscp(&processor);
  }
#elif defined(__aarch64__)
  if (__builtin_expect(fb_clock.source == FB_CLOCK_CNTVCT, 1)) {
    uint64_t value;
    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r"(value)::"memory");
    return value;
  }
#endif
  return fb_gettime_nanoseconds(CLOCK_MONOTONIC);
}

/* Whether the kernel offers the TSC as a clock source. It takes a TSC that it found unstable off the list. A system
 * that hides the list is trusted. */
static inline int fb_kernel_trusts_tsc(void) {
  char list[256] = "";
  FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/available_clocksource", "r");
  if (file == NULL) return 1;
  if (fgets(list, sizeof list, file) == NULL) list[0] = 0;
  fclose(file);
  return list[0] == 0 || strncmp(list, "tsc", 3) == 0 || strstr(list, " tsc") != NULL;
}

static inline int fb_choose_source(void) {
  const char *wanted = getenv("FABRICBENCH_CLOCK");
  if (wanted != NULL && strcmp(wanted, "clock_gettime") == 0) return FB_CLOCK_GETTIME;
#if defined(__x86_64__)
  unsigned int a, b, c, d;
  const unsigned int has_rdtscp = 1u << 27, is_invariant = 1u << 8;
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d) == 0 || (d & has_rdtscp) == 0) return FB_CLOCK_GETTIME;
  if (__get_cpuid(0x80000007u, &a, &b, &c, &d) == 0 || (d & is_invariant) == 0) return FB_CLOCK_GETTIME;
  return fb_kernel_trusts_tsc() ? FB_CLOCK_TSC : FB_CLOCK_GETTIME;
#elif defined(__aarch64__)
  return FB_CLOCK_CNTVCT;
#else
  return FB_CLOCK_GETTIME;
#endif
}

/* The same moment on both clocks: the closest of ten tries, since an interrupt may fall between the reads. */
static inline void fb_clock_point(uint64_t *ticks, uint64_t *nanoseconds) {
  uint64_t closest = UINT64_MAX;
  for (int i = 0; i < 10; ++i) {
    uint64_t before = fb_ticks();
    uint64_t now = fb_gettime_nanoseconds(CLOCK_MONOTONIC_RAW);
    uint64_t after = fb_ticks();
    if (after - before >= closest) continue;
    closest = after - before;
    *ticks = before + (after - before) / 2;
    *nanoseconds = now;
  }
}

/* Chooses the source and takes the first point of the calibration. Later calls do nothing. */
static inline void fb_clock_start(void) {
  if (fb_clock.started) return;
  fb_clock.source = fb_choose_source();
  fb_clock_point(&fb_clock.anchor_ticks, &fb_clock.anchor_nanoseconds);
  fb_clock.started = 1;
}

/* Makes fb_seconds true: measures the ticks per second, once per process. Spins for what is missing of the 10 ms since
 * fb_clock_start; the longer ago that is, the better the result (20 ns in 10 ms are 2 parts in a million). */
static inline void fb_clock_calibrate(void) {
  const uint64_t baseline = 10000000u;
  uint64_t ticks = 0, nanoseconds = 0;
  if (fb_clock.calibrated) return;
  fb_clock_start();
  if (fb_clock.source == FB_CLOCK_GETTIME) {
    fb_clock.frequency = 1e9;
  } else {
    while (fb_gettime_nanoseconds(CLOCK_MONOTONIC_RAW) - fb_clock.anchor_nanoseconds < baseline) {
    }
    fb_clock_point(&ticks, &nanoseconds);
    fb_clock.frequency =
        (double)(ticks - fb_clock.anchor_ticks) * 1e9 / (double)(nanoseconds - fb_clock.anchor_nanoseconds);
  }
  fb_clock.period = 1.0 / fb_clock.frequency;
  fb_clock.calibrated = 1;
}

/* A difference of ticks in seconds. Signed conversion is one instruction, unsigned is not. */
static inline double fb_seconds(uint64_t ticks) { return (double)(int64_t)ticks * fb_clock.period; }

#endif
