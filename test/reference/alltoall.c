/* A block of `size` bytes from every rank to every rank. */
#include "reference.h"

enum { RANKS = 2 };

static inline void once(const struct work *work) {
  MPI_Alltoall(work->send, work->size, MPI_CHAR, work->receive, work->size, MPI_CHAR, MPI_COMM_WORLD);
}

static double measure(struct work work) {
  const size_t bytes = RANKS * (size_t)work.size;
  return measure_collective(work, bytes, bytes, once);
}

int main(int argc, char **argv) { return reference_main(argc, argv, measure); }
