/** Moves of a run from the page, and the message if another tab or person was first. */
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import type { NextMove } from '../../src/history/next-moves.ts';
import type { OpenQuestion } from '../../src/history/open-questions.ts';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import { labelOf } from '../text/words.ts';
import { NO_ANSWER, read, Refusal, ServerAway, v1 } from './api.ts';

export interface MoveResult {
  readonly words: string;
  /** The refusal, if there was one. */
  readonly problem?: ShownProblem;
}

export async function makeMove({ path, body = {} }: NextMove, added: JsonObject): Promise<void> {
  await read(path, { method: 'POST', json: { ...body, ...added } });
}

/** Names the opening, so that an answer never reaches a question that was asked later. */
export async function answerGate(
  run: string,
  question: Pick<OpenQuestion, 'gate' | 'opening' | 'labels'>,
  value: JsonValue,
): Promise<MoveResult> {
  const { gate, opening } = question;
  try {
    await read(v1('runs', run, 'answers'), {
      method: 'POST',
      json: { gate, value, ...(opening === undefined ? {} : { opening }) },
    });
    return { words: `Answered ${gate} with ${answerWord(labelOf(question, value))}.` };
  } catch (thrown) {
    if (thrown instanceof ServerAway) return { words: '', problem: NO_ANSWER };
    if (!(thrown instanceof Refusal)) throw thrown;
    return { words: '', problem: thrown.problem };
  }
}

function answerWord(words: string): string {
  return words.length > 80 ? `${words.slice(0, 79)}…` : words;
}

/**
 * Describes the current state of the run, and who acted on it last. Loaded on demand: few pages
 * need it.
 */
export async function whatIsNow(run: string): Promise<string> {
  return (await import('./what-is-now.ts')).wordsOfNow(run);
}

/** Whether the refusal means that somebody else was first. */
export function isConflict({ status }: ShownProblem): boolean {
  return status === 409 || status === 412;
}
