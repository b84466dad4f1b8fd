import { expect } from 'chai';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FdSink, MemorySink, SinkError } from '../../src/report/sink.js';

const SINK = JSON.stringify(import.meta.resolve('../../src/report/sink.js'));

/** A program that writes through a sink to its stdout. */
const writer = (body: string): string[] => [
  '--input-type=module',
  '-e',
  `import { FdSink } from ${SINK}; const sink = new FdSink(1); ${body}`,
];

describe('sinks', () => {
  it('keep text in memory', () => {
    const sink = new MemorySink();
    sink.write('a');
    sink.write('b\n');
    expect(sink.text).to.equal('ab\n');
  });

  it('write all of it to a pipe, however slowly it is read', async () => {
    const child = spawn(process.execPath, writer(`sink.write('0123456789'.repeat(100000)); sink.write('end');`), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let length = 0;
    let tail = '';
    for await (const part of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      length += part.length;
      tail = part.slice(-3);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect([length, tail]).to.deep.equal([1_000_003, 'end']);
  });

  it('write all of it to a pipe that does not block', async () => {
    // A pipe that Node itself has opened as a stream is non-blocking: writes give EAGAIN when it is full.
    const child = spawn(process.execPath, writer(`process.stdout.write(''); sink.write('x'.repeat(1000000));`), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let length = 0;
    child.stdout.on('data', (part: Buffer) => (length += part.length));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, length]).to.deep.equal([0, 1_000_000]);
  });

  it('say in a sentence why nothing more can be written', () => {
    const fd = openSync('/dev/full', 'w');
    expect(() => new FdSink(fd).write('x')).to.throw(
      SinkError,
      `Writing to descriptor ${fd} failed: no space is left on the device`,
    );
    closeSync(fd);
    expect(() => new FdSink(fd).write('x')).to.throw(SinkError, 'it is closed');
  });

  it('name stdout, and the code tells a reader that is gone', () => {
    const body = `try { for (;;) sink.write('x'.repeat(100000)); } catch (error) { console.error(error.code, error.message); }`;
    const [node, ...argv] = [process.execPath, ...writer(body)];
    const { stderr } = spawnSync('bash', ['-c', '"$@" | head -c 1 >/dev/null', 'bash', node ?? '', ...argv], {
      encoding: 'utf8',
    });
    expect(stderr).to.equal('EPIPE Writing to stdout failed: its reader is gone.\n');
  });

  it('tell so of a terminal too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fabricbench-sink-'));
    const [program, told] = [join(folder, 'program.mjs'), join(folder, 'told')];
    const [, , body = ''] = writer(`import { renameSync, writeFileSync } from 'node:fs';
      process.on('SIGHUP', () => undefined);
      try { for (;;) { sink.write('x'); await new Promise((resolve) => setTimeout(resolve, 1)); } }
      catch (error) { writeFileSync('${told}.new', error.code + ' ' + error.message); renameSync('${told}.new', '${told}'); }`);
    writeFileSync(program, body);
    const terminal = spawn('script', ['-qec', `'${process.execPath}' '${program}'`, '/dev/null']);
    await once(terminal.stdout, 'data');
    terminal.kill('SIGKILL');
    while (!existsSync(told)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(readFileSync(told, 'utf8')).to.equal('EPIPE Writing to stdout failed: its reader is gone.');
    rmSync(folder, { recursive: true });
  });
});
