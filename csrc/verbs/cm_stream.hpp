// A stream of bytes over SENDs of a connection by librdmacm. No JavaScript in here.
//
// A native thread carries bytes between the queue pair and a local socket, whose other end is the caller's: the
// engine's control connection takes it as any other, with all that it does when a peer ends or dies.
#pragma once

#include <memory>
#include <string>

#include "verbs/cm.hpp"

namespace fabricbench::verbs {

// The caller's end of a stream, which he closes.
struct CmSocket {
  int fd = -1;
  std::string peer;
};

// What a client or a server does with a resolved or an accepted identifier. Throws CmFailure.
CmSocket connect_stream(std::shared_ptr<Cm> cm, double seconds);
CmSocket accept_stream(std::shared_ptr<Cm> cm, double seconds);

// Ends all streams: they are given a second to say goodbye. For the end of the process.
void end_streams();

}  // namespace fabricbench::verbs
