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
    const { whole, torn } = lastLines(file);
    const seen = eventIn(whole, run);
    const begun = seqOfTorn(torn, run);
    return begun > (seen?.seq ?? 0) ? { seq: begun } : seen;
  } finally {
    closeSync(file);
  }
}

const CHUNK_BYTES = 64 * 1024;

/** The last whole line, and what comes after it. Read from the end, because a run can be long. */
function lastLines(file: number): { readonly whole: string; readonly torn: string } {
  const { size } = fstatSync(file);
  let text = Buffer.alloc(0);
  for (let from = size; from > 0;) {
    const start = Math.max(0, from - CHUNK_BYTES);
    const chunk = Buffer.alloc(from - start);
    readSync(file, chunk, 0, chunk.length, start);
    text = Buffer.concat([chunk, text]);
    from = start;
    const end = text.lastIndexOf(NEW_LINE);
    const before = end <= 0 ? -1 : text.lastIndexOf(NEW_LINE, end - 1);
    if (before >= 0 || from === 0)
      return {
        whole: end < 0 ? '' : text.toString('utf8', before + 1, end),
        torn: text.toString('utf8', end + 1),
      };
  }
  return { whole: '', torn: '' };
}

const NEW_LINE = 0x0a;

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
