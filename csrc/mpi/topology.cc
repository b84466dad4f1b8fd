// Communicators with a process topology. Creating them is collective and never timed: plain functions. The arrays'
// lengths are MPI's numbers of dimensions, sources and destinations.
#include "topology.hpp"

#include <numeric>

#include "register.hpp"

namespace fabricbench::mpi {
namespace {

template <class Values>
Napi::Array to_array(Napi::Env env, const Values &values) {
  auto array = Napi::Array::New(env, values.size());
  for (size_t i = 0; i < values.size(); ++i) array.Set(static_cast<uint32_t>(i), Napi::Number::New(env, values[i]));
  return array;
}

size_t dimensions(const Arguments &a, MPI_Comm comm) {
  int count = 0;
  check(a.env(), a.call(), MPI_Cartdim_get(comm, &count));
  return static_cast<size_t>(count);
}

void require_same_length(const Arguments &a, size_t length, size_t other, const char *name, const char *other_name) {
  if (length != other) a.refuse_range(std::string(name) + " must be as long as " + other_name);
}

// (comm, dims, periods, reorder): COMM_NULL for ranks that have no place in the grid.
Napi::Value cart_create(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Cart_create", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const std::vector<int> dims = a.integers("dims"), periods = a.booleans("periods");
  const bool reorder = a.boolean("reorder");
  a.done();
  require_same_length(a, periods.size(), dims.size(), "periods", "dims");
  MPI_Comm made = MPI_COMM_NULL;
  const int count = static_cast<int>(dims.size());
  check(a.env(), a.call(), MPI_Cart_create(comm, count, dims.data(), periods.data(), reorder, &made));
  return make_comm(a.env(), made, a.life());
}

Napi::Value cartdim_get(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Cartdim_get", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  return Napi::Number::New(a.env(), static_cast<double>(dimensions(a, comm)));
}

// {dims, periods, coords}
Napi::Value cart_get(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Cart_get", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  const size_t count = dimensions(a, comm);
  std::vector<int> dims(count), periods(count), coords(count);
  const int code = MPI_Cart_get(comm, static_cast<int>(count), dims.data(), periods.data(), coords.data());
  check(a.env(), a.call(), code);
  auto flags = Napi::Array::New(a.env(), count);
  for (size_t i = 0; i < count; ++i) {
    flags.Set(static_cast<uint32_t>(i), Napi::Boolean::New(a.env(), periods[i] != 0));
  }
  auto result = Napi::Object::New(a.env());
  result.Set("dims", to_array(a.env(), dims));
  result.Set("periods", flags);
  result.Set("coords", to_array(a.env(), coords));
  return result;
}

// (comm, rank)
Napi::Value cart_coords(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Cart_coords", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const int rank = a.integer("rank");
  a.done();
  std::vector<int> coords(dimensions(a, comm));
  check(a.env(), a.call(), MPI_Cart_coords(comm, rank, static_cast<int>(coords.size()), coords.data()));
  return to_array(a.env(), coords);
}

// (comm, coords)
Napi::Value cart_rank(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Cart_rank", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const std::vector<int> coords = a.integers("coords");
  a.done();
  const size_t count = dimensions(a, comm);
  if (coords.size() != count) {
    a.refuse_range("coords must hold one number for each of the " + std::to_string(count) + " dimensions, not " +
                   std::to_string(coords.size()));
  }
  int rank = 0;
  check(a.env(), a.call(), MPI_Cart_rank(comm, coords.data(), &rank));
  return Napi::Number::New(a.env(), rank);
}

// (comm, direction, disp): {source, dest}, PROC_NULL beyond an edge
Napi::Value cart_shift(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Cart_shift", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const int direction = a.integer("direction"), displacement = a.integer("disp");
  a.done();
  int source = MPI_PROC_NULL, destination = MPI_PROC_NULL;
  check(a.env(), a.call(), MPI_Cart_shift(comm, direction, displacement, &source, &destination));
  auto result = Napi::Object::New(a.env());
  result.Set("source", source);
  result.Set("dest", destination);
  return result;
}

// (nnodes, dims): dims with MPI's choice in place of each 0
Napi::Value dims_create(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Dims_create", Form::kImmediate);
  const int nodes = a.integer("nnodes");
  std::vector<int> dims = a.integers("dims");
  a.done();
  check(a.env(), a.call(), MPI_Dims_create(nodes, static_cast<int>(dims.size()), dims.data()));
  return to_array(a.env(), dims);
}

Napi::Value topo_test(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Topo_test", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  int kind = MPI_UNDEFINED;
  check(a.env(), a.call(), MPI_Topo_test(comm, &kind));
  return Napi::Number::New(a.env(), kind);
}

// Weights of edges: an array, or null for MPI_UNWEIGHTED.
struct Weights {
  bool given;
  std::vector<int> values;
  Weights(Arguments &a, const char *name) : given(!a.skip_null()) {
    if (given) values = a.integers(name);
  }
  void require_length(const Arguments &a, size_t length, const char *name, const char *other_name) const {
    if (given) require_same_length(a, values.size(), length, name, other_name);
  }
  const int *address() const {
    if (!given) return MPI_UNWEIGHTED;
    return values.empty() ? MPI_WEIGHTS_EMPTY : values.data();
  }
};

void require_ranks(const Arguments &a, const std::vector<int> &ranks, const char *name) {
  const int size = a.size();
  for (const int rank : ranks) {
    if (rank >= 0 && rank < size) continue;
    a.refuse_range(std::string(name) + " must hold ranks from 0 to " + std::to_string(size - 1) + ", got " +
                   std::to_string(rank));
  }
}

// (comm, sources, sourceweights, destinations, destweights, reorder)
Napi::Value dist_graph_create_adjacent(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Dist_graph_create_adjacent", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const std::vector<int> sources = a.integers("sources");
  const Weights source_weights(a, "sourceweights");
  const std::vector<int> destinations = a.integers("destinations");
  const Weights destination_weights(a, "destweights");
  const bool reorder = a.boolean("reorder");
  a.done();
  require_ranks(a, sources, "sources");
  require_ranks(a, destinations, "destinations");
  source_weights.require_length(a, sources.size(), "sourceweights", "sources");
  destination_weights.require_length(a, destinations.size(), "destweights", "destinations");
  MPI_Comm made = MPI_COMM_NULL;
  const int code =
      MPI_Dist_graph_create_adjacent(comm, static_cast<int>(sources.size()), sources.data(), source_weights.address(),
                                     static_cast<int>(destinations.size()), destinations.data(),
                                     destination_weights.address(), MPI_INFO_NULL, reorder, &made);
  check(a.env(), a.call(), code);
  return make_comm(a.env(), made, a.life());
}

// (comm, sources, degrees, destinations, weights, reorder)
Napi::Value dist_graph_create(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Dist_graph_create", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  const std::vector<int> sources = a.integers("sources"), degrees = a.integers("degrees");
  const std::vector<int> destinations = a.integers("destinations");
  const Weights weights(a, "weights");
  const bool reorder = a.boolean("reorder");
  a.done();
  require_ranks(a, sources, "sources");
  require_ranks(a, destinations, "destinations");
  require_same_length(a, degrees.size(), sources.size(), "degrees", "sources");
  for (const int degree : degrees) {
    if (degree < 0) a.refuse_range("degrees must not be negative, got " + std::to_string(degree));
  }
  const int64_t edges = std::accumulate(degrees.begin(), degrees.end(), int64_t{0});
  if (edges != static_cast<int64_t>(destinations.size())) {
    a.refuse_range("destinations must hold as many ranks as degrees say, which is " + std::to_string(edges) + ", not " +
                   std::to_string(destinations.size()));
  }
  weights.require_length(a, destinations.size(), "weights", "destinations");
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Dist_graph_create(comm, static_cast<int>(sources.size()), sources.data(), degrees.data(),
                                         destinations.data(), weights.address(), MPI_INFO_NULL, reorder, &made);
  check(a.env(), a.call(), code);
  return make_comm(a.env(), made, a.life());
}

struct Neighbors {
  int in = 0, out = 0, weighted = 0;
  Neighbors(const Arguments &a, MPI_Comm comm) {
    check(a.env(), a.call(), MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted));
  }
};

// {indegree, outdegree, weighted}
Napi::Value dist_graph_neighbors_count(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Dist_graph_neighbors_count", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  const Neighbors neighbors(a, comm);
  auto result = Napi::Object::New(a.env());
  result.Set("indegree", neighbors.in);
  result.Set("outdegree", neighbors.out);
  result.Set("weighted", neighbors.weighted != 0);
  return result;
}

// {sources, sourceweights, destinations, destweights}; weights are null where there are none.
Napi::Value dist_graph_neighbors(const Napi::CallbackInfo &info) {
  Arguments a(info, "MPI_Dist_graph_neighbors", Form::kImmediate);
  const MPI_Comm comm = a.comm();
  a.done();
  const Neighbors n(a, comm);
  const auto in = static_cast<size_t>(n.in), out = static_cast<size_t>(n.out);
  // One more than needed, so that each has an address.
  std::vector<int> sources(in + 1), source_weights(in + 1), destinations(out + 1), destination_weights(out + 1);
  const int code =
      MPI_Dist_graph_neighbors(comm, n.in, sources.data(), n.weighted ? source_weights.data() : MPI_UNWEIGHTED, n.out,
                               destinations.data(), n.weighted ? destination_weights.data() : MPI_UNWEIGHTED);
  check(a.env(), a.call(), code);
  for (auto *values : {&sources, &source_weights, &destinations, &destination_weights}) values->pop_back();
  const auto weights = [&](const std::vector<int> &values) {
    return n.weighted ? Napi::Value(to_array(a.env(), values)) : Napi::Value(a.env().Null());
  };
  auto result = Napi::Object::New(a.env());
  result.Set("sources", to_array(a.env(), sources));
  result.Set("sourceweights", weights(source_weights));
  result.Set("destinations", to_array(a.env(), destinations));
  result.Set("destweights", weights(destination_weights));
  return result;
}

}  // namespace

