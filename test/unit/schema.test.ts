import { expect } from 'chai';
import { RESULT_SCHEMA, type ResultRecord } from '../../src/results/types.js';
import { exampleHead, exampleRow } from './records.js';
import { schemaErrors, strictSchemaErrors } from './schema.js';

const record: ResultRecord = {
  schema: RESULT_SCHEMA,
  ...exampleHead(),
  rows: [
    exampleRow(1),
    {
      ...exampleRow(2),
      samples: [{ rank: 0, seconds: [1e-7, 2e-7], omitted: 3 }],
      stopped: 'time-limit',
      perSample: 4,
      counters: [{ rank: 0, values: { PAPI_TOT_INS: 1234, 'perf::PAGE-FAULTS': 0 } }],
    },
  ],
  warnings: ['rank 1 is not bound'],
  status: { state: 'done' },
};

describe('schema/result-1.json', () => {
  it('describes every field that a record may have', () => {
    expect(strictSchemaErrors(record)).to.deep.equal([]);
  });

  it('takes null where nothing is known', () => {
    const row = exampleRow(1);
    const unknown = {
      ...row,
      parameters: { size: null },
      figures: { latency: { value: null, unit: 's' } },
      statistics: null,
    };
    const { environment } = record;
    const host = { name: 'n', cpuModel: null, cpus: null, governor: null, kernel: null, numaNodes: [], nics: [] };
    expect(
      strictSchemaErrors({
        ...record,
        environment: { ...environment, hosts: [host], mpi: null, ucx: null },
        ranks: [{ rank: 0, host: 'n', localRank: null, cores: null, numaNode: null }],
        rows: [unknown],
      }),
    ).to.deep.equal([]);
  });

  it('lets later versions add fields', () => {
    const row = { ...exampleRow(1), repetitions: 3 };
    expect(schemaErrors({ ...record, rows: [row], later: {} })).to.deep.equal([]);
  });

  it('refuses what is missing or wrong', () => {
    const { run, environment } = record;
    const row = exampleRow(1);
    const wrong: Record<string, unknown> = {
      'another schema': { ...record, schema: 'fabricbench-result-2' },
      'no status': { ...record, status: undefined },
      'an unknown state': { ...record, status: { state: 'over' } },
      'a failure without its sentence': { ...record, status: { state: 'failed' } },
      'a local time': { ...record, run: { ...run, started: '2026-01-02T03:04:05+01:00' } },
      'a number as text': { ...record, rows: [{ ...row, n: '5' }] },
      'a fraction of an iteration': { ...record, rows: [{ ...row, n: 1.5 }] },
      'a figure without unit': { ...record, rows: [{ ...row, figures: { latency: { value: 1 } } }] },
      'no figures': { ...record, rows: [{ ...row, figures: {} }] },
      'no size': { ...record, rows: [{ ...row, parameters: {} }] },
      'a count as text': { ...record, rows: [{ ...row, counters: [{ rank: 0, values: { PAPI_TOT_INS: '1' } }] }] },
      'a negative sample': { ...record, rows: [{ ...row, samples: [{ rank: 0, seconds: [-1] }] }] },
      'a setting that is no text': { ...record, environment: { ...environment, settings: { UCX_TLS: 1 } } },
    };
    for (const [name, value] of Object.entries(wrong)) {
      expect(schemaErrors(JSON.parse(JSON.stringify(value))), name).not.to.be.empty;
    }
  });
});
