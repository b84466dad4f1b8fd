/* One message there and one back, by requests that were made once. */
#include "reference.h"

static MPI_Request sending, receiving;

static inline void run(MPI_Request *request) {
  MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static inline void first(const struct work *work) {
  (void)work;
  run(&sending);
  run(&receiving);
}

static inline void second(const struct work *work) {
  (void)work;
  run(&receiving);
  run(&sending);
}

static double measure(struct work work) {
  const int peer = 1 - work.rank;
  allocate(&work, (size_t)work.size, (size_t)work.size);
  MPI_Send_init(work.send, work.size, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &sending);
  MPI_Recv_init(work.receive, work.size, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &receiving);
  const double seconds = work.rank == 0 ? timed_loop(&work, first) : timed_loop(&work, second);
  MPI_Request_free(&receiving);
  MPI_Request_free(&sending);
  release(&work);
  return seconds;
}

int main(int argc, char **argv) { return reference_main(argc, argv, measure); }
