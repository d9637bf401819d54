/**
 * The work of a server besides its requests: continues runs, keeps schedules, sends webhooks. The
 * engine and the store do it; only this file asks them to.
 */
import type { EffectClock } from '../effects/clock.ts';
import type { CarryingOn } from '../engine/carry-on.ts';
import type { Engine } from '../engine/errand.ts';
import type { RunnableWorkflow } from '../engine/errand-options.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { toReport } from '../errors/thrown/to-report.ts';
import type { WebhookSecret } from './webhooks/webhook-signature.ts';
import type { WebhookAddress } from './webhooks/webhook-address.ts';
import { Webhooks } from './webhooks/webhooks.ts';
import type { ServedWorkflows } from './workflows/served-workflows.ts';

export interface CarryOnOptions {
  readonly workflows: ServedWorkflows;
  /** How many runs are executed at a time. */
  readonly maxRuns: number;
  readonly clock: EffectClock;
  readonly webhooks: {
    readonly addresses: readonly WebhookAddress[];
    readonly secrets: readonly WebhookSecret[];
  };
  readonly onWarning: (error: ErrorReport) => void;
}

export interface CarryOn extends Pick<CarryingOn, 'hasRoom' | 'reserve'> {
  /** Called with every event of this process. */
  note(event: RunEvent): void;
  /** No new effect begins; those under way have that long to end. Runs stay resumable. */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

/** Events that webhooks are sent for. */
const SENT: ReadonlySet<RunEvent['type']> = new Set([
  'run:completed',
  'run:failed',
  'run:paused',
  'run:cancelled',
  'gate:opened',
]);

export async function beginCarryOn(engine: Engine, options: CarryOnOptions): Promise<CarryOn> {
  const { workflows, maxRuns, clock, webhooks, onWarning } = options;
  const carrying = await engine.carryOn({
    workflows: () => workflows.names(),
    fileOf: (name) => workflows.pathOf(name),
    maxRuns,
    onWarning,
  });
  const schedules = await engine.keepSchedules({
    workflows: () => workflows.scheduled(),
    start: (workflow, { input, id }) => startTick(engine, workflow, { input, id }),
    carrying,
    onWarning,
  });
  const sending =
    webhooks.addresses.length === 0
      ? undefined
      : new Webhooks({
          ...webhooks,
          clock,
          outbox: await engine.outbox(),
          onWarning: (thrown) => onWarning(toReport(thrown)),
        });
  await sending?.begin();
  return {
    hasRoom: () => carrying.hasRoom(),
    reserve: () => carrying.reserve(),
    note: ({ type }) => {
      if (SENT.has(type)) sending?.wake();
    },
    stop: async ({ graceMs }) => {
      await schedules.stop();
      await Promise.all([carrying.stop({ graceMs }), sending?.stop({ graceMs })]);
    },
  };
}

/** Closes what the file opened when the run rests. */
function startTick(
  engine: Engine,
  workflow: RunnableWorkflow,
  options: NonNullable<Parameters<Engine['startFile']>[1]>,
): Promise<unknown> {
  const { file } = workflow;
  return file === undefined ? engine.start(workflow, options) : engine.startFile(file, options);
}
