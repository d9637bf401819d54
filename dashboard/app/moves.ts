/** Moves of a run as the page makes them, and what is said where another tab or person was first. */
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import type { AuditEntry } from '../../src/history/audit-trail.ts';
import type { NextMove } from '../../src/history/next-moves.ts';
import type { OpenQuestion } from '../../src/history/open-questions.ts';
import type { ShownProblem } from '../../src/server/http/problem.ts';
import { optionWord, spaced } from '../text/words.ts';
import { read, Refusal, v1 } from './api.ts';

export interface MoveResult {
  readonly words: string;
  /** The refusal, where there was one. */
  readonly problem?: ShownProblem;
}

export async function makeMove({ path, body = {} }: NextMove, added: JsonObject): Promise<void> {
  await read(path, { method: 'POST', json: { ...body, ...added } });
}

/** The opening is named, so that an answer never reaches a question that was asked later. */
export async function answerGate(
  run: string,
  { gate, opening }: Pick<OpenQuestion, 'gate' | 'opening'>,
  value: JsonValue,
): Promise<MoveResult> {
  try {
    await read(v1('runs', run, 'answers'), {
      method: 'POST',
      json: { gate, value, ...(opening === undefined ? {} : { opening }) },
    });
    return { words: `Answered ${gate} with ${answerWord(value)}.` };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { words: '', problem: thrown.problem };
  }
}

function answerWord(value: JsonValue): string {
  const words = optionWord(value);
  return words.length > 80 ? `${words.slice(0, 79)}…` : words;
}

/** Reads what the run is now, and who did the last thing to it. */
export async function whatIsNow(run: string): Promise<string> {
  const [{ status, attention }, audit] = await Promise.all([
    read<{ readonly status: string; readonly attention: string }>(v1('runs', run)),
    read<readonly AuditEntry[]>(v1('runs', run, 'audit')),
  ]);
  const last = audit.findLast(({ who }) => who !== 'errand');
  const now =
    attention === 'none' || attention === status ? status : `${status}, ${spaced(attention)}`;
  if (last === undefined) return `The run is now ${now}.`;
  const where = last.path === undefined ? '' : ` ${last.path}`;
  return `The run is now ${now}. Last, ${last.who} did ${last.what}${where}: ${last.detail}.`;
}

/** Refusals because somebody else was first. */
export function isConflict({ status }: ShownProblem): boolean {
  return status === 409 || status === 412;
}
