// Which parts of MPI-4 the MPI at hand has. MPI_VERSION alone doesn't tell: Open MPI 5's mpi.h says 3, and has sessions
// and persistent collectives under MPI-4's names, but not the calls with wide counts.
#pragma once

#include <mpi.h>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define FB_HAS_SESSIONS 1                // MPI_Session_init and its kin
#define FB_HAS_PERSISTENT_COLLECTIVES 1  // MPI_Barrier_init and its kin
#else
#define FB_HAS_SESSIONS 0
#define FB_HAS_PERSISTENT_COLLECTIVES 0
#endif

#if MPI_VERSION >= 4
#define FB_HAS_WIDE_COUNTS 1  // MPI_Send_c and its kin
#else
#define FB_HAS_WIDE_COUNTS 0
#endif

// Classes of errors are macros in Open MPI, and may be an enum elsewhere.
#if MPI_VERSION >= 4 || (defined(MPI_ERR_SESSION) && defined(MPI_ERR_VALUE_TOO_LARGE) && defined(MPI_ERR_PROC_ABORTED))
#define FB_HAS_MPI4_ERRORS 1
#else
#define FB_HAS_MPI4_ERRORS 0
#endif
