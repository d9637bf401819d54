/**
 * What `events.jsonl` of a run tells of its log. An event is exported after it was stored, so each of
 * its lines, and the beginning of a torn one, is an event that was in the log.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isPlainObject } from '../errors/json.ts';
import type { LogWitness, Witness } from './lost-log.ts';

/** The witness of all runs whose exports are in that folder. */
export function exportsIn(home: string): LogWitness {
  return (run) => {
    const folder = runFolder(home, run);
    return folder === undefined ? undefined : lastExported(join(folder, 'events.jsonl'), run);
  };
}

/** Where a run has its files; undefined for a name that leads elsewhere, as somebody may type it. */
export function runFolder(home: string, run: string): string | undefined {
  const isName = run !== '' && run !== '.' && run !== '..' && basename(run) === run;
  return isName && !/[\\\0]/.test(run) ? join(home, 'runs', run) : undefined;
}

function lastExported(path: string, run: string): Witness | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    // nothing was exported, or nobody may read it: it says nothing about the log
    return undefined;
  }
  try {
    return newestIn(file, run);
  } finally {
    closeSync(file);
  }
}

const CHUNK_BYTES = 64 * 1024;
const NEW_LINE = 0x0a;

/**
 * The last line that tells of an event of the run. Read from the end, because a run can be long. Lines
 * behind it that tell of none are passed over: an editor leaves a blank one, a bad disk any other, and
 * none of them takes back what was exported before.
 */
function newestIn(file: number, run: string): Witness | undefined {
  /** Of the line that begins before what was read, the last piece first. */
  let pieces: Buffer[] = [];
  for (let from = fstatSync(file).size; from > 0;) {
    const start = Math.max(0, from - CHUNK_BYTES);
    const chunk = Buffer.alloc(from - start);
    readSync(file, chunk, 0, chunk.length, start);
    from = start;
    let end = chunk.length;
    for (let at = lineBreakBefore(chunk, end); at >= 0; at = lineBreakBefore(chunk, end)) {
      const seen = told([...pieces, chunk.subarray(at + 1, end)], run);
      if (seen !== undefined) return seen;
      pieces = [];
      end = at;
    }
    pieces.push(chunk.subarray(0, end));
  }
  return told(pieces, run);
}

function lineBreakBefore(chunk: Buffer, end: number): number {
  return end === 0 ? -1 : chunk.lastIndexOf(NEW_LINE, end - 1);
}

/** By a whole line or by the beginning of one that was torn or damaged. */
function told(pieces: readonly Buffer[], run: string): Witness | undefined {
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

/** Undefined for what is no event of the run: a file that holds something else says nothing. */
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
