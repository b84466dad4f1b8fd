/** A headless Chromium for tests, spoken to by the DevTools protocol over two pipes: nothing is downloaded. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
/** Milliseconds for an answer, on a machine with other work. */
const PATIENCE = 60_000;

export type Values = Readonly<Record<string, unknown>>;

/** What the browser says by itself, as a request that it makes. */
interface Event {
  readonly method: string;
  readonly params: Values;
  readonly sessionId?: string;
}

interface Answer {
  readonly id?: number;
  readonly result?: Values;
  readonly error?: { readonly message: string };
}

/** The first Chromium that is there; undefined = none. */
export function findChromium(): string | undefined {
  return NAMES.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

export class Chromium {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #input: Writable;
  readonly #waiting = new Map<number, { resolve: (result: Values) => void; reject: (error: Error) => void }>();
  readonly #listeners: ((event: Event) => void)[] = [];
  #rest = '';
  #last = 0;

  /** `program`: as `findChromium` names it. Sandboxes need rights that containers lack; pages are our own. */
  constructor(program: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'fabricbench-browser-'));
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars'];
    const args = [...flags, '--remote-debugging-pipe', `--user-data-dir=${this.#folder}`, 'about:blank'];
    this.#process = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const [, , , input, output] = this.#process.stdio;
    this.#input = input as Writable;
    (output as Readable).setEncoding('utf8').on('data', (text: string) => {
      this.#read(text);
    });
    this.#process.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the browser has ended'));
    });
  }

  /** Ends the browser with all of its processes. */
  async close(): Promise<void> {
    const { pid, exitCode, stdio } = this.#process;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    if (pid !== undefined && exitCode === null) {
      process.kill(-pid, 'SIGKILL');
      await ended;
    }
    for (const stream of stdio) stream?.destroy();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Opens a file as a page and waits until it has loaded. */
  async open(file: string, size: readonly [width: number, height: number] = [1200, 900]): Promise<Page> {
    const { targetId } = await this.call('Target.createTarget', {
      url: 'about:blank',
      width: size[0],
      height: size[1],
    });
    const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, String(sessionId));
    this.#listeners.push((event) => {
      page.hear(event);
    });
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.call(`${domain}.enable`);
    await page.call('Page.navigate', { url: pathToFileURL(file).href });
    await page.loaded;
    return page;
  }

  call(method: string, params: Values = {}, sessionId?: string): Promise<Values> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`the browser did not answer ${method}`));
      }, PATIENCE);
      const done = <T>(settle: (value: T) => void) => (value: T): void => { clearTimeout(timer); settle(value); }; // prettier-ignore
      this.#waiting.set(id, { resolve: done(resolve), reject: done(reject) });
      this.#input.write(`${JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) })}\0`);
    });
  }

  #read(text: string): void {
    const messages = (this.#rest + text).split('\0');
    this.#rest = messages.pop() ?? '';
    for (const message of messages) this.#take(JSON.parse(message) as Answer & Event);
  }

  #take(message: Answer & Event): void {
    const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
    if (!waiting || message.id === undefined) {
      for (const listener of this.#listeners) listener(message);
      return;
    }
    this.#waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result ?? {});
  }
}

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Page {
  readonly #browser: Chromium;
  readonly #session: string;
  /** Errors, warnings and violations of the page's policy, as the console shows them. */
  readonly complaints: string[] = [];
  /** Addresses of everything that was asked for. */
  readonly requests: string[] = [];
  readonly loaded: Promise<void>;
  #hasLoaded: () => void = () => undefined;

  constructor(browser: Chromium, session: string) {
    this.#browser = browser;
    this.#session = session;
    this.loaded = new Promise((resolve) => {
      this.#hasLoaded = resolve;
    });
  }

  call(method: string, params: Values = {}): Promise<Values> {
    return this.#browser.call(method, params, this.#session);
  }

  hear({ method, params, sessionId }: Event): void {
    if (sessionId !== this.#session) return;
    if (method === 'Page.loadEventFired') this.#hasLoaded();
    if (method === 'Network.requestWillBeSent') this.requests.push((params['request'] as { url: string }).url);
    if (['Runtime.exceptionThrown', 'Log.entryAdded', 'Runtime.consoleAPICalled'].includes(method))
      this.complaints.push(JSON.stringify(params));
  }

  /** Of an expression in the page; a promise's value where it is one. */
  async evaluate<T>(expression: string): Promise<T> {
    const wanted = { expression, returnByValue: true, awaitPromise: true, userGesture: true };
    const { result, exceptionDetails } = await this.call('Runtime.evaluate', wanted);
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return (result as { value: T }).value;
  }

  /** `screen` or `print`, and which scheme the system prefers. */
  async media(media: 'screen' | 'print', scheme: 'light' | 'dark'): Promise<void> {
    await this.call('Emulation.setEmulatedMedia', {
      media,
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    });
  }

  /** Moves the mouse in the window, with a button held down or not. */
  async mouse(
    type: 'mouseMoved' | 'mousePressed' | 'mouseReleased',
    x: number,
    y: number,
    held = false,
  ): Promise<void> {
    const button = type === 'mouseMoved' && !held ? 'none' : 'left';
    await this.call('Input.dispatchMouseEvent', { type, x, y, button, buttons: held ? 1 : 0, clickCount: 1 });
  }

  async click(x: number, y: number): Promise<void> {
    await this.mouse('mouseMoved', x, y);
    await this.mouse('mousePressed', x, y, true);
    await this.mouse('mouseReleased', x, y);
  }

  async key(key: string): Promise<void> {
    await this.call('Input.dispatchKeyEvent', { type: 'keyDown', key });
    await this.call('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }

  /** A PNG of the whole page, or a part of it. */
  async screenshot(area?: Area): Promise<Buffer> {
    const clip = area && { ...area, scale: 1 };
    const { data } = await this.call('Page.captureScreenshot', { captureBeyondViewport: true, ...(clip && { clip }) });
    return Buffer.from(String(data), 'base64');
  }

  /** As it would be printed on A4. */
  async pdf(): Promise<Buffer> {
    const { data } = await this.call('Page.printToPDF', {
      paperWidth: 8.27,
      paperHeight: 11.69,
      printBackground: false,
    });
    return Buffer.from(String(data), 'base64');
  }
}
