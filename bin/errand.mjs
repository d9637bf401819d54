#!/usr/bin/env node
/**
 * Starts the command line: from the sources in a checkout, from `dist` in an installed package. Plain
 * JavaScript, so that a Node that is too old can still say so.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const NEEDED = { major: 22, minor: 18 };
const SOURCE = new URL('../src/cli/main.ts', import.meta.url);
const BUILT = new URL('../dist/cli/main.js', import.meta.url);

/** @type {readonly NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isCurrent = major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor);

if (isCurrent) {
  module.enableCompileCache();
  await import((existsSync(SOURCE) ? SOURCE : BUILT).href);
} else {
  const newer = findNewerNode();
  if (newer === undefined) process.exitCode = refuse();
  else runOn(newer);
}

/** @returns {string | undefined} the Node that this checkout brought along */
function findNewerNode() {
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return ['../node_modules', '../tools/node/node_modules']
    .map((directory) => fileURLToPath(new URL(`${directory}/node/bin/${file}`, import.meta.url)))
    .find((path) => existsSync(path));
}

/** @param {string} node */
function runOn(node) {
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // a terminal sends Ctrl-C to both of us, and a second one may mean "at once"
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => {
    console.error(`errand could not start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  });
}

/** @returns {number} */
function refuse() {
  const needed = `${NEEDED.major}.${NEEDED.minor}`;
  console.error(`errand needs Node ${needed} or newer; this is ${process.versions.node}.`);
  console.error('Install a current Node, or in a checkout run `npm start` once, which brings one.');
  return 2;
}
