/** The first words of a server and a client: whether they are of one make. */
import type { Connection } from '../../engine/control.js';
import { VERSION } from '../version.js';
import { Refusal } from './refusal.js';

/** Seconds in which a client must have said what it is. */
const GREETING_SECONDS = 10;

/** What a program says of itself. */
export interface Greeter {
  readonly program: string;
  /** Of what the two sides say to each other. Raised whenever that changes. */
  readonly protocol: number;
  /** Exit code where the other side is of another make. */
  readonly exitCode: number;
  /** Seconds that a client waits for its server's words (default: for ever, since it may serve others meanwhile). */
  readonly patience?: number;
}

interface Greeting {
  readonly program: string;
  readonly protocol: number;
  readonly version: string;
}

/**
 * Sees to it that both sides are of one make, before anything else crosses. A server waits for the greeting no longer than
 * a few seconds, since whatever finds its port may never say a word.
 *
 * @throws Refusal on both sides where they differ; ControlError
 */
export function greet(connection: Connection, role: 'client' | 'server', greeter: Greeter): void {
  const { program, protocol, exitCode, patience } = greeter;
  const own: Greeting = { program, protocol, version: VERSION };
  connection.send(JSON.stringify(own));
  const seconds = role === 'server' ? GREETING_SECONDS : patience;
  const other = greetingIn(connection.receive(seconds === undefined ? {} : { timeoutSeconds: seconds }));
  if (other?.program === own.program && other.protocol === own.protocol) return;
  const found = other
    ? `${other.program} of fabricbench ${other.version} with protocol ${other.protocol}`
    : 'another program';
  throw new Refusal(
    `the other side is ${found}, and this is ${own.program} of ${own.version} with protocol ${own.protocol}: run the same version on both`,
    exitCode,
  );
}

/** What the other side says of itself; null where it can't be understood. */
function greetingIn(text: string): Greeting | null {
  try {
    const { program, protocol, version } = JSON.parse(text) as Partial<Greeting>;
    if (program === undefined || protocol === undefined || version === undefined) return null;
    return { program, protocol, version };
  } catch {
    return null;
  }
}
