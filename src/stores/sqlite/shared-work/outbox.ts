/**
 * Messages that wait to be sent to endpoints. A commit adds its notices in its own transaction, so
 * none is lost; a process takes a delivery only for a while, so none is stuck with a dead process.
 */
import type {
  Delivery,
  DeliveryResult,
  Endpoint,
  EndpointState,
  Notice,
  TakeDeliveries,
} from '../../../machine/ports/shared-work-port.ts';
import { rowChecksum } from '../../checksum.ts';
import { corrupt } from '../../store-failure.ts';
import { ENDPOINT_IDLE_MS } from '../../store-rules.ts';
import { integerAt, textAt, textOrNullAt, type Row } from '../../typed-row.ts';
import type { Preparer } from '../meta.ts';

interface StoredDelivery extends Omit<Delivery, 'run'> {
  readonly key: number;
  readonly dueMs: number | null;
  readonly problem: string | null;
}

/** Part of a commit. */
export function keepNotices(
  db: Preparer,
  key: number,
  { notices, nowMs }: { readonly notices: readonly Notice[]; readonly nowMs: number },
): void {
  if (notices.length === 0) return;
  for (const { id, seenMs } of readEndpoints(db)) {
    if (seenMs <= nowMs - ENDPOINT_IDLE_MS) continue;
    for (const { seq, type } of notices)
      writeDelivery(db, { endpoint: id, key, seq, type, tries: 0, dueMs: nowMs, problem: null });
  }
}

export function addEndpoint(db: Preparer, { id, name }: Endpoint, nowMs: number): void {
  const known = readEndpoints(db).find((endpoint) => endpoint.id === id);
  const values = [id, known?.name ?? name, known?.sinceMs ?? nowMs, nowMs] as const;
  db.prepare(
    'INSERT OR REPLACE INTO endpoints (id, name, since_ms, seen_ms, checksum) VALUES (?, ?, ?, ?, ?)',
  ).run(...values, rowChecksum(values));
}

export function endpointStates(db: Preparer): EndpointState[] {
  return readEndpoints(db).map(({ id, name, sinceMs, seenMs }) => {
    const counts = db
      .prepare(
        `SELECT count(due_ms) AS waiting, count(*) - count(due_ms) AS failed
         FROM deliveries WHERE endpoint = ?`,
      )
      .get(id);
    const last = db
      .prepare(
        `SELECT problem FROM deliveries WHERE endpoint = ? AND due_ms IS NULL
         ORDER BY run DESC, seq DESC LIMIT 1`,
      )
      .get(id);
    const problem = last === undefined ? null : textOrNullAt(last, 'problem');
    return {
      id,
      name,
      since: new Date(sinceMs).toISOString(),
      seen: new Date(seenMs).toISOString(),
      waiting: counts === undefined ? 0 : integerAt(counts, 'waiting'),
      failed: counts === undefined ? 0 : integerAt(counts, 'failed'),
      ...(problem === null ? {} : { problem }),
    };
  });
}

export function takeDeliveries(
  db: Preparer,
  { endpoints, limit, leaseMs }: TakeDeliveries,
  nowMs: number,
): Delivery[] {
  return db
    .prepare(
      `SELECT d.*, r.id FROM deliveries d JOIN runs r ON r.key = d.run
       WHERE d.due_ms <= ? AND d.endpoint IN (SELECT value FROM json_each(?))
       ORDER BY d.due_ms LIMIT ?`,
    )
    .all(nowMs, JSON.stringify(endpoints), limit)
    .map((row) => {
      const stored = checkedDelivery(row);
      writeDelivery(db, { ...stored, dueMs: nowMs + leaseMs });
      const { endpoint, seq, type, tries } = stored;
      return { endpoint, run: textAt(row, 'id'), seq, type, tries };
    });
}

export function settleDelivery(
  db: Preparer,
  { endpoint, key, seq }: Pick<StoredDelivery, 'endpoint' | 'key' | 'seq'>,
  { result, nowMs }: { readonly result: DeliveryResult; readonly nowMs: number },
): void {
  const at = [key, seq, endpoint] as const;
  const row = db
    .prepare('SELECT * FROM deliveries WHERE run = ? AND seq = ? AND endpoint = ?')
    .get(...at);
  if (row === undefined) return;
  if (result.isDelivered) {
    db.prepare('DELETE FROM deliveries WHERE run = ? AND seq = ? AND endpoint = ?').run(...at);
    return;
  }
  const { againInMs, problem } = result;
  const stored = checkedDelivery(row);
  const dueMs = againInMs === null ? null : nowMs + againInMs;
  writeDelivery(db, { ...stored, tries: stored.tries + 1, dueMs, problem });
}

interface StoredEndpoint extends Endpoint {
  readonly sinceMs: number;
  readonly seenMs: number;
}

function readEndpoints(db: Preparer): StoredEndpoint[] {
  return db
    .prepare('SELECT * FROM endpoints ORDER BY id')
    .all()
    .map((row) => {
      const [id, name] = [textAt(row, 'id'), textAt(row, 'name')];
      const [sinceMs, seenMs] = [integerAt(row, 'since_ms'), integerAt(row, 'seen_ms')];
      if (integerAt(row, 'checksum') !== rowChecksum([id, name, sinceMs, seenMs]))
        throw corrupt(`The endpoint ${name} is altered`, { table: 'endpoints' });
      return { id, name, sinceMs, seenMs };
    });
}

function writeDelivery(db: Preparer, delivery: StoredDelivery): void {
  db.prepare(
    `INSERT OR REPLACE INTO deliveries (endpoint, run, seq, type, tries, due_ms, problem, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(...valuesOf(delivery), rowChecksum(valuesOf(delivery)));
}

function valuesOf({ endpoint, key, seq, type, tries, dueMs, problem }: StoredDelivery) {
  return [endpoint, key, seq, type, tries, dueMs, problem] as const;
}

function checkedDelivery(row: Row): StoredDelivery {
  const stored = {
    endpoint: textAt(row, 'endpoint'),
    key: integerAt(row, 'run'),
    seq: integerAt(row, 'seq'),
    type: textAt(row, 'type'),
    tries: integerAt(row, 'tries'),
    dueMs: row['due_ms'] === null ? null : integerAt(row, 'due_ms'),
    problem: textOrNullAt(row, 'problem'),
  };
  if (integerAt(row, 'checksum') === rowChecksum(valuesOf(stored))) return stored;
  throw corrupt('A row of the outbox is altered', { table: 'deliveries', seq: stored.seq });
}
