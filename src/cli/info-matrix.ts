/** The matrix of `fabricbench info`: what lies between any two of a machine's network adapters and GPUs. */
import type { DeviceMatrix, Relation } from '../topology/matrix.js';

const WIDTH = 80;

/** In blocks of as many columns as fit, and a legend of what occurs. Nothing where there is but one device. */
export function matrixLines(
  { devices, relations }: DeviceMatrix,
  meaning: Readonly<Record<Relation, string>>,
): string[] {
  if (devices.length < 2) return [];
  const labels = devices.map(({ id, name }) => `  ${id} ${name}`);
  const left = Math.max(...labels.map((label) => label.length)) + 2;
  const cell = Math.max(...devices.map(({ id }) => id.length), 'NODE'.length) + 1;
  const perBlock = Math.max(1, Math.floor((WIDTH - left) / cell));
  const row = (label: string, cells: readonly string[]): string =>
    `${label.padEnd(left)}${cells.map((text) => text.padEnd(cell)).join('')}`.trimEnd();
  const blocks = Array.from({ length: Math.ceil(devices.length / perBlock) }, (_, block) => {
    const [from, to] = [block * perBlock, (block + 1) * perBlock];
    const heads = devices.slice(from, to).map(({ id }) => id);
    return ['', row('', heads), ...labels.map((label, index) => row(label, (relations[index] ?? []).slice(from, to)))];
  });
  return [...blocks.flat(), '', ...legendLines(relations, meaning)];
}

function legendLines(relations: DeviceMatrix['relations'], meaning: Readonly<Record<Relation, string>>): string[] {
  const used = new Set(relations.flat());
  return (Object.keys(meaning) as Relation[])
    .filter((code) => used.has(code) && code !== '-')
    .map((code) => `  ${code.padEnd(5)} ${meaning[code]}`);
}
