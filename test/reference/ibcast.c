/* A non-blocking broadcast from rank 0: first bare, then with computing between its start and the wait for it, as long
 * as the bare one took on this rank. The seconds are those of the second pass, whose parts are timed one by one. */
#include "engine/work.h"
#include "reference.h"

enum part { INIT, COMPUTE, WAIT, PARTS };

static MPI_Request request;
static uint64_t units; /* of computing, in an iteration */
uint64_t ticks[PARTS]; /* not static: what nobody reads would be left out */

static inline void start(const struct work *work) {
  MPI_Ibcast(work->receive, work->size, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
}

static inline void finish(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static inline void bare(const struct work *work) {
  start(work);
  finish();
}

/* Adds the time since `last` to a part, and returns the present. */
ALWAYS_INLINE uint64_t end_part(enum part part, uint64_t last) {
  const uint64_t now = fb_ticks();
  ticks[part] += now - last;
  return now;
}

static inline void overlapped(const struct work *work) {
  uint64_t last = fb_ticks();
  start(work);
  last = end_part(INIT, last);
  fb_work(units);
  fb_finish_work();
  last = end_part(COMPUTE, last);
  finish();
  end_part(WAIT, last);
}

static double measure(struct work work) {
  static double rate = 0;
  allocate(&work, 0, (size_t)work.size);
  const double seconds = separate_loop(&work, bare) / (double)work.iterations;
  if (rate == 0) rate = fb_work_rate();
  units = (uint64_t)(seconds * rate + 0.5);
  const double overall = separate_loop(&work, overlapped);
  release(&work);
  return overall;
}

int main(int argc, char **argv) { return reference_main(argc, argv, measure); }
