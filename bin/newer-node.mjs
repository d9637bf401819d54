/**
 * Hands over from a Node that is too old for Errand to the one of the checkout, or says that there
 * is none.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** @type {readonly NodeJS.Signals[]} */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @param {{ major: number, minor: number }} needed
 * @param {string} program the URL of what is to be started
 */
export function startOnNewerNode(needed, program) {
  const newer = findNewerNode();
  if (newer === undefined) process.exitCode = refuse(needed);
  else runOn(newer, fileURLToPath(program));
}

/** @returns {string | undefined} the Node that this checkout brought along */
function findNewerNode() {
  const file = process.platform === 'win32' ? 'node.exe' : 'node';
  return ['../node_modules', '../tools/node/node_modules']
    .map((directory) => fileURLToPath(new URL(`${directory}/node/bin/${file}`, import.meta.url)))
    .find((path) => existsSync(path));
}

/**
 * @param {string} node
 * @param {string} program
 */
function runOn(node, program) {
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // a terminal sends Ctrl-C to both processes, and a second one may mean "at once"
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

/**
 * @param {{ major: number, minor: number }} needed
 * @returns {number} the exit code
 */
function refuse({ major, minor }) {
  console.error(`errand needs Node ${major}.${minor} or newer; this is ${process.versions.node}.`);
  const isCheckout = existsSync(new URL('../src', import.meta.url));
  console.error(
    isCheckout
      ? 'Run `npm start` once, which brings a current one along.'
      : 'Install a current one from https://nodejs.org, or with your version manager, and try again.',
  );
  return 2;
}
