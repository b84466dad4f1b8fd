/* What the reference programs share. Each is plain C and MPI with nothing of fabricbench's in its timed loop but the
 * clock, so that `npm run bench:overhead` can say what TypeScript kernels cost above it. A program includes this file,
 * defines what one iteration does on either rank, and calls reference_main.
 *
 *   mpirun -np 2 build/reference/NAME SIZE ITERATIONS [WARMUP]    measures once and prints a row
 *   mpirun -np 2 build/reference/NAME --serve SOCKET              measures whatever scripts/bench asks for
 *
 * With CLOCK_AROUND defined the clock is read before and after the loop only, and no samples are kept.
 */
#ifndef FABRICBENCH_REFERENCE_H
#define FABRICBENCH_REFERENCE_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/clock.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* One measurement, as one rank sees it. */
struct work {
  int size; /* bytes per message */
  long iterations;
  long warmup;
  char *send; /* `size` bytes each, page-aligned, every page touched */
  char *receive;
  double *samples; /* seconds, one per iteration */
};

/* One iteration of a kernel. */
typedef void (*exchange)(const struct work *work);

static void fail(const char *sentence) {
  fprintf(stderr, "%s\n", sentence);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

/* Page-aligned memory whose pages are all there: a page fault in the timed loop would count as communication. */
static void *touched_pages(size_t bytes) {
  void *memory = NULL;
  if (posix_memalign(&memory, 4096, bytes == 0 ? 1 : bytes) != 0) fail("There is not enough memory for the buffers.");
  memset(memory, 0, bytes);
  return memory;
}

/* The ranks meet, warm up and go into the timed loop: n iterations take n + 1 reads of the clock, each ending one
 * sample and beginning the next. Returns the seconds of the whole loop. Inlined with `once` known, so that no call
 * stands between two reads but MPI's. */
ALWAYS_INLINE double timed_loop(const struct work *work, exchange once) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (long i = 0; i < work->warmup; ++i) once(work);
  const uint64_t start = fb_ticks();
  uint64_t last = start;
#ifdef CLOCK_AROUND
  for (long i = 0; i < work->iterations; ++i) once(work);
  last = fb_ticks();
#else
  for (long i = 0; i < work->iterations; ++i) {
    once(work);
    const uint64_t now = fb_ticks();
    work->samples[i] = fb_seconds(now - last);
    last = now;
  }
#endif
  /* A rank that leaves MPI may still have to tell its peer that a long message was fetched. */
  MPI_Barrier(MPI_COMM_WORLD);
  return fb_seconds(last - start);
}

/* Allocates anew for each measurement, as fabricbench does for each row: the luck of page placement is drawn again. */
ALWAYS_INLINE double measure(int rank, int size, long iterations, long warmup, exchange first, exchange second) {
  struct work work = {.size = size, .iterations = iterations, .warmup = warmup};
  work.send = touched_pages((size_t)size);
  work.receive = touched_pages((size_t)size);
  work.samples = touched_pages(sizeof(double) * (size_t)iterations);
  const double seconds = rank == 0 ? timed_loop(&work, first) : timed_loop(&work, second);
  free(work.samples);
  free(work.receive);
  free(work.send);
  return seconds;
}

static int connected_socket(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int socket_fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (strlen(path) >= sizeof address.sun_path) fail("The path of the socket is too long.");
  strcpy(address.sun_path, path);
  if (socket_fd < 0 || connect(socket_fd, (struct sockaddr *)&address, sizeof address) != 0) {
    fail("The bench's socket can't be reached.");
  }
  return socket_fd;
}

/* Serves one line per measurement: "SIZE ITERATIONS WARMUP" in, seconds out. Between two it blocks in read(2), never in
 * MPI, so that it takes nothing from the jobs that are being measured. Ends when the socket is closed. */
ALWAYS_INLINE void serve(const char *path, int rank, exchange first, exchange second) {
  char line[256];
  int size;
  long iterations, warmup;
  const int socket_fd = connected_socket(path);
  FILE *commands = fdopen(socket_fd, "r");
  if (commands == NULL) fail("The bench's socket can't be read.");
  dprintf(socket_fd, "%d %ld\n", rank, (long)getpid());
  while (fgets(line, sizeof line, commands) != NULL) {
    if (sscanf(line, "%d %ld %ld", &size, &iterations, &warmup) != 3) fail("A command is SIZE ITERATIONS WARMUP.");
    dprintf(socket_fd, "%.17g\n", measure(rank, size, iterations, warmup, first, second));
  }
  fclose(commands);
}

/* Measures once and prints the seconds per iteration on rank 0. */
ALWAYS_INLINE void measure_once(int argc, char **argv, int rank, exchange first, exchange second) {
  const int size = atoi(argv[1]);
  const long iterations = atol(argv[2]);
  const long warmup = argc > 3 ? atol(argv[3]) : 0;
  if (size < 0 || iterations < 1 || warmup < 0) fail("SIZE and WARMUP are at least 0, ITERATIONS at least 1.");
  const double seconds = measure(rank, size, iterations, warmup, first, second);
  if (rank == 0) printf("# Size    us/iteration\n%-10d%12.3f\n", size, seconds * 1e6 / (double)iterations);
}

/* The main program: `first` is one iteration on rank 0, `second` on rank 1. */
ALWAYS_INLINE int reference_main(int argc, char **argv, exchange first, exchange second) {
  int rank, ranks;
  fb_clock_start();
  MPI_Init(&argc, &argv);
  fb_clock_calibrate();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) fail("Usage: NAME SIZE ITERATIONS [WARMUP], or NAME --serve SOCKET.");
  if (ranks != 2) fail("This program needs two ranks: start it by mpirun -np 2.");
  if (strcmp(argv[1], "--serve") == 0) {
    serve(argv[2], rank, first, second);
  } else {
    measure_once(argc, argv, rank, first, second);
  }
  MPI_Finalize();
  return 0;
}

#endif
