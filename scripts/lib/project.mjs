/** Paths of the project, and the few file and process helpers that the build scripts share. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** A path inside the project, from its parts. */
export const inProject = (...parts) => join(root, ...parts);

/** True where CI says that it runs us: then nothing may be missing. */
export const inCI = process.env.CI === 'true';

/** Runs a command to its end; `ok` is false too where the command does not exist. */
export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 26, cwd: root, ...options });
  return { ok: done.status === 0, stdout: done.stdout ?? '', stderr: done.stderr ?? String(done.error ?? '') };
}

/** The full path of a command, or undefined where PATH has none of that name. */
export function which(command) {
  const folders = command.includes('/') ? [''] : (process.env.PATH ?? '').split(':');
  return folders.map((folder) => (folder === '' ? command : join(folder, command))).find((path) => existsSync(path));
}

/** All files below a folder whose names end in one of the endings, sorted; none where the folder does not exist. */
export function filesBelow(folder, endings) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** SHA-256 of any JSON value, in hexadecimal. */
export const hashOf = (value) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/**
 * Writes a file by renaming, and only where its content differs: a process that has the old one open or mapped keeps
 * it whole. Returns whether it was written. `mode` is that of a new file.
 */
export function replaceFile(path, content, mode = 0o644) {
  const bytes = Buffer.from(content);
  if (existsSync(path) && readFileSync(path).equals(bytes)) return false;
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.new`;
  writeFileSync(beside, bytes, { mode });
  renameSync(beside, path);
  return true;
}

/** Ends a script with one sentence on stderr. */
export function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

/** Lines of a table with aligned columns. */
export function tableLines(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}
