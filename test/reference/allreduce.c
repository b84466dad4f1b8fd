/* The sum of every rank's vector of `size` bytes, to every rank. */
#include "reference.h"

static inline void once(const struct work *work) {
  const int count = work->size / (int)sizeof(int);
  MPI_Allreduce(work->send, work->receive, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static double measure(struct work work) { return measure_collective(work, (size_t)work.size, (size_t)work.size, once); }

int main(int argc, char **argv) { return reference_main(argc, argv, measure); }
