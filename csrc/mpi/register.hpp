// The parts of the module, each of which registers its own functions.
#pragma once

#include "call.hpp"

namespace fabricbench::mpi {

void register_environment(Registry &registry);
void register_communicators(Registry &registry);
void register_groups(Registry &registry);
void register_datatypes(Registry &registry);
void register_constants(Registry &registry);
void register_point_to_point(Registry &registry);
void register_completion(Registry &registry);
void register_collectives(Registry &registry);
void register_windows(Registry &registry);
void register_one_sided(Registry &registry);
void register_persistent_collectives(Registry &registry);
void register_topology(Registry &registry);
void register_neighborhood(Registry &registry);
void register_sessions(Registry &registry);
void register_selection(Registry &registry);

}  // namespace fabricbench::mpi
