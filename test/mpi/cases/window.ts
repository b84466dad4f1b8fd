/** Windows of 32-bit integers for one-sided cases, made in each of MPI's ways. */
import type { Win } from '../../../src/mpi/types.js';
import type { CaseContext } from './support.js';

export const creations = ['create', 'allocate', 'dynamic'] as const;
export type Creation = (typeof creations)[number];

export interface TestWindow {
  readonly win: Win;
  /** What this rank exposes. */
  readonly own: Int32Array;
  /** The displacement of an element at a rank. */
  at(rank: number, element?: number): number;
  /** What this rank exposes, once nobody else changes it. */
  read(): number[];
  /** Sets what this rank exposes, before anybody else looks at it. */
  write(values: readonly number[]): void;
  free(): void;
}

const UNIT = 4;

interface Exposed {
  readonly win: Win;
  readonly own: Int32Array;
  readonly at: TestWindow['at'];
}

function dynamicWindow({ MPI, size, guarded }: CaseContext, length: number): Exposed {
  const win = MPI.Win_create_dynamic(MPI.COMM_WORLD);
  const own = guarded(Int32Array, length);
  MPI.Win_attach(win, own, own.byteLength);
  const places = new Float64Array(size);
  MPI.Allgather(Float64Array.of(MPI.Get_address(own)), 1, MPI.DOUBLE, places, 1, MPI.DOUBLE, MPI.COMM_WORLD);
  return { win, own, at: (rank, element = 0) => (places[rank] ?? NaN) + element * UNIT };
}

function expose(context: CaseContext, creation: Creation, length: number): Exposed {
  const { MPI, guarded } = context;
  const at = (_rank: number, element = 0): number => element;
  if (creation === 'dynamic') return dynamicWindow(context, length);
  if (creation === 'allocate') {
    const { win, memory } = MPI.Win_allocate(length * UNIT, UNIT, MPI.COMM_WORLD);
    return { win, own: new Int32Array(memory), at };
  }
  const own = guarded(Int32Array, length);
  return { win: MPI.Win_create(own, own.byteLength, UNIT, MPI.COMM_WORLD), own, at };
}

/** A window over `length` integers, all 0, on every rank. Collective, and so is `free`. */
export function makeWindow(context: CaseContext, creation: Creation, length: number): TestWindow {
  const { MPI, rank } = context;
  const { win, own, at } = expose(context, creation, length);
  const locally = <T>(action: () => T): T => {
    MPI.Win_lock(MPI.LOCK_EXCLUSIVE, rank, 0, win);
    const result = action();
    MPI.Win_unlock(rank, win);
    return result;
  };
  const window: TestWindow = {
    win,
    own,
    at,
    read: () => locally(() => [...own]),
    write: (values) => {
      locally(() => own.set(values));
      MPI.Barrier(MPI.COMM_WORLD);
    },
    free: () => {
      MPI.Barrier(MPI.COMM_WORLD); // others may still be at it
      if (creation === 'dynamic') MPI.Win_detach(win, own);
      MPI.Win_free(win);
    },
  };
  window.write(Array<number>(length).fill(0));
  return window;
}

/** Runs `action` with a window of each kind, or of some. */
export function withEach(
  context: CaseContext,
  length: number,
  action: (window: TestWindow, creation: Creation) => void,
  kinds: readonly Creation[] = creations,
): void {
  for (const creation of kinds) {
    const window = makeWindow(context, creation, length);
    action(window, creation);
    window.free();
  }
}
