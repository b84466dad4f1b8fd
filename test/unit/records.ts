/** Parts of records for tests. */
import type { Statistics } from '../../src/bench/measure/types.js';
import type { RunHead } from '../../src/report/types.js';
import type { RowRecord, RunRecord } from '../../src/results/types.js';

export const exampleStatistics: Statistics = {
  n: 1000,
  min: 0.1e-6,
  max: 2e-6,
  median: 0.5e-6,
  mean: 0.51e-6,
  sd: 0.25e-6,
  p90: 0.9e-6,
  p99: 0.99e-6,
  percentiles: [],
  medianInterval: { low: 0.48e-6, high: 0.52e-6, level: 0.95 },
  outliers: 3,
  tail: 'high',
  source: 'samples',
};

export function exampleHead(run: Partial<RunRecord> = {}): RunHead {
  return {
    run: {
      name: 'osu_latency',
      version: '0.1.0',
      layer: 'mpi',
      engine: 'native',
      options: { window: 64, ddt: null },
      commandLine: ['node', 'dist/osu_latency.js', '-i', '5'],
      started: '2026-01-02T03:04:05.678Z',
      ended: null,
      ...run,
    },
    environment: {
      hosts: [
        {
          name: 'node1',
          cpuModel: 'A processor',
          cpus: 2,
          governor: null,
          kernel: '6.1.0',
          numaNodes: [{ id: 0, cpus: [0, 1] }],
          nics: [
            { name: 'mlx5_0', kind: 'infiniband', state: 'ACTIVE', rate: 1e11, linkLayer: 'InfiniBand', numaNode: 0 },
          ],
        },
      ],
      mpi: {
        family: 'openmpi',
        library: 'Open MPI v4.1.4',
        version: '3.1',
        pml: 'ucx',
        osc: null,
        transports: ['sysv'],
      },
      ucx: { version: '1.13.1' },
      verbs: null,
      node: 'v20.20.2',
      fabricbench: '0.1.0',
      clock: { source: 'tsc', frequency: 2.5e9, resolution: 1e-9, readCost: 8e-9 },
      settings: { UCX_TLS: 'sysv,self' },
      hooks: [{ name: 'UCX_MEM_MMAP_HOOK_MODE', value: 'reloc', by: 'fabricbench' }],
    },
    ranks: [0, 1].map((rank) => ({
      rank,
      host: 'node1',
      localRank: rank,
      cores: [rank],
      hardwareThreads: [rank],
      numaNode: 0,
      threads: [{ id: 100 + rank, name: 'node', hardwareThreads: [rank] }],
    })),
  };
}

export function exampleRow(size: number): RowRecord {
  return {
    parameters: { size, datatype: 'MPI_CHAR', window: 64, pairs: 1 },
    n: 1000,
    warmup: 10,
    figures: { latency: { value: 0.1234567890123456e-6, unit: 's' } },
    statistics: { ...exampleStatistics, figure: 'latency', unit: 's' },
    validation: { passed: true, wrongBytes: 0 },
  };
}
