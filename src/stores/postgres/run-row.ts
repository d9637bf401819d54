/** The row of a run: what it was started with, where it stands, who has it, and where its log ends. */
import type { JsonValue } from '../../errors/json.ts';
import type {
  ClaimOwner,
  ClaimState,
  LogHead,
  NewRun,
  RunStanding,
  RunSummary,
} from '../../machine/store-port.ts';
import { digestOf, rowChecksum } from '../checksum.ts';
import { corrupt, runNotFound } from '../failure.ts';
import { jsonText, seenClaim } from '../rules.ts';
import { integerAt, textAt, type Row } from '../row.ts';
import type { Query } from './database.ts';
import { readTombstone } from './removal.ts';

export interface RunRow {
  /** As every store gives it out. */
  readonly summary: RunSummary;
  readonly key: number;
  readonly epoch: number;
  readonly head: LogHead;
  readonly sent: number;
  readonly taken: number;
  /** When the row was read, by the clock of the server. */
  readonly nowMs: number;
  readonly inputText: string;
  /** Digest of the plan that the run was started with. */
  readonly plan: string;
  /** What the log begins with, before its first event. */
  readonly seed: string;
}

/** Now, by the clock of the server: the only one that all who ask have in common. */
export const NOW_MS = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Numbers that pg would give as text are asked for as floats, which hold them. */
export const COLUMNS = `key, id, workflow, file, started_at, input, checksum::float8 AS checksum, plan,
  standing, standing_checksum::float8 AS standing_checksum, epoch, owner, until_ms::float8 AS until_ms,
  next_seq, digest, sent, taken, ${NOW_MS}::float8 AS now_ms`;

export async function findRun(
  query: Query,
  run: string,
  lock: '' | 'FOR UPDATE' = '',
): Promise<RunRow> {
  const [row] = await query(`SELECT ${COLUMNS} FROM @runs WHERE id = $1 ${lock}`, [run]);
  if (row === undefined) throw runNotFound(run, await readTombstone(query, run));
  return readRun(row);
}

export function readRun(row: Row): RunRow {
  const run = textAt(row, 'id');
  const names = [textAt(row, 'workflow'), textAt(row, 'file'), textAt(row, 'started_at')] as const;
  const inputText = textAt(row, 'input');
  const seed = seedOf(run, names, inputText);
  if (integerAt(row, 'checksum') !== rowChecksum([seed])) throw damaged(run, 'The start');
  const plan = textAt(row, 'plan');
  const standing = textAt(row, 'standing');
  if (integerAt(row, 'standing_checksum') !== standingChecksum(run, plan, standing))
    throw damaged(run, 'The standing');
  const epoch = integerAt(row, 'epoch');
  const nowMs = integerAt(row, 'now_ms');
  const [workflow, file, startedAt] = names;
  return {
    summary: {
      run,
      // their checksums are right, so they are the JSON that this store wrote
      workflow: JSON.parse(workflow) as string,
      file: JSON.parse(file) as string | null,
      startedAt,
      ...(JSON.parse(standing) as RunStanding),
      claim: seenClaim(claimOf(row, epoch), nowMs),
    },
    key: integerAt(row, 'key'),
    epoch,
    head: { nextSeq: integerAt(row, 'next_seq'), digest: textAt(row, 'digest') },
    sent: integerAt(row, 'sent'),
    taken: integerAt(row, 'taken'),
    nowMs,
    inputText,
    plan,
    seed,
  };
}

export interface FreshRow {
  readonly seed: string;
  readonly plan: string;
  readonly columns: Readonly<Record<string, string | number>>;
}

/** The row of a run that begins; where its log and its lease end is added by whoever writes that. */
export function freshRow(run: NewRun, standing: string): FreshRow {
  // JSON holds what a text of PostgreSQL cannot
  const [workflow, file] = [JSON.stringify(run.workflow), JSON.stringify(run.file)];
  const input = jsonText(run.input, `The input of run ${run.id}`);
  const seed = seedOf(run.id, [workflow, file, run.startedAt], input);
  const plan = digestOf(run.plan);
  return {
    seed,
    plan,
    columns: {
      id: run.id,
      workflow,
      file,
      started_at: run.startedAt,
      input,
      checksum: rowChecksum([seed]),
      plan,
      status: run.standing.status,
      standing,
      standing_checksum: standingChecksum(run.id, plan, standing),
      epoch: 1,
      owner: JSON.stringify(run.owner),
      sent: 0,
      taken: 0,
    },
  };
}

export function standingChecksum(run: string, plan: string, standing: string): number {
  return rowChecksum([run, plan, standing]);
}

export function inputOf({ inputText }: RunRow): JsonValue {
  // its checksum is right, so it is the JSON that this store wrote
  return JSON.parse(inputText) as JsonValue;
}

function seedOf(run: string, names: readonly string[], input: string): string {
  return digestOf(`${JSON.stringify([run, ...names])} ${input}`);
}

export function claimOf(row: Row, epoch: number): ClaimState | null {
  if (row['owner'] === null) return null;
  const owner = JSON.parse(textAt(row, 'owner')) as ClaimOwner;
  return { owner, epoch, untilMs: integerAt(row, 'until_ms') };
}

/** Of a row that may be damaged. */
export function workflowIn(row: Row): string {
  try {
    return String(JSON.parse(textAt(row, 'workflow')));
  } catch {
    // whatever it is now, it is no name
    return '';
  }
}

function damaged(run: string, what: string): Error {
  return corrupt(`${what} of run ${run} is altered`, { run, table: 'runs' });
}
