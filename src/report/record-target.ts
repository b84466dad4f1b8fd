/** Where a record is written: beside a regular file and renamed over it, or once to a device, a pipe or stdout. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { causeText, errorCode, writeFully } from './sink.js';
import type { Sink } from './types.js';

/** Characters collected before they are written. */
const BATCH = 65536;

/** A record (or what else is written like one) that couldn't be written; the message is a sentence with cause and mend. */
export class RecordError extends Error {
  constructor(file: string, cause: unknown, what = 'record') {
    super(`The ${what} can't be written to ${file}: ${mend(file, cause)}.`, { cause });
    this.name = 'RecordError';
  }
}

export interface RecordTarget {
  /** Whether every version replaces the one before; otherwise there is only one, at the end. */
  readonly replaces: boolean;
  /** File beside which samples may be kept; undefined = nowhere. */
  readonly file: string | undefined;
  /** Writes a whole record, or throws a `RecordError`; what was written before then stays. */
  save(pieces: Iterable<string>, last: boolean): void;
}

/** The target that `--json` names. `stdout` takes the record of `-`; `what` is its name in errors. */
export function recordTarget(json: string, stdout: Sink, what = 'record'): RecordTarget {
  if (json === '-') return sinkTarget(stdout);
  return isStream(json) ? streamTarget(json, what) : fileTarget(json, what);
}

/** Says before the run why FILE can't be written, in a sentence; undefined = it can. A file that isn't there stays away. */
export function checkWritable(json: string, what = 'record'): string | undefined {
  if (json === '-') return undefined;
  try {
    if (isStream(json)) accessSync(json, constants.W_OK);
    else tryFile(json);
    return undefined;
  } catch (error) {
    return new RecordError(json, error, what).message;
  }
}

function tryFile(file: string): void {
  const stats = statIfAny(file);
  if (stats && !stats.isFile()) throw new Error(stats.isDirectory() ? 'it is a folder; name a file' : 'it is no file');
  if (stats) accessSync(file, constants.W_OK);
  const beside = besideName(resolved(file));
  closeSync(openSync(beside, 'w'));
  rmSync(beside);
}

function sinkTarget(sink: Sink): RecordTarget {
  return {
    replaces: false,
    file: undefined,
    save(pieces) {
      for (const batch of batches(pieces)) sink.write(batch);
    },
  };
}

function streamTarget(path: string, what: string): RecordTarget {
  return {
    replaces: false,
    file: undefined,
    save(pieces) {
      writeTo({ path, shown: path, what }, 'a', pieces, false);
    },
  };
}

function fileTarget(path: string, what: string): RecordTarget {
  return {
    replaces: true,
    file: path,
    save(pieces, last) {
      const file = resolved(path);
      const beside = besideName(file);
      try {
        writeTo({ path: beside, shown: path, what }, 'w', pieces, last, statIfAny(file)?.mode);
        renameSync(beside, file);
      } catch (error) {
        removeQuietly(beside);
        throw error instanceof RecordError ? error : new RecordError(path, error, what);
      }
    },
  };
}

/** `shown` is the name that the user knows, and `what` is written there. */
function writeTo(
  { path, shown, what }: { readonly path: string; readonly shown: string; readonly what: string },
  flags: string,
  pieces: Iterable<string>,
  sync: boolean,
  mode?: number,
): void {
  try {
    const fd = openSync(path, flags, mode);
    try {
      for (const batch of batches(pieces)) writeFully(fd, batch);
      if (sync) fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new RecordError(shown, error, what);
  }
}

function* batches(pieces: Iterable<string>): Generator<string> {
  let batch = '';
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < BATCH) continue;
    yield batch;
    batch = '';
  }
  if (batch !== '') yield batch;
}

/** Devices, pipes and names of open descriptors, over which nothing may be renamed. */
function isStream(path: string): boolean {
  if (/^\/dev\/(stdout|stderr|fd\/\d+)$|^\/proc\/(self|\d+)\/fd\/\d+$/.test(path)) return true;
  const stats = statIfAny(path);
  return stats !== undefined && (stats.isFIFO() || stats.isCharacterDevice());
}

function statIfAny(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** Where a link leads, so that the link stays. */
function resolved(path: string): string {
  return statIfAny(path) ? realpathSync(path) : path;
}

/** The failure that led here is the one to tell. */
function removeQuietly(file: string): void {
  try {
    rmSync(file);
  } catch {
    return;
  }
}

function besideName(file: string): string {
  return `${file}.${process.pid}.part`;
}

function mend(file: string, cause: unknown): string {
  const code = errorCode(cause);
  switch (code) {
    case 'ENOENT':
      return existsSync(dirname(file))
        ? `${dirname(file)} takes no new files; name a file elsewhere`
        : `there is no folder ${dirname(file)}; create it`;
    case 'ENOTDIR':
      return `${dirname(file)} is no folder; name another file`;
    case 'EISDIR':
      return 'it is a folder; name a file';
    case 'EACCES':
    case 'EPERM':
      return 'permission is denied; name a file in a folder of yours';
    case 'EROFS':
      return 'its file system is read-only; name a file elsewhere';
    default:
      return causeText(code, cause);
  }
}
