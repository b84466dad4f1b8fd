#!/usr/bin/env node
'use strict';
/*
 * The launcher of one program, from which scripts/build-dist.mjs makes all. V8 takes the code that it made of the bundles at
 * the build (NAME.code, by scripts/lib/code.mjs), where that is of these very bundles and of this V8: else the start takes
 * longer, and nothing differs.
 */
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { Script } = require('node:vm');

/** Hexadecimal digits that a bundle ends with, and each part of a file of code begins with. */
const ID_LENGTH = 16;

/** Parts of a file of code: the id of a bundle, the length of its code in 8 hexadecimal digits, the code. */
function readCode(file) {
  const parts = new Map();
  let bytes;
  try {
    bytes = readFileSync(file);
  } catch {
    return parts;
  }
  for (let at = 0; at + ID_LENGTH + 8 <= bytes.length;) {
    const start = at + ID_LENGTH + 8;
    const end = start + parseInt(bytes.latin1Slice(at + ID_LENGTH, start), 16);
    parts.set(bytes.latin1Slice(at, at + ID_LENGTH), bytes.subarray(start, end));
    at = end;
  }
  return parts;
}

function loadBundle(name, code) {
  const filename = `${__dirname}/${name}.js`;
  const source = readFileSync(filename, 'utf8');
  const script = new Script(Module.wrap(source), {
    filename,
    columnOffset: -Module.wrapper[0].length,
    cachedData: code.get(source.slice(-ID_LENGTH)),
  });
  const loaded = new Module(filename, module);
  loaded.filename = filename;
  require.cache[filename] = loaded;
  const run = script.runInThisContext();
  run.call(loaded.exports, loaded.exports, Module.createRequire(filename), loaded, filename, __dirname);
  loaded.loaded = true;
  return loaded.exports;
}

function load(name) {
  const code = readCode(`${__dirname}/${name}.code`);
  loadBundle('stacks', code);
  return loadBundle(name, code);
}

load('core').launch('osu_bw');
