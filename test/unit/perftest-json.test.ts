import { expect } from 'chai';
import type { PerftestName } from '../../src/cli/perftest-options.js';
import { perftestJson } from '../../src/report/perftest-json.js';
import type { BandwidthFigures, LatencyFigures, PerftestHeader } from '../../src/report/perftest-types.js';
import { run } from './perftest-cases.js';

const HEADER: PerftestHeader = {
  ...{ device: 'rxe0', transport: 'IB', mtu: 4096, linkLayer: 'Ethernet', gidIndex: 1, maxInline: 0, wrApi: false },
  ...{ cqMod: 100, txDepth: 128, rxDepth: 512, usingSrq: false, outstandingReads: 16 },
};

type Json = Readonly<Record<string, unknown>>;

function report(
  name: PerftestName,
  line: string,
  rows: readonly (LatencyFigures | BandwidthFigures)[],
): { readonly test_info: Json; readonly units: Json; readonly results: readonly Json[] } {
  return JSON.parse(perftestJson({ options: run(name, line), header: HEADER, rows })) as ReturnType<typeof report>;
}

const stream = (size: number): BandwidthFigures => ({
  ...{ size, iterations: 1000, peak: 3 * 2 ** 20, average: 2 ** 21, messageRate: 2.5e6 },
});

const latency: LatencyFigures = {
  ...{ size: 8, iterations: 1000, min: 1e-6, max: 9e-6, typical: 2e-6, average: 2.5e-6, stdev: 0.125e-6 },
  ...{ p99: 8e-6, p999: 9e-6 },
};

describe('the JSON of --out_json', () => {
  it('has the fields of later versions of perftest', () => {
    const { test_info: info } = report('ib_write_bw', '', [stream(8)]);
    expect(info).to.deep.equal({
      ...{ test: 'RDMA_Write_BW_Test', Dual_port: 'OFF', Device: 'rxe0', Number_of_qps: 1, Transport_type: 'IB' },
      ...{ Connection_type: 'RC', Using_SRQ: 'OFF', PCIe_relax_order: 'ON', ibv_wr_API: 'OFF', TX_depth: 128 },
      ...{ CQ_Moderation: 100, Mtu: 4096, Link_type: 'Ethernet', GID_index: 1, Max_inline_data: 0 },
      ...{ rdma_cm_QPs: 'OFF', Data_ex_method: 'Ethernet' },
    });
    expect(report('ib_read_lat', '', []).test_info)
      .to.include({ Outstand_reads: 16 })
      .and.not.have.any.keys('CQ_Moderation', 'Max_inline_data');
    expect(report('ib_send_bw', '-R -T 8 -b', []).test_info).to.include({
      ...{ test: 'Send_Bidirectional_BW_Test', rdma_cm_QPs: 'ON', Data_ex_method: 'rdma_cm', TOS: 8, RX_depth: 512 },
    });
  });

  it('has every row of a sweep', () => {
    const { results } = report('ib_write_bw', '-a', [stream(2), stream(4), stream(8)]);
    expect(results.map(({ MsgSize }) => MsgSize)).to.deep.equal([2, 4, 8]);
  });

  it('tells its units', () => {
    expect(report('ib_write_bw', '', []).units).to.deep.equal({
      ...{ MsgSize: 'B', BW_peak: 'MiB/s', BW_average: 'MiB/s', MsgRate: 'million messages/s' },
    });
    expect(report('ib_write_bw', '--report_gbits', []).units).to.include({ BW_average: 'Gb/s' });
    expect(report('ib_send_lat', '', []).units).to.include({ t_avg: 'us', 'percentile_99.9': 'us' });
    expect(report('ib_send_lat', '-D 4', []).units).to.deep.equal({ MsgSize: 'B', t_avg: 'us', tps_average: '1/s' });
  });

  it('names a unit for each figure', () => {
    const lines = [
      ['ib_send_bw', '', stream(8)],
      ['ib_send_bw', '-D 4 --cpu_util', { ...stream(8), cpuUtil: 12.345 }],
      ['ib_send_lat', '', latency],
      ['ib_send_lat', '-D 4', { ...latency, tps: 5 }],
      ['ib_send_lat', '-D 4 --cpu_util', { ...latency, tps: 5, cpuUtil: 3 }],
    ] as const;
    for (const [name, line, row] of lines) {
      const { units, results } = report(name, line, [row]);
      const figures = Object.keys(results[0] ?? {}).filter((key) => key !== 'n_iterations');
      expect(figures, line).to.deep.equal(Object.keys(units));
    }
  });

  it('has bandwidths in the unit of the report', () => {
    expect(report('ib_write_bw', '', [stream(8)]).results[0]).to.deep.equal({
      ...{ MsgSize: 8, n_iterations: 1000, BW_peak: 3, BW_average: 2, MsgRate: 2.5 },
    });
    const [row] = report('ib_write_bw', '--report_gbits', [stream(8)]).results;
    expect(row).to.include({ BW_average: 0.016777 });
  });

  it('has times in microseconds', () => {
    expect(report('ib_send_lat', '', [latency]).results).to.deep.equal([
      {
        ...{ MsgSize: 8, n_iterations: 1000, t_min: 1, t_max: 9, t_typical: 2, t_avg: 2.5, t_stdev: 0.125 },
        ...{ percentile_99: 8, 'percentile_99.9': 9 },
      },
    ]);
    expect(report('ib_send_lat', '-D 4', [{ ...latency, tps: 5 }]).results).to.deep.equal([
      { MsgSize: 8, n_iterations: 1000, t_avg: 2.5, tps_average: 5 },
    ]);
  });

  it('has null for what is not known', () => {
    const unknown = { size: 8, iterations: 5, peak: null, average: null, messageRate: null };
    expect(report('ib_send_bw', '', [unknown]).results[0]).to.include({ BW_peak: null, BW_average: null });
  });
});
