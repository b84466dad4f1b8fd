/** A headless Chromium, driven by the DevTools protocol over a pipe: messages end with a byte of 0. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome'];
const ARGUMENTS = ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--no-first-run'];

export function findChromium(): string | undefined {
  return NAMES.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

export class Page {
  /** What went wrong in the page, and what it wrote to its console. */
  readonly problems: string[] = [];
  /** Addresses that it asked for. */
  readonly requests: string[] = [];
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #session: string | undefined;
  #next = 1;
  #text = '';
  #loaded: (() => void) | undefined;

  private constructor(program: string) {
    this.#child = spawn(program, [...ARGUMENTS, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = this.#child.stdio[4] as Readable;
    output.setEncoding('utf8').on('data', (part: string) => {
      this.#take(part);
    });
  }

  /** Opens the address, and waits until it has loaded. */
  static async open(program: string, url: string, { width = 1100, height = 900 } = {}): Promise<Page> {
    const page = new Page(program);
    const { targetInfos } = await page.send('Target.getTargets');
    const [target] = (targetInfos as { type: string; targetId: string }[]).filter(({ type }) => type === 'page');
    const attached = await page.send('Target.attachToTarget', { targetId: target?.targetId, flatten: true });
    page.#session = attached['sessionId'] as string;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(`${domain}.enable`);
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    const loaded = new Promise<void>((resolve) => (page.#loaded = resolve));
    await page.send('Page.navigate', { url });
    await loaded;
    return page;
  }

  async send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = this.#next++;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    const { result, error } = await new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }

  /** The value of an expression in the page. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value?: unknown }).value;
  }

  async click(x: number, y: number): Promise<void> {
    const at = { x, y, button: 'left', clickCount: 1 };
    await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
    await this.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
    await this.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
  }

  close(): void {
    // The whole group: its helpers keep the pipe open.
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    for (const stream of this.#child.stdio) stream?.destroy();
  }

  #take(part: string): void {
    const messages = (this.#text + part).split('\0');
    this.#text = messages.pop() ?? '';
    for (const text of messages) this.#heard(JSON.parse(text) as Message);
  }

  #heard(message: Message): void {
    const { id, method, params } = message;
    if (id !== undefined) {
      this.#waiting.get(id)?.(message);
      this.#waiting.delete(id);
    } else if (method === 'Page.loadEventFired') this.#loaded?.();
    else if (method === 'Network.requestWillBeSent') this.requests.push((params?.['request'] as { url: string }).url);
    else if (method !== undefined && /^(Runtime\.(exceptionThrown|consoleAPICalled)|Log\.entryAdded)$/.test(method))
      this.problems.push(JSON.stringify(params));
  }
}
