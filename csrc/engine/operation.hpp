// The operation ABI, version 1: the one struct that every addon hands to the engine's executor.
//
// Plain C layout on purpose: an operation built in mpi.node runs inside engine.node, and the two share nothing but
// this header. The executor compares `version` and `size` before an operation's first use.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace fabricbench {

constexpr uint32_t kOperationVersion = 1;

// Set by a stack whose operations may run on a thread other than the one that built them (for MPI: it was
// initialised with MPI_THREAD_MULTIPLE). The engine refuses to run others on several threads.
constexpr uint32_t kOperationAnyThread = 1u << 0;

struct Operation;
struct BufferHandle;

// What an execution sees. One per program and thread; one more, the engine's, for calls from JavaScript.
struct Context {
  uint64_t iteration;         // counts every iteration of this run from 0, warm-up included
  uint32_t thread;            // index of the program within the run
  uint32_t turns;             // of waiting, for give_way
  const uint32_t *cancelled;  // not 0 once the run is to end; whatever spins or retries must poll it
  // What executes now, null between runs: what the watchdog names, and whose failure it is when an execution fails. An
  // operation that runs others puts the one that it runs here.
  const Operation *current;
};

inline bool is_cancelled(const Context *context) { return __atomic_load_n(context->cancelled, __ATOMIC_RELAXED) != 0; }

// To be called in each turn of a wait that makes progress by itself: lets others have the processor now and then,
// without whom ranks that share a core would wait out the scheduler's time slices.
inline void give_way(Context *context) {
  constexpr uint32_t kTurns = 4096;
  if (__builtin_expect(++context->turns % kTurns == 0, 0)) sched_yield();
}

// Any operation that gives up because `cancelled` was set returns this.
constexpr int32_t kOperationCancelled = INT32_MIN;

// What a test returns while that which it looks for isn't there. `until` goes on then; for all others it is a failure.
constexpr int32_t kOperationPending = INT32_MIN + 1;

// The one word of the process that ends all runs. It belongs to the engine (cancel.hpp), which tells every addon where
// it is, so that operations called from JavaScript see it too.
struct CancelWord {
  uint32_t cancelled;  // what Context::cancelled points to
  uint32_t reserved;
  const char *reason;  // null while not cancelled; a text lives on for ever
};

struct Operation {
  uint32_t version;
  uint32_t size;   // sizeof(Operation), so that a longer later version is recognised
  uint32_t flags;  // kOperation...
  uint32_t reserved;
  const char *name;   // the field's name, e.g. "MPI_Isend"; lives as long as the operation
  const char *stack;  // "engine", "mpi", ...: whose codes `execute` returns

  // Runs the communication once. 0 is success, any other value is the stack's own code.
  int32_t (*execute)(Operation *self, Context *context);
  // Called after warm-up: forget what warm-up left behind (counters, not traffic). May be null.
  void (*reset)(Operation *self);
  // Puts a code that execute returned into words, at most `length` bytes with the final 0.
  void (*describe)(Operation *self, int32_t code, char *text, size_t length);
  // Frees the operation. Called once, on the JavaScript thread, never while it executes.
  void (*destroy)(Operation *self);

  // The rest belongs to operation_js.hpp: wrap_operation sets it, and an operation's own code leaves it alone.
  Context *context;        // what the JavaScript function executes with
  BufferHandle **buffers;  // engine buffers it uses, from malloc
  uint32_t buffer_count;
  uint32_t users;     // runs and operations that hold this one; it is neither released nor destroyed while not 0
  uint32_t released;  // let go of its buffers: it can't execute any more
  uint32_t orphaned;  // its function is gone: the last user destroys it
};

// What an EngineBuffer object wraps: memory that several addons may read and write. JavaScript thread only.
constexpr uint32_t kBufferVersion = 1;
struct BufferHandle {
  uint32_t version;
  uint32_t size;
  void *data;  // null once freed
  size_t byte_length;
  uint32_t users;       // operations that hold it; it can't be freed while this is not 0
  uint32_t references;  // the object, its views and its users; `destroy` runs when the last one goes
  void (*destroy)(BufferHandle *self);
};

inline void hold_operation(Operation *operation) { ++operation->users; }

// Takes back one hold_operation. The operation may be gone afterwards.
inline void release_operation(Operation *operation) {
  if (--operation->users == 0 && operation->orphaned != 0) operation->destroy(operation);
}

inline void hold_buffer(BufferHandle *buffer) { ++buffer->references; }

// Takes back one hold_buffer. Memory and handle may be gone afterwards.
inline void release_buffer(BufferHandle *buffer) {
  if (--buffer->references == 0) buffer->destroy(buffer);
}

}  // namespace fabricbench
