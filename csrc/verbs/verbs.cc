// Errors of calls and completions in words, with what most likely helps.
#include "verbs/verbs.hpp"

#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace fabricbench::verbs {
namespace {

// What a completion's status most likely comes from, or null.
const char *likely_mend(int status) {
  switch (status) {
    case IBV_WC_LOC_LEN_ERR:
      return "the message is longer than its receive (which for UD needs 40 bytes more) or than the queue pair can "
             "send "
             "(UD: one MTU): use longer receives or shorter messages";
    case IBV_WC_LOC_QP_OP_ERR:
      return "the work request does not fit its queue pair (call, inline size, address handle), or the link is down";
    case IBV_WC_LOC_PROT_ERR:
      return "the local memory lies outside its region, or the region was deregistered, is of another protection "
             "domain or lacks LOCAL_WRITE";
    case IBV_WC_WR_FLUSH_ERR:
      return "the queue pair was in its error state before this work request's turn: the first failed completion, the "
             "other side or an asynchronous event says why";
    case IBV_WC_MW_BIND_ERR:
      return "the memory window could not be bound: check the rights of its region";
    case IBV_WC_BAD_RESP_ERR:
      return "the other side's answer makes no sense: check that both queue pairs are connected to each other";
    case IBV_WC_LOC_ACCESS_ERR:
      return "the region of the receive lacks LOCAL_WRITE";
    case IBV_WC_REM_INV_REQ_ERR:
      return "the other side finds the request invalid: its receive is too short, its queue pair doesn't take this "
             "kind "
             "of call, or more reads and atomics were outstanding than its maxDestRdAtomic allows";
    case IBV_WC_REM_ACCESS_ERR:
      return "the other side's region does not allow it: check rkey, address and length, and that it has REMOTE_WRITE, "
             "REMOTE_READ or REMOTE_ATOMIC";
    case IBV_WC_REM_OP_ERR:
      return "the other side could not complete the request: its own completions say why";
    case IBV_WC_RETRY_EXC_ERR:
      return "the other side does not answer: it has ended, its queue pair is in error, or packets don't get there "
             "(link "
             "down, wrong GID index or LID, too large an MTU, a firewall on UDP port 4791)";
    case IBV_WC_RNR_RETRY_EXC_ERR:
      return "the other side has no receive posted: post more there, or use a greater rnrRetry (7 is for ever)";
    case IBV_WC_REM_INV_RD_REQ_ERR:
      return "the two ends of a reliable datagram don't belong together";
    case IBV_WC_REM_ABORT_ERR:
      return "the other side has given up the request: it says why";
    case IBV_WC_FATAL_ERR:
      return "the device itself has failed: see the kernel's log";
    case IBV_WC_RESP_TIMEOUT_ERR:
      return "the other side's answer took too long: use a greater timeout";
    case IBV_WC_GENERAL_ERR:
      return "the transport itself has failed: see the kernel's log and the device's vendor";
    default:
      return nullptr;
  }
}

// What a call's errno most likely comes from, or null.
const char *likely_mend_of_errno(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
      return "this user may not use the device: check the rights of /dev/infiniband";
    case ENODEV:
    case EIO:
      return "the device has gone or has failed: see the kernel's log";
    default:
      return nullptr;
  }
}

std::string text_of_errno(int code) {
  char text[256];
  return strerror_r(code, text, sizeof text);
}

void print(char *text, size_t length, const std::string &what, const char *mend) {
  if (mend == nullptr) {
    snprintf(text, length, "%s", what.c_str());
  } else {
    snprintf(text, length, "%s: %s", what.c_str(), mend);
  }
}

}  // namespace

void throw_errno(Napi::Env env, const char *call, int code, const char *mend) {
  char text[kTextLength];
  print(text, sizeof text, text_of_errno(code), mend != nullptr ? mend : likely_mend_of_errno(code));
  Operation failed;
  init_operation(&failed, kStack, call, 0);
  throw Napi::Error(env, operation_error(env, &failed, code, text, nullptr));
}

void describe_code(Operation *, int32_t code, char *text, size_t length) {
  if (code < kWcStatus) return print(text, length, text_of_errno(code), likely_mend_of_errno(code));
  const int status = code - kWcStatus;
  print(text, length, ibv_wc_status_str(static_cast<ibv_wc_status>(status)), likely_mend(status));
}

}  // namespace fabricbench::verbs
