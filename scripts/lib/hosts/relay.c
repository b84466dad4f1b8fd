/*
 * A cable that is slow or loses frames, for kernels without netem:
 *
 *     relay PORT TAP DELAY_US LOSS_PPM
 *
 * PORT is the switch's end of a host's cable, taken off the bridge; TAP is made here, for the bridge in its place.
 * Frames from PORT are held for DELAY_US or, LOSS_PPM of a million, dropped; those from TAP pass at once. Frames come
 * and go with the header of virtio, so that bundles and checksums that the kernel has left open stay as they are.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

enum { kLongest = 65536 + 64, kFrames = 1 << 16, kFramesInTurn = 64 };
/* As a switch's memory: what comes when it is full is lost. */
static const size_t kMostBytes = (size_t)256 << 20;
static const uint64_t kSecond = 1000000000u;

struct frame {
  uint64_t due;
  size_t length;
  unsigned char *bytes;
};

struct line {
  struct frame frames[kFrames];
  unsigned first;
  unsigned count;
  size_t bytes;
};

static struct line held;

static void check(int result, const char *what) {
  if (result >= 0) return;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * kSecond + (uint64_t)time.tv_nsec;
}

/* What this end of the cable receives; not what we send there ourselves. */
static int open_port(const char *name) {
  int port = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, 0);
  check(port, "a packet socket");
  const int on = 1, room = 32 << 20;
  check(setsockopt(port, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on), "PACKET_IGNORE_OUTGOING");
  check(setsockopt(port, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on), "PACKET_VNET_HDR");
  check(setsockopt(port, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room), "SO_RCVBUFFORCE");
  check(setsockopt(port, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof room), "SO_SNDBUFFORCE");
  struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = __builtin_bswap16(ETH_P_ALL)};
  address.sll_ifindex = (int)if_nametoindex(name);
  check(bind(port, (struct sockaddr *)&address, sizeof address), name);
  struct packet_mreq all = {.mr_ifindex = address.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
  check(setsockopt(port, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all), "PACKET_ADD_MEMBERSHIP");
  return port;
}

static int open_tap(const char *name) {
  int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  check(tap, "/dev/net/tun");
  struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
  strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  check(ioctl(tap, TUNSETIFF, &request), name);
  check(ioctl(tap, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4), "TUNSETOFFLOAD");
  const int header = sizeof(struct virtio_net_hdr);
  check(ioctl(tap, TUNSETVNETHDRSZ, &header), "TUNSETVNETHDRSZ");
  return tap;
}

/* Held frames wait for the processor as little as the kernel allows: benchmarks poll on all the others. */
static void hurry(void) {
  const struct sched_param first = {.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) setpriority(PRIO_PROCESS, 0, -20);
  prctl(PR_SET_TIMERSLACK, 1);
}

/* A frame that can't be written is lost, as on a real cable: its link is down, or a queue is full. */
static void pass(int to, const unsigned char *bytes, size_t length) {
  if (write(to, bytes, length) < 0) return;
}

static uint64_t random_state;

/* xorshift64*: whether a chance of so many in a million comes true. */
static int happens(uint64_t ppm) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return ((random_state * UINT64_C(2685821657736338717)) >> 33) % 1000000 < ppm;
}

static void hold(const unsigned char *bytes, size_t length, uint64_t due) {
  if (held.count == kFrames || held.bytes + length > kMostBytes) return;
  unsigned char *copy = malloc(length);
  if (copy == NULL) return;
  memcpy(copy, bytes, length);
  held.frames[(held.first + held.count++) % kFrames] = (struct frame){due, length, copy};
  held.bytes += length;
}

/* Passes on what is due, and returns the nanoseconds until the next one is; -1 where nothing is held. */
static int64_t release(int to) {
  while (held.count > 0) {
    const struct frame frame = held.frames[held.first];
    const uint64_t time = now();
    if (frame.due > time) return (int64_t)(frame.due - time);
    pass(to, frame.bytes, frame.length);
    free(frame.bytes);
    held.bytes -= frame.length;
    held.first = (held.first + 1) % kFrames;
    held.count--;
  }
  return -1;
}

static unsigned char buffer[kLongest];

static void from_host(int port, int tap, uint64_t delay, uint64_t loss) {
  for (int turn = 0; turn < kFramesInTurn; turn++) {
    const ssize_t length = read(port, buffer, sizeof buffer);
    if (length <= 0) return;
    if (happens(loss)) continue;
    if (delay == 0)
      pass(tap, buffer, (size_t)length);
    else
      hold(buffer, (size_t)length, now() + delay);
  }
}

static void from_switch(int tap, int port) {
  for (int turn = 0; turn < kFramesInTurn; turn++) {
    const ssize_t length = read(tap, buffer, sizeof buffer);
    if (length <= 0) return;
    pass(port, buffer, (size_t)length);
  }
}

int main(int count, char **words) {
  if (count != 5) {
    fprintf(stderr, "usage: relay PORT TAP DELAY_US LOSS_PPM\n");
    return 2;
  }
  /* What the caller has open, such as a lock, must not stay so for as long as this runs. */
  for (int other = 3; other < 1024; other++) close(other);
  const uint64_t delay = strtoull(words[3], NULL, 10) * 1000, loss = strtoull(words[4], NULL, 10);
  const int port = open_port(words[1]), tap = open_tap(words[2]);
  random_state = now() | 1;
  hurry();
  printf("ready\n");
  fclose(stdout);
  close(STDIN_FILENO);
  struct pollfd waits[] = {{port, POLLIN, 0}, {tap, POLLIN, 0}};
  for (;;) {
    const int64_t left = release(tap);
    const struct timespec time = {(time_t)(left / (int64_t)kSecond), (long)(left % (int64_t)kSecond)};
    if (ppoll(waits, 2, left < 0 ? NULL : &time, NULL) < 0 && errno != EINTR) check(-1, "ppoll");
    if (waits[0].revents) from_host(port, tap, delay, loss);
    if (waits[1].revents) from_switch(tap, port);
  }
}
