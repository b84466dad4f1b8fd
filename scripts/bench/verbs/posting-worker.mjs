/** One process of verbs-posting.mjs: measures all cells, the contestants taking turns. Prints JSON. */
import { nativeExecutor } from '../../../build/ts/src/engine/index.js';
import { bind, fastQp, MockDevice, verbsMock } from '../../../build/ts/test/native/verbs-mock.js';
import { inTurn } from '../turns.mjs';

const [pairs, requests, offset] = process.argv.slice(2).map(Number);

const usual = { postList: 1, txDepth: 128, cqMod: 100, cqePoll: 16, wrApi: false };
const walk = { step: 64, span: 4096 };

/** As ib_write_bw posts: by itself, small messages that walk, lists, each signaled, by the ibv_wr_* calls. */
const cells = {
  single: usual,
  'single, walking': { ...usual, walk },
  'single, all signaled': { ...usual, cqMod: 1 },
  'lists of 64': { ...usual, postList: 64, cqMod: 64 },
  'single, ibv_wr_*': { ...usual, wrApi: true },
  'lists of 64, ibv_wr_*': { ...usual, postList: 64, cqMod: 64, wrApi: true },
};

const mr = new MockDevice().mr();

function contestants({ wrApi, walk: walks, ...numbers }) {
  const total = Math.ceil(requests / numbers.postList) * numbers.postList;
  const plan = { ...numbers, total, step: walks?.step ?? 0, span: walks?.span ?? 0 };
  const loop = (qp) => () => verbsMock().mockFastLoop(qp.box, plan);
  const local = { mr, length: 64 };
  const wr = { qp: fastQp(wrApi), opcode: 'RDMA_WRITE', local, remote: { address: 0x200000n, rkey: 2 } };
  const stream = bind.stream({ wrs: [wr], ...numbers, total, ...(walks && { walk: walks }) });
  const run = nativeExecutor.start({ timed: [stream.post], closing: [stream.end] });
  const ours = () => {
    const { seconds } = run.advance({ iterations: total / numbers.postList, close: true });
    if (stream.completed() !== total) throw new Error(`${stream.completed()} of ${total} work requests are complete`);
    stream.restart(total);
    return seconds;
  };
  return { c: loop(fastQp(wrApi)), again: loop(fastQp(wrApi)), ours };
}

function measure(cell) {
  const all = contestants(cell);
  const measured = [];
  // The first round is not kept: memory that is touched for the first time.
  for (let pair = -1; pair < pairs; ++pair) {
    const seconds = {};
    for (const name of inTurn(Object.keys(all), offset + pair + 1)) seconds[name] = all[name]();
    if (pair >= 0) measured.push(seconds);
  }
  return measured;
}

process.stdout.write(
  JSON.stringify(Object.fromEntries(Object.entries(cells).map(([id, cell]) => [id, measure(cell)]))),
);
