/* A window of 64 puts to places of their own, then a flush, all in one epoch under a shared lock. Rank 1 waits. MPI's
 * memory is touched by the warm-up. */
#include "reference.h"

enum { WINDOW = 64, TARGET = 1 };

static MPI_Win window;

static inline void once(const struct work *work) {
  for (int i = 0; i < WINDOW; ++i) {
    const size_t place = (size_t)i * (size_t)work->size;
    MPI_Put(work->send + place, work->size, MPI_CHAR, TARGET, (MPI_Aint)place, work->size, MPI_CHAR, window);
  }
  MPI_Win_flush(TARGET, window);
}

static double origin(const struct work *work) {
  MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, window);
  const double seconds = timed_loop(work, once);
  MPI_Win_unlock(TARGET, window);
  return seconds;
}

static double measure(struct work work) {
  const size_t bytes = WINDOW * (size_t)work.size;
  double seconds = 0;
  void *exposed;
  allocate(&work, bytes, 0);
  MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
  if (work.rank == TARGET) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    seconds = origin(&work);
  }
  MPI_Win_free(&window);
  release(&work);
  return seconds;
}

int main(int argc, char **argv) { return reference_main(argc, argv, measure); }
