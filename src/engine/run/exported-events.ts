/**
 * The latest event in `events.jsonl` of a run, as a witness of its log. Events are exported after
 * they are stored, so each line of the file, even the beginning of a torn one, was an event of the
 * log.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { isPlainObject } from '../../errors/support/safe-json.ts';
import type { LogWitness, Witness } from './lost-log.ts';

const RUNS = 'runs';

/** The witness of all runs whose exports are in that folder. */
export function exportsIn(home: string): LogWitness {
  // asked at every start; a plain name follows, so nothing needs resolving
  const runs = `${join(home, RUNS)}${sep}`;
  return (run) =>
    isFolderName(run) ? lastExported(`${runs}${run}${sep}events.jsonl`, run) : undefined;
}

/** Folder of a run's files; undefined for a typed name that would lead out of the home folder. */
export function runFolder(home: string, run: string): string | undefined {
  return isFolderName(run) ? join(home, RUNS, run) : undefined;
}

function isFolderName(run: string): boolean {
  const isName = run !== '' && run !== '.' && run !== '..' && basename(run) === run;
  return isName && !/[\\\0]/.test(run);
}

/**
 * Undefined where nothing was exported or the file cannot be read: that proves nothing about the log.
 */
function lastExported(path: string, run: string): Witness | undefined {
  let file: number | undefined;
  try {
    // most runs that begin have no file, and an error costs more than this question
    if (!existsSync(path)) return undefined;
    // does not wait for the other end of a pipe
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return fstatSync(file).isFile() ? newestIn(file, run) : undefined;
  } catch {
    // the export of the next event fails too, and reports it
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const CHUNK_BYTES = 64 * 1024;
const NEW_LINE = 0x0a;

/**
 * The last line that is an event of the run. Reads from the end, because a log can be long. Skips
 * later lines that are no events: an editor adds a blank one, a bad disk any other, and neither
 * undoes an export.
 */
function newestIn(file: number, run: string): Witness | undefined {
  /** Pieces of the line that begins before the part read so far, last piece first. */
  let pieces: Buffer[] = [];
  for (let from = fstatSync(file).size; from > 0;) {
    const start = Math.max(0, from - CHUNK_BYTES);
    const chunk = Buffer.alloc(from - start);
    readSync(file, chunk, 0, chunk.length, start);
    from = start;
    let end = chunk.length;
    for (let at = lineBreakBefore(chunk, end); at >= 0; at = lineBreakBefore(chunk, end)) {
      const seen = eventOfLine([...pieces, chunk.subarray(at + 1, end)], run);
      if (seen !== undefined) return seen;
      pieces = [];
      end = at;
    }
    pieces.push(chunk.subarray(0, end));
  }
  return eventOfLine(pieces, run);
}

function lineBreakBefore(chunk: Buffer, end: number): number {
  return end === 0 ? -1 : chunk.lastIndexOf(NEW_LINE, end - 1);
}

/** Reads the event from a whole line, or from the beginning of a torn or damaged one. */
function eventOfLine(pieces: readonly Buffer[], run: string): Witness | undefined {
  // a crash can leave zero bytes before the line that was written next
  const line = Buffer.concat(pieces.toReversed()).toString('utf8').replace(/^\0+/, '');
  const begun = seqOfTorn(line, run);
  return eventIn(line, run) ?? (begun > 0 ? { seq: begun } : undefined);
}

/** 0 when too little of it was written to know. */
function seqOfTorn(line: string, run: string): number {
  const seq = /^\{"seq":(?<seq>\d{1,15}),/.exec(line)?.groups?.['seq'] ?? '0';
  return line.startsWith(`{"seq":${seq},"run":${JSON.stringify(run)},`) ? Number(seq) : 0;
}

/** Undefined for a line that is no event of the run. */
function eventIn(line: string, run: string): Witness | undefined {
  try {
    const event: unknown = JSON.parse(line);
    if (!isPlainObject(event) || event['run'] !== run) return undefined;
    const { seq, at, type } = event;
    if (typeof seq !== 'number') return undefined;
    return typeof at === 'string' && typeof type === 'string' ? { seq, at, type } : { seq };
  } catch {
    // not written by us
    return undefined;
  }
}
