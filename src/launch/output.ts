/** What ranks print, passed on as it comes: a reader that takes nothing must not keep a job from its time limit. */
import { write } from 'node:fs';
import { setTimeout as passed } from 'node:timers/promises';
import { promisify } from 'node:util';
import { errorCode, FdSink } from '../report/sink.js';
import type { Sink } from '../report/types.js';

const writeSome = promisify(write);

/** Writes all of it without holding up this thread. Throws a `SinkError` when it can't be written. */
export async function put(sink: Sink, text: string): Promise<void> {
  if (!(sink instanceof FdSink)) {
    sink.write(text);
    return;
  }
  try {
    await writeAll(sink.fd, Buffer.from(text));
  } catch (error) {
    throw sink.failure(error);
  }
}

/** Writes a line for people; that nobody is left to read it is no failure. */
export async function tell(stderr: Sink, text: string): Promise<void> {
  await put(stderr, `${text}\n`).catch(() => undefined);
}

async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += (await writeSome(fd, bytes, at)).bytesWritten;
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
      await passed(1);
    }
  }
}
