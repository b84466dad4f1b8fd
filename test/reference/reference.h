/* What the reference programs share. Each is plain C and MPI with nothing of fabricbench's in its timed loop but the
 * clock, so that `npm run bench:overhead` can say what TypeScript kernels cost above it. A program includes this file,
 * defines what one iteration does, measures by one of the two loops, and calls reference_main.
 *
 *   mpirun -np 2 build/reference/NAME SIZE ITERATIONS [WARMUP]    measures once and prints a row
 *   mpirun -np 2 build/reference/NAME --serve SOCKET              measures whatever scripts/bench asks for
 *
 * With CLOCK_AROUND defined timed_loop reads the clock before and after the loop only, and keeps no samples.
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

/* One measurement, as one rank of two sees it. */
struct work {
  int rank;
  int size; /* bytes per message, or as the kernel says */
  long iterations;
  long warmup;
  char *send; /* page-aligned, every page touched */
  char *receive;
  double *samples; /* seconds, one per iteration */
};

/* One iteration of a kernel. */
typedef void (*step)(const struct work *work);

/* Measures a kernel on one rank, with buffers of its own. Returns the seconds of all timed parts. Both ranks call it.
 */
typedef double (*measurement)(struct work work);

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

/* Allocates anew for each measurement, as fabricbench does for each row: the luck of page placement is drawn again. */
static void allocate(struct work *work, size_t send_bytes, size_t receive_bytes) {
  work->send = touched_pages(send_bytes);
  work->receive = touched_pages(receive_bytes);
  work->samples = touched_pages(sizeof(double) * (size_t)work->iterations);
}

static void release(const struct work *work) {
  free(work->samples);
  free(work->receive);
  free(work->send);
}

/* The ranks meet, warm up and go into the timed loop: n iterations take n + 1 reads of the clock, each ending one
 * sample and beginning the next. Returns the seconds of the whole loop. Inlined with `once` known, so that no call
 * stands between two reads but MPI's. */
ALWAYS_INLINE double timed_loop(const struct work *work, step once) {
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
  return fb_seconds(last - start);
}

/* The same with an untimed barrier after each iteration, which takes a read of the clock before and after each timed
 * part: so do the peer's collectives and ours. Returns the seconds of all timed parts. */
ALWAYS_INLINE double separate_loop(const struct work *work, step once) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (long i = 0; i < work->warmup; ++i) {
    once(work);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  uint64_t ticks = 0;
  for (long i = 0; i < work->iterations; ++i) {
    const uint64_t start = fb_ticks();
    once(work);
    const uint64_t took = fb_ticks() - start;
    ticks += took;
    MPI_Barrier(MPI_COMM_WORLD);
    work->samples[i] = fb_seconds(took);
  }
  return fb_seconds(ticks);
}

/* Measures a kernel of two ranks with a message's buffers each: `first` is one iteration on rank 0, `second` on rank 1.
 */
ALWAYS_INLINE double measure_pair(struct work work, step first, step second) {
  allocate(&work, (size_t)work.size, (size_t)work.size);
  const double seconds = work.rank == 0 ? timed_loop(&work, first) : timed_loop(&work, second);
  release(&work);
  return seconds;
}

/* Measures a collective with buffers of so many bytes: `once` is one iteration on every rank. */
ALWAYS_INLINE double measure_collective(struct work work, size_t send_bytes, size_t receive_bytes, step once) {
  allocate(&work, send_bytes, receive_bytes);
  const double seconds = separate_loop(&work, once);
  release(&work);
  return seconds;
}

/* A rank that goes on may still have to tell its peer that a long message was fetched. */
static double measure_together(struct work work, measurement measure) {
  const double seconds = measure(work);
  MPI_Barrier(MPI_COMM_WORLD);
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
static void serve(const char *path, int rank, measurement measure) {
  char line[256];
  struct work work = {.rank = rank};
  const int socket_fd = connected_socket(path);
  FILE *commands = fdopen(socket_fd, "r");
  if (commands == NULL) fail("The bench's socket can't be read.");
  dprintf(socket_fd, "%d %ld\n", rank, (long)getpid());
  while (fgets(line, sizeof line, commands) != NULL) {
    if (sscanf(line, "%d %ld %ld", &work.size, &work.iterations, &work.warmup) != 3) {
      fail("A command is SIZE ITERATIONS WARMUP.");
    }
    dprintf(socket_fd, "%.17g\n", measure_together(work, measure));
  }
  fclose(commands);
}

/* Measures once and prints the seconds per iteration on rank 0. */
static void measure_once(int argc, char **argv, int rank, measurement measure) {
  const struct work work = {
      .rank = rank,
      .size = atoi(argv[1]),
      .iterations = atol(argv[2]),
      .warmup = argc > 3 ? atol(argv[3]) : 0,
  };
  if (work.size < 0 || work.iterations < 1 || work.warmup < 0) {
    fail("SIZE and WARMUP are at least 0, ITERATIONS at least 1.");
  }
  const double seconds = measure_together(work, measure);
  if (rank == 0) printf("# Size    us/iteration\n%-10d%12.3f\n", work.size, seconds * 1e6 / (double)work.iterations);
}

/* The main program. */
static int reference_main(int argc, char **argv, measurement measure) {
  int rank, ranks;
  fb_clock_start();
  MPI_Init(&argc, &argv);
  fb_clock_calibrate();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) fail("Usage: NAME SIZE ITERATIONS [WARMUP], or NAME --serve SOCKET.");
  if (ranks != 2) fail("This program needs two ranks: start it by mpirun -np 2.");
  if (strcmp(argv[1], "--serve") == 0) {
    serve(argv[2], rank, measure);
  } else {
    measure_once(argc, argv, rank, measure);
  }
  MPI_Finalize();
  return 0;
}

#endif
