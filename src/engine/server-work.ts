/**
 * The work of a server beside its requests, over the facade: continues runs, keeps schedules, and hands
 * out what is to be sent. A Temporal server does the first by itself.
 */
import type { EffectClock } from '../effects/clock.ts';
import { ErrandError, isKind } from '../errors/thrown/errand-error.ts';
import { toReport } from '../errors/thrown/to-report.ts';
import type { Delivery, SharedWork } from '../machine/ports/shared-work-port.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { Backend, LegOrigin, RunHandle, RunSharing } from './backend.ts';
import type {
  CarryingOn,
  CarryOnOptions,
  KeepingSchedules,
  Outbox,
  OutgoingNotice,
  ScheduleOptions,
  ScheduleState,
  ServerNotes,
} from './carry-on.ts';
import type { StartOptions } from './errand-interface.ts';
import type { RunnableWorkflow } from './errand-options.ts';
import { CarryOnRuns } from './local/carry-on-runs.ts';
import { KeepSchedules, keptSchedules, scheduleStates } from './local/keep-schedules.ts';
import { asEvent } from './run/subscription.ts';

export interface ServerWorkParts {
  readonly clock: EffectClock;
  readonly backend: () => Promise<Backend>;
  readonly start: (
    workflow: RunnableWorkflow,
    options: StartOptions & LegOrigin,
  ) => Promise<RunHandle>;
  readonly resume: (run: string, options: CarriedLeg) => Promise<RunHandle>;
  readonly onWarning: (thrown: unknown) => void;
}

export interface CarriedLeg {
  readonly by: string;
  readonly lostBefore: number;
  /** The file of the workflow. Default: the file that the run was started with. */
  readonly file?: string | undefined;
}

/** How long nobody else sends a delivery that was taken: longer than the 15 s that a try takes. */
const DELIVERY_LEASE_MS = 20_000;

export class ServerWork {
  readonly #parts: ServerWorkParts;
  readonly #carrying: CarryOnRuns[] = [];
  readonly #schedules: KeepSchedules[] = [];

  constructor(parts: ServerWorkParts) {
    this.#parts = parts;
  }

  async carryOn(options: CarryOnOptions = {}): Promise<CarryingOn> {
    const { sharing } = await this.#parts.backend();
    if (sharing === undefined) return BY_ITSELF;
    const { clock, resume } = this.#parts;
    const carrying = new CarryOnRuns({
      clock,
      sharing,
      workflows: options.workflows,
      take: ({ run, workflow, status }, lostBefore) =>
        resume(run, {
          by: status === 'paused' ? 'timer' : 'adoption',
          lostBefore,
          file: options.fileOf?.(workflow),
        }),
      maxRuns: options.maxRuns ?? Infinity,
      onWarning: this.#warning(options),
    });
    this.#carrying.push(carrying);
    await carrying.begin();
    return carrying;
  }

  async keepSchedules(options: ScheduleOptions): Promise<KeepingSchedules> {
    const { clock, start } = this.#parts;
    const { store, sharing } = await this.#sharing('Schedules');
    const keeping = new KeepSchedules({
      clock,
      work: sharing.work,
      store,
      start: options.start ?? start,
      workflows: options.workflows,
      reserve: () => options.carrying.reserve(),
      onWarning: this.#warning(options),
    });
    this.#schedules.push(keeping);
    keeping.begin();
    return keeping;
  }

  async scheduleStates(
    plans: readonly WorkflowPlan[],
  ): Promise<readonly (readonly ScheduleState[])[]> {
    const { sharing } = await this.#parts.backend();
    return scheduleStates(plans, sharing?.work, this.#parts.clock.now());
  }

  /** Notes of servers in the store; none where a Temporal server keeps the runs. */
  async serverNotes(): Promise<ServerNotes> {
    const { sharing } = await this.#parts.backend();
    if (sharing === undefined) return { schedules: [], endpoints: [] };
    const { work } = sharing;
    return { schedules: await keptSchedules(work), endpoints: await work.endpoints() };
  }

  /** Notes that all processes on the store share; undefined where a Temporal server keeps the runs. */
  async sharedNotes(): Promise<Pick<SharedWork, 'notes' | 'setNote'> | undefined> {
    return (await this.#parts.backend()).sharing?.work;
  }

  async outbox(): Promise<Outbox> {
    const { sharing } = await this.#sharing('Webhooks');
    const { work } = sharing;
    return {
      add: (endpoint) => work.addEndpoint(endpoint),
      state: () => work.endpoints(),
      take: async (endpoints, limit) => {
        const request = { endpoints, limit, leaseMs: DELIVERY_LEASE_MS };
        const taken = await work.takeDeliveries(request);
        return Promise.all(taken.map((delivery) => this.#withEvent(delivery)));
      },
      settle: (notice, result) => work.settleDelivery(notice, result),
    };
  }

  /** Takes and starts nothing more. */
  async close(): Promise<void> {
    await Promise.all(this.#schedules.map((keeping) => keeping.stop()));
    await Promise.all(this.#carrying.map((carrying) => carrying.takeNoMore()));
  }

  async #withEvent(delivery: Delivery): Promise<OutgoingNotice> {
    const { store } = await this.#parts.backend();
    try {
      const { workflow } = await store.summary(delivery.run);
      for await (const { events } of store.read(delivery.run, delivery.seq)) {
        const [first] = events;
        return { ...delivery, workflow, event: first === undefined ? null : asEvent(first) };
      }
    } catch (thrown) {
      // removed since, or damaged, which the run itself reports
      if (!isKind(thrown, 'run.not_found') && !isKind(thrown, 'store.corrupt')) throw thrown;
    }
    return { ...delivery, workflow: '', event: null };
  }

  async #sharing(what: string): Promise<{ store: Backend['store']; sharing: RunSharing }> {
    const { store, sharing } = await this.#parts.backend();
    if (sharing !== undefined) return { store, sharing };
    throw new ErrandError({
      kind: 'validation.input',
      message: `${what} need a store, and a Temporal server keeps these runs`,
      action: { kind: 'change_input', detail: 'Use the schedules and the tools of the server.' },
    });
  }

  #warning({ onWarning }: Pick<CarryOnOptions, 'onWarning'>): (thrown: unknown) => void {
    if (onWarning === undefined) return this.#parts.onWarning;
    return (thrown) => onWarning(toReport(thrown));
  }
}

const BY_ITSELF: CarryingOn = {
  hasRoom: () => true,
  reserve: () => () => undefined,
  stop: () => Promise.resolve(),
};
