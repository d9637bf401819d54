/**
 * Effects of a run as activities: each request is one activity with one attempt, since the machine
 * owns the retries. Breakers are at the worker, beside the effect, and their changes come back with
 * the result.
 */
import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import { TaskRoom } from './sizes/task-room.ts';
import {
  cancelledBefore,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
} from '../../effects/effect-port.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { TraceCarrier } from '../../machine/ports/trace-carrier.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { BreakerChange, GuardedResult } from '../run/breakers.ts';
import { arrivedReport, foreignDraft, isLost, isTakenBack, lostDraft } from './temporal-failure.ts';
import { ACTIVITY_TYPE, type EffectDone, type EffectRest, type EffectTask } from './messages.ts';
import type { SecretReferences } from './secrets/secret-marks.ts';
import { jsonBytes, MAX_PAYLOAD_BYTES, tooLargeRequest } from './sizes/payload-size.ts';

export interface ActivityEffectsOptions {
  readonly run: string;
  readonly file: string;
  /** Extensions of the workflow as it is now. */
  readonly extensions: () => readonly string[];
  /** Secrets of the workflow as it is now. */
  readonly secrets: () => SecretReferences | undefined;
  readonly heartbeatMs: number;
  /** The trace of the leg that runs now. */
  readonly trace: () => TraceCarrier | undefined;
  /** Whether nothing new may start here, so that the run can continue in a new execution. */
  readonly mustHold: (running: number) => boolean;
}

/** For an effect that sets no time itself; a dead worker is noticed by its silence. */
const NO_LIMIT_MS = 30 * 24 * 3_600_000;
/** For an effect to notice its own timeout and to stop what it started. */
const GRACE_MS = 60_000;
/** How many workers one effect may lose before it is given to no other. */
const MAX_LOSSES = 3;

interface Activities {
  readonly [ACTIVITY_TYPE]: (task: EffectTask) => Promise<EffectDone>;
}

export class ActivityEffects {
  readonly #options: ActivityEffectsOptions;
  readonly #changes = new Map<string, readonly BreakerChange[]>();
  readonly #losses = new Map<string, number>();
  readonly #room = new TaskRoom();
  #running = 0;

  constructor(options: ActivityEffectsOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running;
  }

  async guard(request: EffectRequest, run: () => Promise<EffectResult>): Promise<GuardedResult> {
    const result = await run();
    const changes = this.#changes.get(request.ref.key) ?? [];
    this.#changes.delete(request.ref.key);
    return { result, changes };
  }

  async run(request: EffectRequest, { signal }: EffectContext): Promise<EffectResult> {
    if (this.#options.mustHold(this.#running)) return held(request, signal);
    const task = this.#taskOf(request);
    const sizeBytes = jsonBytes(task);
    if (sizeBytes > MAX_PAYLOAD_BYTES)
      return { ok: false, failure: tooLargeRequest(request, sizeBytes) };
    if (!this.#room.takes(sizeBytes)) {
      await this.#room.later(sizeBytes, signal);
      if (signal.aborted || this.#options.mustHold(this.#running)) return held(request, signal);
    }
    const scope = new CancellationScope();
    const stop = (): void => scope.cancel();
    signal.addEventListener('abort', stop);
    this.#running++;
    try {
      const done = await scope.run(() => this.#schedule(task, request));
      this.#losses.delete(request.ref.key);
      return this.#succeeded(request, done);
    } catch (failure) {
      return this.#failed(request, failure);
    } finally {
      this.#running--;
      signal.removeEventListener('abort', stop);
    }
  }

  #schedule(task: EffectTask, { timeoutMs, path }: EffectRequest): Promise<EffectDone> {
    const activities = proxyActivities<Activities>({
      startToCloseTimeout: timeoutMs === undefined ? NO_LIMIT_MS : timeoutMs + GRACE_MS,
      heartbeatTimeout: this.#options.heartbeatMs,
      retry: { maximumAttempts: 1 },
      cancellationType: 'WAIT_CANCELLATION_COMPLETED',
      summary: path,
    });
    return activities[ACTIVITY_TYPE](task);
  }

  #taskOf(request: EffectRequest): EffectTask {
    const { run, file } = this.#options;
    const extensions = this.#options.extensions();
    const secrets = this.#options.secrets();
    const trace = this.#options.trace();
    return {
      v: 1,
      run,
      file,
      ...(extensions.length === 0 ? {} : { extensions }),
      ...(secrets === undefined ? {} : { secrets }),
      ...(trace === undefined ? {} : { trace }),
      request: { ...request, node: essenceOf(request.node) },
    };
  }

  #succeeded({ ref }: EffectRequest, { changes = [], ...done }: EffectDone): EffectResult {
    this.#changes.set(ref.key, changes);
    return { ok: true, ...done };
  }

  #failed(request: EffectRequest, failure: unknown): EffectFailure {
    const { key } = request.ref;
    const arrived = arrivedReport(failure);
    if (arrived !== undefined) {
      // written by our own activity, whose version may differ in what it leaves out
      const { changes = [], ...rest } = arrived.rest as unknown as EffectRest;
      this.#changes.set(key, changes);
      const counted = rest.isLost === true ? { isLost: this.#mayAskAgain(key) } : {};
      return { ok: false, failure: arrived.draft, ...rest, ...counted };
    }
    if (isTakenBack(failure))
      return cancelledBefore(request.ref.type === 'model' ? 'cancelled.call' : 'cancelled.tool');
    if (!isLost(failure)) return { ok: false, failure: foreignDraft(failure) };
    const draft = lostDraft(failure, request.node.name, request.ref);
    return { ok: false, failure: draft, isLost: this.#mayAskAgain(key) };
  }

  #mayAskAgain(key: string): boolean {
    const losses = (this.#losses.get(key) ?? 0) + 1;
    this.#losses.set(key, losses);
    return losses < MAX_LOSSES;
  }
}

/** Starts in the next execution, unless it is no longer wanted. */
function held({ ref }: EffectRequest, signal: AbortSignal): Promise<EffectResult> {
  return new Promise((resolve) => {
    const takeBack = (): void =>
      resolve(cancelledBefore(ref.type === 'model' ? 'cancelled.call' : 'cancelled.tool'));
    if (signal.aborted) takeBack();
    else signal.addEventListener('abort', takeBack);
  });
}

/** The fields that an effect reads; templates and routes belong to the machine. */
function essenceOf(node: NodePlan): NodePlan {
  const { name, type } = node;
  const kept: Record<string, JsonValue> = { name, type };
  if (node.type === 'script')
    kept['exitCodes'] = node.exitCodes === 'any' ? 'any' : [...node.exitCodes];
  if (node.type === 'call') kept['function'] = node.function;
  if (node.type === 'call' && node.isExtension === true) kept['isExtension'] = true;
  if (node.type === 'tool') kept['tool'] = node.tool;
  if ('keepsTruncated' in node) kept['keepsTruncated'] = true;
  if (node.type === 'agent') kept['onPartial'] = node.onPartial;
  // of its type, as far as an effect reads it
  return kept as unknown as NodePlan;
}
