/** Failed runs by kind, and the resumption of all of them. */
import type { ShownProblem } from '../../src/server/http/problem-response.ts';
import { read, Refusal, v1, withQuery } from './api.ts';

export interface KindCount {
  readonly kind: string;
  readonly count: number;
  readonly costUsdMicros: number;
}

export interface KindCounts {
  readonly kinds: readonly KindCount[];
  /** There are more failed runs than were counted. */
  readonly isCut: boolean;
  /** The runs that were counted. */
  readonly failed: ReadonlySet<string>;
}

export interface BulkResult {
  readonly kind: string;
  readonly resumed: readonly string[];
  readonly refused: readonly { readonly run: string; readonly problem: ShownProblem }[];
}

export interface FailedRow {
  readonly run: string;
  readonly workflow: string;
  readonly error?: { readonly kind: string };
  readonly costUsdMicros: number;
}

const PAGE = '200';
const MOST_PAGES = 10;

/** Sorted by name: sorted by number they would change places under the pointer. */
export async function failuresByKind(): Promise<KindCounts> {
  const { rows, isCut } = await failedRuns({}, MOST_PAGES);
  const byKind = new Map<string, KindCount>();
  for (const { error, costUsdMicros } of rows) {
    const kind = error?.kind ?? 'unknown';
    const before = byKind.get(kind);
    byKind.set(kind, {
      kind,
      count: (before?.count ?? 0) + 1,
      costUsdMicros: (before?.costUsdMicros ?? 0) + costUsdMicros,
    });
  }
  return {
    kinds: [...byKind.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
    isCut,
    failed: new Set(rows.map(({ run }) => run)),
  };
}

export async function runsFailedWith(kind: string): Promise<readonly FailedRow[]> {
  return (await failedRuns({ kind }, Number.POSITIVE_INFINITY)).rows;
}

async function failedRuns(
  query: Readonly<Record<string, string>>,
  mostPages: number,
): Promise<{ readonly rows: readonly FailedRow[]; readonly isCut: boolean }> {
  const rows: FailedRow[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const { runs, next } = await read<{
      readonly runs: readonly FailedRow[];
      readonly next?: string;
    }>(withQuery(v1('runs'), { attention: 'failed', limit: PAGE, ...query, cursor }));
    rows.push(...runs);
    cursor = next;
    if (next === undefined) return { rows, isCut: false };
  }
  return { rows, isCut: true };
}

const MOST_WAITS = 60;

/** Resumes the oldest first; if the server is full, waits for room. */
export async function resumeAll(kind: string, runs: readonly FailedRow[]): Promise<BulkResult> {
  const resumed: string[] = [];
  const refused: BulkResult['refused'][number][] = [];
  for (const { run } of runs.toReversed()) {
    const problem = await resumeWithRoom(run);
    if (problem === undefined) resumed.push(run);
    else refused.push({ run, problem });
  }
  return { kind, resumed, refused };
}

async function resumeWithRoom(run: string): Promise<ShownProblem | undefined> {
  for (let waits = 0; ; waits++) {
    try {
      await read(v1('runs', run, 'resume'), { method: 'POST', json: {} });
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      if (thrown.problem.status !== 429 || waits >= MOST_WAITS) return thrown.problem;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}
