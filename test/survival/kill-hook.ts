/**
 * Loaded before the command itself (`node --import`): kills its process around the append that
 * ERRAND_TEST_KILL names. The command does not know this hook, which counts SQLite's statements.
 */
import { StatementSync } from 'node:sqlite';
import type { KillPoint } from './kill-points.ts';

/** The variables that the process must find in its environment. */
export interface KillEnvironment {
  /** A kill point as JSON. */
  readonly ERRAND_TEST_KILL: string;
}

type Run = (this: StatementSync, ...values: never[]) => ReturnType<StatementSync['run']>;

const point = JSON.parse(process.env['ERRAND_TEST_KILL'] ?? '{}') as Partial<KillPoint>;
const run: Run = Reflect.get(StatementSync.prototype, 'run');
let appends = 0;
let isInTransaction = false;

const runOrDie: Run = function (...values) {
  const sql = this.sourceSQL;
  const isAppend = sql.startsWith('INSERT INTO events ');
  if (isAppend) appends++;
  if (isAppend && point.when === 'before' && appends === point.append) die();
  const result = run.apply(this, values);
  if (sql === 'BEGIN IMMEDIATE') isInTransaction = true;
  if (sql === 'COMMIT') isInTransaction = false;
  const isDurable = sql === 'COMMIT' || (isAppend && !isInTransaction);
  if (isDurable && point.when === 'after' && appends === point.append) die();
  return result;
};

Reflect.set(StatementSync.prototype, 'run', runOrDie);

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
