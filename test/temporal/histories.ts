/**
 * The recorded histories, and the only way to record them again: `node test/temporal/histories.ts`.
 * Every build replays them: a workflow that would decide differently today breaks the runs that are
 * active.
 */
import { createRequire } from 'node:module';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { act, planOf, type DriverCase } from '../engine/case.ts';
import { CASES } from '../engine/cases.ts';
import { openStage, PACKAGES } from './stage.ts';

export const FOLDER = join(import.meta.dirname, '__fixtures__', 'histories');

/** The subjects of the histories: timers, updates, signals, cancellation, conversations, groups. */
const RECORDED: readonly string[] = [
  'completes, with outputs passed on',
  'retries until it succeeds',
  'carries a failure through a child and a grandchild',
  'goes on past members that failed',
  'pauses at a gate and goes on with its answer',
  'parks for a while and tries again',
  'is cancelled while it waits for a person',
  'asks the next model when one is overloaded',
];

export interface RecordedHistory {
  readonly name: string;
  readonly history: object;
}

/** Temporal's own binary form, since its JSON loses what a replay needs. */
interface HistoryCodec {
  encode(history: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
}

function codec(): HistoryCodec {
  const require = createRequire(
    createRequire(join(PACKAGES, 'package.json')).resolve('@temporalio/client'),
  );
  return require('@temporalio/proto').temporal.api.history.v1.History as HistoryCodec;
}

export function recordedHistories(): readonly RecordedHistory[] {
  return globSync('*.bin', { cwd: FOLDER })
    .toSorted()
    .map((file) => ({
      name: file.replace('.bin', ''),
      history: codec().decode(readFileSync(join(FOLDER, file))),
    }));
}

if (import.meta.main) await record();

async function record(): Promise<void> {
  const stage = await openStage('histories');
  try {
    await stage.worker({ functions: { act }, tools: { act } });
    mkdirSync(FOLDER, { recursive: true });
    for (const each of CASES.filter(({ name }) => RECORDED.includes(name))) {
      const file = join(FOLDER, `${each.name.replaceAll(/\W+/g, '-')}.bin`);
      const history = await historyOf(each, stage);
      writeFileSync(file, codec().encode(history).finish());
    }
  } finally {
    await stage.close();
  }
}

async function historyOf(
  each: DriverCase,
  stage: Awaited<ReturnType<typeof openStage>>,
): Promise<unknown> {
  const require = createRequire(join(PACKAGES, 'package.json'));
  const { Connection, Client } = require('@temporalio/client');
  const driver = await stage.client();
  const run = await driver.start(planOf(each), each.input ?? {});
  const result = await run.result();
  if (each.cancels !== undefined) await (await driver.cancel(run.id, 'test'))?.result();
  for (const value of each.answers ?? []) {
    const rest = await driver.answer(run.id, { value, by: 'test' });
    await rest?.result();
  }
  if (result.status === 'paused' && result.waiting.reason === 'time')
    await driver.follow(run.id, (await driver.store.get(run.id)).head.nextSeq).result();
  const connection = await Connection.connect({ address: stage.config.address });
  const client = new Client({ connection });
  const history: unknown = await client.workflow.getHandle(run.id).fetchHistory();
  await connection.close();
  hideHosts(history);
  return history;
}

/** Hosts are private: hides where it ran. */
function hideHosts(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  for (const [key, part] of Object.entries(value)) {
    const isHost = key === 'identity' || key === 'requestId';
    const isQueue = key === 'name' && typeof part === 'string' && /^(errand-|\d+@)/.test(part);
    if (isHost || isQueue) Reflect.set(value, key, 'errand');
    else hideHosts(part);
  }
}
