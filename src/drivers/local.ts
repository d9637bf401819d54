/** Runs on this machine: started, resumed, cancelled and listed, over any store. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { createRedactor, type Redactor } from '../errors/redact.ts';
import type { ErrorReport } from '../errors/report.ts';
import { answerEvent, type Answer } from '../machine/answers.ts';
import type { EventBody, RunEvent, Waiting } from '../machine/events.ts';
import { newRunState, type RunState } from '../machine/state.ts';
import { step } from '../machine/step.ts';
import type { Claim, ClaimOwner, RunStore, RunSummary } from '../machine/store-port.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { INLINE_CEILING_MS } from '../workflow/limits.ts';
import { SYSTEM_CLOCK, type DriverClock } from './clock.ts';
import type { EffectRunner } from './effect-runner.ts';
import { isOwnerAlive, processStart } from './owner.ts';
import { lostResults, recover } from './recover.ts';
import { RunLoop, type Rest } from './run-loop.ts';

export interface LocalOptions {
  readonly store: RunStore;
  readonly effects: EffectRunner;
  readonly clock?: DriverClock;
  readonly secrets?: readonly string[];
  /** Names of runs and of this driver. Default: random ones. */
  readonly newId?: () => string;
}

export interface RunOptions {
  readonly onEvent?: (event: RunEvent) => void;
  /** Waits of any length are waited out instead of pausing the run. */
  readonly wait?: boolean;
}

export type RunResult =
  | { readonly status: 'completed'; readonly output: JsonValue }
  | { readonly status: 'failed'; readonly error: ErrorReport }
  | { readonly status: 'cancelled' }
  | { readonly status: 'paused'; readonly waiting: Waiting }
  | { readonly status: 'interrupted'; readonly error?: ErrorReport };

export interface RunHandle {
  readonly id: string;
  result(): Promise<RunResult>;
  cancel(by: string): void;
  stop(): void;
}

const LEASE_MS = 30_000;

export class LocalDriver {
  readonly #store: RunStore;
  readonly #clock: DriverClock;
  readonly #redactor: Redactor;
  readonly #effects: EffectRunner;
  readonly #newId: () => string;
  readonly #owner: ClaimOwner;

  constructor(options: LocalOptions) {
    this.#store = options.store;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#redactor = createRedactor(options.secrets);
    this.#effects = options.effects;
    this.#newId = options.newId ?? randomUUID;
    this.#owner = {
      id: this.#newId(),
      host: hostname(),
      pid: process.pid,
      processStartedAt: processStart(process.pid),
    };
  }

  async start(plan: WorkflowPlan, input: JsonObject, options: RunOptions = {}): Promise<RunHandle> {
    const id = this.#newId().slice(0, 13);
    const state = newRunState(id, plan);
    const nowMs = this.#clock.now();
    const at = new Date(nowMs).toISOString();
    const bodies = step(state, [{ type: 'run:started', workflow: plan.name, input }], nowMs);
    const events = bodies.map((body, index): RunEvent => ({
      seq: index + 1,
      run: id,
      at,
      ...body,
    }));
    const { claim } = await this.#store.create({
      id,
      workflow: plan.name,
      file: plan.file,
      plan: JSON.stringify(plan),
      input,
      startedAt: at,
      events,
      standing: { status: 'running', costUsdMicros: 0 },
      owner: this.#owner,
      leaseMs: LEASE_MS,
    });
    for (const event of events) options.onEvent?.(event);
    return this.#carryOn(state, claim, options, []);
  }

  /** Goes on with what is paused, crashed, parked or failed; with an answer to one of its gates. */
  async resume(
    run: string,
    options: RunOptions & { readonly answer?: Answer } = {},
  ): Promise<RunHandle> {
    const record = await this.#store.get(run);
    if (record.status === 'completed' || record.status === 'cancelled') {
      throw new ErrandError({
        kind: 'run.already_ended',
        message: `The run ${run} is ${record.status}`,
      });
    }
    const claim = await this.#store.claim({
      run,
      owner: this.#owner,
      leaseMs: LEASE_MS,
      isAlive: isOwnerAlive,
    });
    // the plan was written by this driver, and its row is checked
    const state = await recover(this.#store, run, JSON.parse(record.plan) as WorkflowPlan);
    const resumed: EventBody[] =
      state.status === 'running' ? [] : [{ type: 'run:resumed', by: 'resume' }];
    const answered = await this.#answered(state, claim, options.answer);
    return this.#carryOn(state, claim, options, [...resumed, ...lostResults(state), ...answered]);
  }

  /** A refused answer leaves the run as it is, free for the next one. */
  async #answered(state: RunState, claim: Claim, answer: Answer | undefined): Promise<EventBody[]> {
    if (answer === undefined) return [];
    try {
      return [answerEvent(state, answer)];
    } catch (refusal) {
      await this.#store.release(claim);
      throw refusal;
    }
  }

  list(): Promise<readonly RunSummary[]> {
    return this.#store.list();
  }

  async close(): Promise<void> {
    await this.#effects.close();
    await this.#store.close();
  }

  #carryOn(
    state: RunState,
    claim: Claim,
    options: RunOptions,
    happened: readonly EventBody[],
  ): RunHandle {
    const loop = new RunLoop({
      state,
      claim,
      store: this.#store,
      effects: this.#effects,
      clock: this.#clock,
      redactor: this.#redactor,
      inlineMs: options.wait === true ? Infinity : INLINE_CEILING_MS,
      onEvent: options.onEvent ?? (() => undefined),
    });
    loop.take(...happened);
    const ended = loop.rested.then(async (rest) => {
      await this.#store.release(claim).catch(() => undefined);
      return resultOf(state, rest);
    });
    return {
      id: state.run,
      result: () => ended,
      cancel: (by) => loop.cancel(by),
      stop: () => loop.stop(),
    };
  }
}

function resultOf(state: RunState, rest: Rest): RunResult {
  if (rest.type === 'store') return { status: 'interrupted', error: rest.error };
  if (rest.type === 'stopped') return { status: 'interrupted' };
  switch (state.status) {
    case 'completed':
      return { status: 'completed', output: state.output ?? null };
    case 'cancelled':
      return { status: 'cancelled' };
    case 'paused':
      return { status: 'paused', waiting: state.waiting ?? { reason: 'person', all: [] } };
    case 'failed':
      if (state.error !== undefined) return { status: 'failed', error: state.error };
      return { status: 'interrupted' };
    case 'running':
      return { status: 'interrupted' };
  }
}
