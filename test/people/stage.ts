/** An application with an agent whose model says the lines of the test, and the result. */
import { auditTrail, type AuditEntry } from '../../src/history/audit-trail.ts';
import {
  openErrand,
  workflow,
  type Errand,
  type ErrandOptions,
  type RunEvent,
  type RunHandle,
  type RunnableWorkflow,
} from '../../src/index.ts';
import { SDKS, spyModel, type Line, type Spy } from './spy-model.ts';

const opened: Errand[] = [];

export async function closeAll(): Promise<void> {
  for (const errand of opened.splice(0)) await errand.close();
}

export async function open(options: ErrandOptions = {}): Promise<Errand> {
  const errand = await openErrand({ store: 'memory', directory: SDKS, ...options });
  opened.push(errand);
  return errand;
}

export async function eventsOf(errand: Errand, run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of errand.history(run)) events.push(event);
  return events;
}

export async function auditIn(errand: Errand, run: string): Promise<readonly AuditEntry[]> {
  return auditTrail(await eventsOf(errand, run));
}

export interface Talk extends Spy {
  readonly errand: Errand;
  readonly run: RunHandle;
  /** Answers the only open gate, and waits for the result. */
  readonly answer: (value: Parameters<Errand['answer']>[1]['value']) => Promise<unknown>;
  readonly events: () => Promise<readonly RunEvent[]>;
  readonly audit: () => Promise<readonly AuditEntry[]>;
}

/** Runs one agent `a` that says these lines. */
export async function talk(
  lines: readonly Line[],
  node: object,
  options: ErrandOptions = {},
): Promise<Talk> {
  const spy = spyModel(...lines);
  const errand = await open({ ...options, models: { 'house/spy': spy.model } });
  const made = workflow({
    name: 't',
    entryPoint: 'a',
    nodes: [{ name: 'a', prompt: 'Go', model: 'house/spy', ...node }],
  }) as RunnableWorkflow;
  const run = await errand.start(made);
  return {
    ...spy,
    errand,
    run,
    answer: async (value) => {
      const again = await errand.answer(run.id, { value, by: 'ann' });
      return again?.result();
    },
    events: () => eventsOf(errand, run.id),
    audit: () => auditIn(errand, run.id),
  };
}
