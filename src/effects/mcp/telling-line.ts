/**
 * The line of a dying program's stderr that says why. Its last line seldom does: Node ends with its
 * version, npm with the place of a log, Rust with how to see more. Only a choice of what to quote:
 * nothing is decided by it.
 */
import { stripVTControlCharacters } from 'node:util';

const MAX_LINE_CHARS = 300;

/** `TypeError: …`, `Error [ERR_X]: …`, `ValueError: …`, `java.io.IOException: …`. */
const NAMED_ERROR = /^(?:Uncaught )?[\w$.]*(?:Error|Exception)(?: \[\w+\])?: \S/;

const NPM = /^npm (?:error|ERR!) /;
const NPM_BARE = /^npm (?:error|ERR!) (?:code|errno|syscall|path|A complete log)\b|^npm \S+ \d+$/;

const NOISE = [
  // stacks, code frames, the inside of what was printed
  /^\s/,
  /^[\s{}[\])^,;]*$/,
  /^Node\.js v\d/,
  /^(?:node:internal|file:\/\/)\S*:\d+$/,
  /^\(Use `node --trace/,
  /^note: run with/,
  /^goroutine \d+ /,
  /^exit status \d+$/,
];

/** Undefined where nothing was written. */
export function tellingLine(stderr: string): string | undefined {
  const lines = stripVTControlCharacters(stderr)
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '');
  const found =
    lines.findLast((line) => NAMED_ERROR.test(line)) ??
    lines.find((line) => NPM.test(line) && !NPM_BARE.test(line)) ??
    lines.findLast((line) => !NOISE.some((noise) => noise.test(line))) ??
    lines.at(-1);
  return found?.trim().slice(0, MAX_LINE_CHARS).toWellFormed();
}
