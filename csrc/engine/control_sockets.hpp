// Texts for control connections.
#pragma once

#include <string>

namespace fabricbench {

// "127.0.0.1:47974", or "[::1]:47974".
std::string peer_of(int socket);
// 1.5 as "1.5", 30 as "30".
std::string seconds_text(double seconds);

}  // namespace fabricbench
