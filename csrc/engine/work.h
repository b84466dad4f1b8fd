/* Work for the processor alone, in plain C so that the reference programs compute by the very same instructions.
 *
 *   rate = fb_work_rate();                       units of work per second
 *   fb_work((uint64_t)(rate * seconds + 0.5));   takes so many seconds where nothing disturbs it
 *   fb_finish_work();
 */
#ifndef FABRICBENCH_WORK_H
#define FABRICBENCH_WORK_H

#include <stdint.h>

#include "engine/clock.h"

/* Does so many units of work. A unit is a multiplication and an addition which need the result of the unit before: some
 * 4 cycles, whatever else the processor finds to do. The empty assembler statement keeps the compiler from leaving
 * units out or merging them. */
static __attribute__((noinline, unused)) void fb_work(uint64_t units) {
  uint64_t value = units;
  for (; units != 0; --units) {
    value = value * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
    __asm__ __volatile__("" : "+r"(value));
  }
}

/* Lets nothing begin before the work is done. A processor would run up to 100 ns of it beside the calls that follow,
 * and short work would seem to cost nothing. */
static inline void fb_finish_work(void) {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" ::: "memory");
#endif
}

/* Units per second: of many short runs the fastest, which neither the scheduler nor a neighbour has disturbed. The
 * clock must be calibrated. Takes some 5 ms. */
static inline double fb_work_rate(void) {
  const int runs = 200;
  const uint64_t units = 1 << 14; /* some 20 us, far more than a read of the clock takes */
  uint64_t fastest = UINT64_MAX;
  for (int run = 0; run < runs; ++run) {
    const uint64_t start = fb_ticks();
    fb_work(units);
    fb_finish_work();
    const uint64_t took = fb_ticks() - start;
    if (took < fastest) fastest = took;
  }
  return (double)units / fb_seconds(fastest);
}

#endif
