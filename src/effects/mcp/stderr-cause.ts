/**
 * Finds the line of stderr that says why a program ended. The last line seldom does: Node ends with its
 * version, npm with the path of a log, Rust with a hint. It only chooses what to quote; no decision
 * depends on it.
 */
import { printable } from '../../errors/support/printable.ts';

const MAX_LINE_CHARS = 300;

/** `TypeError: …`, `Error [ERR_X]: …`, `ValueError: …`, `java.io.IOException: …`. */
const NAMED_ERROR = /^(?:Uncaught )?[\w$.]*(?:Error|Exception)(?: \[\w+\])?: \S/;

const NPM = /^npm (?:error|ERR!) /;
const NPM_BARE = /^npm (?:error|ERR!) (?:code|errno|syscall|path|A complete log)\b|^npm \S+ \d+$/;

const NOISE = [
  // stacks, code frames, details of printed objects
  /^\s/,
  /^[\s{}[\])^,;]*$/,
  /^Node\.js v\d/,
  /^(?:node:internal|file:\/\/)\S*:\d+$/,
  /^\(Use `node --trace/,
  /^note: run with/,
  /^goroutine \d+ /,
  /^exit status \d+$/,
];

/** Undefined if stderr is empty. */
export function causeInStderr(stderr: string): string | undefined {
  const lines = printable(stderr)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const found =
    lines.findLast((line) => NAMED_ERROR.test(line)) ??
    lines.find((line) => NPM.test(line) && !NPM_BARE.test(line)) ??
    lines.findLast((line) => !NOISE.some((noise) => noise.test(line))) ??
    lines.at(-1);
  return found?.trim().slice(0, MAX_LINE_CHARS).toWellFormed();
}
