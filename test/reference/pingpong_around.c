/* pingpong.c with the clock read only around the loop: what stamping each iteration costs is the difference. */
#define CLOCK_AROUND
#include "pingpong.c"
