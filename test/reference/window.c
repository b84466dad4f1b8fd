/* A window of 64 messages one way, then an acknowledgement of one byte. */
#include "reference.h"

enum { WINDOW = 64, DATA = 1, ACKNOWLEDGEMENT = 2 };

static MPI_Request requests[WINDOW];
static char acknowledgement;

static inline void first(const struct work *work) {
  for (int i = 0; i < WINDOW; ++i) {
    MPI_Isend(work->send, work->size, MPI_CHAR, 1, DATA, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
  MPI_Recv(&acknowledgement, 1, MPI_CHAR, 1, ACKNOWLEDGEMENT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline void second(const struct work *work) {
  for (int i = 0; i < WINDOW; ++i) {
    MPI_Irecv(work->receive, work->size, MPI_CHAR, 0, DATA, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
  MPI_Send(&acknowledgement, 1, MPI_CHAR, 0, ACKNOWLEDGEMENT, MPI_COMM_WORLD);
}

static double measure(struct work work) { return measure_pair(work, first, second); }

int main(int argc, char **argv) { return reference_main(argc, argv, measure); }
