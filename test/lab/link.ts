/** The link below the Soft-RoCE machine's device. */
import { assert } from 'chai';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export function setLink(state: 'up' | 'down'): void {
  const { status, stderr } = spawnSync('ip', ['link', 'set', 'dummy0', state], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
}

/** Whether the device's port is up again, with the GID of the IPv4 address. */
function isUp(): boolean {
  const read = (name: string): string => readFileSync(`/sys/class/infiniband/rxe0/ports/1/${name}`, 'latin1');
  return read('state').includes('ACTIVE') && read('gids/1').includes('ffff:0a09:0001');
}

export async function linkUp(): Promise<void> {
  setLink('up');
  while (!isUp()) await sleep(50);
}
