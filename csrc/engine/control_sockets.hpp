// What connections share: their options, and texts.
#pragma once

#include <string>

namespace fabricbench {

// Small frames go at once, and a host that has vanished is noticed after some seconds.
void prepare_socket(int socket);

// "127.0.0.1:47974", or "[::1]:47974".
std::string peer_of(int socket);
// 1.5 as "1.5", 30 as "30".
std::string seconds_text(double seconds);

}  // namespace fabricbench
