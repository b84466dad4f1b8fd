{
  # One addon per stack: a missing library never breaks another. scripts/build-native.mjs decides which stacks are built
  # and with what, and builds each in a folder of its own (build/native/NAME); to build one by hand name it there.
  "variables": {
    "openssl_fips": "",
    "stack%": "engine",
    "mpi_family%": "none",
    "mpi_cflags%": "",
    "mpi_libs%": "",
    "ucx_cflags%": "",
    "ucx_libs%": "",
    "verbs_cflags%": "",
    "verbs_libs%": "",
    "papi_cflags%": "",
    "papi_libs%": "",
    "hwloc_cflags%": "",
    "hwloc_libs%": ""
  },
  "target_defaults": {
    "include_dirs": ["<!(node -p \"require('node-addon-api').include_dir\")", "csrc"],
    "defines": ["NAPI_VERSION=9", "NODE_ADDON_API_DISABLE_DEPRECATED"],
    "cflags": ["-O3", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fvisibility=hidden", "-fno-plt"],
    "cflags_cc": ["-std=c++17", "-fno-rtti"],
    "cflags_cc!": ["-fno-exceptions", "-std=gnu++17"],
    "libraries": ["-lpthread"]
  },
  "conditions": [
    ["stack=='engine'", {
      "targets": [{ "target_name": "engine", "sources": ["<!@(find csrc/engine -name '*.cc' | sort)"] }]
    }],
    ["stack=='mpi'", {
      "targets": [{
        "target_name": "mpi-<(mpi_family)",
        "sources": ["<!@(find csrc/mpi -name '*.cc' | sort)"],
        "defines": ["OMPI_SKIP_MPICXX=1", "MPICH_SKIP_MPICXX=1", "FABRICBENCH_MPI_FAMILY=\"<(mpi_family)\""],
        "cflags": ["<@(mpi_cflags)"],
        "libraries": ["<@(mpi_libs)", "-ldl"]
      }]
    }],
    ["stack=='ucx'", {
      "targets": [{
        "target_name": "ucx",
        "sources": ["<!@(find csrc/ucx -name '*.cc' | sort)"],
        "cflags": ["<@(ucx_cflags)"],
        "libraries": ["<@(ucx_libs)"]
      }]
    }],
    ["stack=='verbs'", {
      "targets": [{
        "target_name": "verbs",
        "sources": ["<!@(find csrc/verbs -name '*.cc' | sort)"],
        "cflags": ["<@(verbs_cflags)"],
        "libraries": ["<@(verbs_libs)", "-ldl"]
      }]
    }],
    ["stack=='papi'", {
      "targets": [{
        "target_name": "papi",
        "sources": ["<!@(find csrc/papi -name '*.cc' | sort)"],
        "cflags": ["<@(papi_cflags)"],
        "libraries": ["<@(papi_libs)"]
      }]
    }],
    ["stack=='topology'", {
      "targets": [{
        "target_name": "topology",
        "sources": ["<!@(find csrc/topology -name '*.cc' | sort)"],
        "cflags": ["<@(hwloc_cflags)"],
        "libraries": ["<@(hwloc_libs)"]
      }]
    }],
    # Operations that only the tests use: they corrupt bytes, fail on purpose, count.
    ["stack=='test'", {
      "targets": [{ "target_name": "test_operations", "sources": ["<!@(find test/native/addon -name '*.cc' | sort)"] }]
    }],
    # No addons, but libraries that tests preload into ranks, and benches into the peer.
    ["stack=='touch_buffers'", {
      "targets": [{
        "target_name": "touch_buffers",
        "sources": ["test/reference/preload/touch_buffers.cc"],
        "cflags": ["<@(ucx_cflags)"],
        "libraries": ["-ldl"]
      }]
    }],
    # The operations of verbs over a device that is memory of the test's: no libibverbs, but its headers.
    ["stack=='verbs_mock'", {
      "targets": [{
        "target_name": "verbs_mock",
        "sources": [
          "<!@(find csrc/verbs -name 'operations*.cc' -o -name 'channel*.cc' | sort)",
          "csrc/verbs/objects.cc",
          "csrc/verbs/verbs.cc",
          "<!@(find test/native/verbs-mock -name '*.cc' | sort)"
        ],
        "cflags": ["<@(verbs_cflags)"]
      }]
    }],
    ["stack=='give_way'", {
      "targets": [{ "target_name": "give_way", "sources": ["test/launch/preload/give_way.cc"], "libraries": ["-ldl"] }]
    }],
    ["stack=='jumping_clock'", {
      "targets": [{ "target_name": "jumping_clock", "sources": ["test/launch/jumping-clock/jumping_clock.cc"], "libraries": ["-ldl"] }]
    }]
  ]
}