Degrees degrees_of(const Arguments &a, MPI_Comm comm) {
  int kind = MPI_UNDEFINED, count = 0;
  check(a.env(), a.call(), MPI_Topo_test(comm, &kind));
  if (kind == MPI_CART) {
    count = 2 * static_cast<int>(dimensions(a, comm));
    return {count, count};
  }
  if (kind == MPI_GRAPH) {
    check(a.env(), a.call(), MPI_Graph_neighbors_count(comm, a.rank(), &count));
    return {count, count};
  }
  if (kind != MPI_DIST_GRAPH) fail(a.env(), a.call(), MPI_ERR_TOPOLOGY, "comm has no process topology: ");
  const Neighbors neighbors(a, comm);
  return {neighbors.in, neighbors.out};
}

void register_topology(Registry &r) {
  r.function<cart_create>("Cart_create");
  r.function<cartdim_get>("Cartdim_get");
  r.function<cart_get>("Cart_get");
  r.function<cart_coords>("Cart_coords");
  r.function<cart_rank>("Cart_rank");
  r.function<cart_shift>("Cart_shift");
  r.function<dims_create>("Dims_create");
  r.function<topo_test>("Topo_test");
  r.function<dist_graph_create_adjacent>("Dist_graph_create_adjacent");
  r.function<dist_graph_create>("Dist_graph_create");
  r.function<dist_graph_neighbors_count>("Dist_graph_neighbors_count");
  r.function<dist_graph_neighbors>("Dist_graph_neighbors");
}

}  // namespace fabricbench::mpi
