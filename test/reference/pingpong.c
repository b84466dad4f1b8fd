/* One message there and one back. */
#include "reference.h"

static inline void first(const struct work *work) {
  MPI_Send(work->send, work->size, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  MPI_Recv(work->receive, work->size, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline void second(const struct work *work) {
  MPI_Recv(work->receive, work->size, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(work->send, work->size, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
}

static double measure(struct work work) { return measure_pair(work, first, second); }

int main(int argc, char **argv) { return reference_main(argc, argv, measure); }
