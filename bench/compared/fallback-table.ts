/** Judges and counts how three ways to a second model handle each failure. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../test/corpus/entries.ts';

export type System = 'errand' | 'ai-retry' | 'ai-fallback';

interface Seen {
  /** Requests to the first model, which always fails. */
  readonly requests: number;
  /** Answers of the second model, which always answers. */
  readonly answers: number;
  readonly isAnswered: boolean;
}

export interface Handled extends Seen {
  readonly id: string;
  readonly system: System;
  readonly ms: number;
  /** Null if either way may be intended. */
  readonly isRight: boolean | null;
}

export const FALLBACK_FILE = join(import.meta.dirname, 'fallback.jsonl');

/**
 * Right means: another model answers after a passing failure or a spent quota, and the spent quota
 * is asked once. A failure of the input ends after one request. A refused key may end the call, or
 * another model may answer, after one request.
 */
export function judge({ expect }: Pick<Entry, 'expect'>, seen: Seen): boolean | null {
  const { requests, answers, isAnswered } = seen;
  switch (expect.category) {
    case 'transient':
      return isAnswered && answers === 1;
    case 'capacity':
      return isAnswered && requests === 1;
    case 'content':
    case 'policy':
      return !isAnswered && requests === 1 && answers === 0;
    case 'configuration':
      return requests === 1;
    default:
      return null;
  }
}

export function fallbackRows(): readonly Handled[] {
  return readFileSync(FALLBACK_FILE, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Handled);
}

const SYSTEMS: readonly System[] = ['errand', 'ai-retry', 'ai-fallback'];

/** The table for the page about the AI SDK. */
export function fallbackTable(rows: readonly Handled[]): string {
  const judged = rows.filter(({ isRight }) => isRight !== null);
  const lines = SYSTEMS.map((system) => {
    const own = judged.filter((row) => row.system === system);
    const right = own.filter(({ isRight }) => isRight === true).length;
    const requests = own.reduce((sum, row) => sum + row.requests + row.answers, 0);
    const share = ((100 * right) / own.length).toFixed(1);
    return `| \`${system === 'errand' ? 'errand/ai-sdk' : system}\` | ${share} % (${right} of ${own.length}) | ${requests} |`;
  });
  return ['| | handled rightly | requests sent |', '|---|---|---|', ...lines].join('\n');
}
