/** `errand show`: what became of a run and of each of its nodes. */
import { jsonText } from '../../errors/printable.ts';
import { relative } from 'node:path';
import { foldRun } from '../../drivers/recover.ts';
import { isPlainObject, type JsonValue } from '../../errors/json.ts';
import { forPerson, type PersonReport } from '../../errors/project.ts';
import { namedDoubts, type NamedDoubt } from '../../machine/doubt.ts';
import type { RunEvent, Waiting } from '../../machine/events.ts';
import { costsOf, type Costs } from '../../machine/ledger.ts';
import { nodesOf, type NodeHistory } from '../../machine/node-history.ts';
import type { StandingStatus } from '../../machine/store-port.ts';
import type { Format } from '../format.ts';
import { showText } from '../screen/show-text.ts';
import { readRun, sayLostLog, statusOf, withStore, type StoredRun } from '../stored-run.ts';
import type { Terminal } from '../terminal.ts';

export interface ShownRun {
  readonly run: string;
  readonly workflow: string;
  readonly file: string | null;
  readonly status: StandingStatus;
  readonly input: JsonValue;
  readonly output?: JsonValue;
  readonly error?: PersonReport;
  readonly waiting?: Waiting;
  /** Effects that may have happened: whatever leads back to one of them asks first. */
  readonly in_doubt: readonly NamedDoubt[];
  readonly nodes: readonly NodeHistory[];
  readonly costs: Costs;
}

export async function show(
  id: string,
  { format }: { readonly format: Format },
  terminal: Terminal,
): Promise<number> {
  return withStore(async (store) => {
    const stored = await readRun(store, id);
    await sayLostLog(store, id, terminal);
    const shown = shownRun(stored);
    terminal.out(
      format === 'json'
        ? jsonText(shown, 2)
        : showText(shown, { ...stored, columns: terminal.columns, nowMs: Date.now() }),
    );
    return 0;
  }, id);
}

function shownRun({ record, events }: StoredRun): ShownRun {
  const { run, workflow, waiting } = record;
  // where it lies on this machine is nobody's business but the person's who stands beside it
  const file = record.file === null ? null : relative(process.cwd(), record.file) || record.file;
  const status = statusOf(record);
  const last = events.at(-1);
  return {
    run,
    workflow,
    file,
    status,
    input: inputOf(record.input, events),
    ...outputOf(last),
    ...(last?.type === 'run:failed' ? { error: forPerson(last.error) } : {}),
    ...(status === 'paused' && waiting !== undefined ? { waiting } : {}),
    in_doubt: namedDoubts(foldRun(record, events)),
    nodes: nodesOf(events),
    costs: costsOf(events),
  };
}

/** As it is now: what a resumption replaced is part of it. */
function inputOf(started: JsonValue, events: readonly RunEvent[]): JsonValue {
  const replaced = events.flatMap((event) =>
    event.type === 'run:resumed' && event.input !== undefined ? [event.input] : [],
  );
  const whole = isPlainObject(started) ? started : {};
  return replaced.length === 0
    ? started
    : replaced.reduce((input, change) => ({ ...input, ...change }), whole);
}

/** A failed termination has an output too. */
function outputOf(last: RunEvent | undefined): { readonly output?: JsonValue } {
  if (last?.type !== 'run:completed' && last?.type !== 'run:failed') return {};
  return last.output === undefined ? {} : { output: last.output };
}
