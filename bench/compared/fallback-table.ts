/** What three ways to a second model did with each failure, judged and counted. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../test/corpus/entries.ts';

export type System = 'errand' | 'ai-retry' | 'ai-fallback';

interface Seen {
  /** Of the first model, which always fails. */
  readonly requests: number;
  /** Of the second model, which always answers. */
  readonly answers: number;
  readonly isAnswered: boolean;
}

export interface Handled extends Seen {
  readonly id: string;
  readonly system: System;
  readonly ms: number;
  /** Null where either way can be meant. */
  readonly isRight: boolean | null;
}

export const FALLBACK_FILE = join(import.meta.dirname, 'fallback.jsonl');

/**
 * Right is: another model answers what passes or what a quota ended, and the spent quota is asked once; what the
 * input is at fault for stops after one request. A refused key may stop, or another model may answer, after one request.
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

/** The table of the page about the AI SDK. */
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
