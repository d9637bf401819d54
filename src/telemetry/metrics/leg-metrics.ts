/**
 * Records the metrics of a leg, from the same events and spans as its trace. Never records the id
 * of a run, a path with keys of members, or a message: each would create a series of its own.
 */
import type { ErrorReport } from '../../errors/report/report.ts';
import type { OpenNode } from '../../history/trace-facts.ts';
import type { EffectRef, RunEvent, Usage } from '../../machine/state/events.ts';
import { ATTRIBUTE, OPERATION } from '../names.ts';
import { attributes, modelParts } from '../spans/call-attributes.ts';
import { tookPlace } from '../spans/call-spans.ts';
import type { EndedSpan } from '../spans/open-span.ts';
import type { Attributes } from '../spans/span-sink.ts';
import type { RecordMetric } from './instruments.ts';
import type { ProcessGauges } from './process-gauges.ts';

/** A failed call, until the next attempt. */
interface FailedCall {
  readonly kind: string;
  readonly target: string;
  readonly atMs: number;
}

/** A failed attempt, until its route is known. */
interface PendingFailure {
  readonly node: string;
  readonly error: ErrorReport;
}

export class LegMetrics {
  readonly #record: RecordMetric;
  readonly #gauges: ProcessGauges;
  readonly #workflow: string;
  readonly #failures = new Map<string, PendingFailure>();
  /** The latest failure of each call, until its next attempt. */
  readonly #failedCalls = new Map<string, FailedCall>();
  /** The time at which the question of each open gate was asked, by path. */
  readonly #asked = new Map<string, number>();
  #isActive = false;

  constructor(record: RecordMetric, gauges: ProcessGauges, workflow: string) {
    this.#record = record;
    this.#gauges = gauges;
    this.#workflow = workflow;
  }

  #begin(run: string): void {
    if (this.#isActive) return;
    this.#isActive = true;
    this.#record('runActive', 1, { [ATTRIBUTE.workflow]: this.#workflow });
    this.#gauges.resumed(run, this.#record);
  }

  /** Resumes a leg; a question from another process counts as old as its node. */
  reopen(run: string, open: readonly OpenNode[]): void {
    this.#begin(run);
    for (const { path, type, sinceMs } of open)
      if (type === 'human_gate') this.#asked.set(path, sinceMs);
  }

  end(): void {
    for (const path of this.#failures.keys()) this.#countFailure(path, undefined);
    if (this.#isActive) this.#record('runActive', -1, { [ATTRIBUTE.workflow]: this.#workflow });
    this.#isActive = false;
  }

  committed(seconds: number, store: string, kind: string | undefined): void {
    const commit = attributes({ [ATTRIBUTE.store]: store, [ATTRIBUTE.errorType]: kind });
    this.#record('commitDuration', seconds, commit);
  }

  note(event: RunEvent): void {
    switch (event.type) {
      case 'run:started':
      case 'run:resumed':
        return this.#begin(event.run);
      case 'run:completed':
      case 'run:failed':
      case 'run:cancelled':
        return this.#ended(event);
      case 'run:paused':
        this.#gauges.paused(event.run, event.waiting.reason, this.#record);
        return this.end();
      case 'node:failed':
        this.#failures.set(event.path, { node: event.node, error: event.error });
        return;
      case 'route:taken':
        return this.#countFailure(event.path, event.move);
      case 'node:retrying':
        return this.#waited(event.delayMs / 1000, event.error.kind);
      case 'effect:requested':
        return this.#calledAgain(event);
      case 'effect:failed':
        return this.#callFailed(event);
      case 'gate:opened':
        this.#gauges.gateOpened(event);
        return;
      case 'gate:answered':
      case 'gate:expired':
        return this.#gateClosed(event);
      case 'breaker:changed':
        this.#record('breakerOpen', event.to === 'open' ? 1 : 0, {
          [ATTRIBUTE.breakerTarget]: event.target,
        });
        return;
      case 'error:suppressed':
        if (event.isWarning !== true)
          this.#record('suppressed', 1, {
            [ATTRIBUTE.errorType]: event.error.kind,
            [ATTRIBUTE.reason]: event.reason,
          });
        return;
      default:
    }
  }

  spanEnded({ role, name, workflow, seconds, error, call }: EndedSpan): void {
    const failed = attributes({ [ATTRIBUTE.errorType]: error?.kind });
    switch (role) {
      case 'leg':
      case 'child':
        return this.#record('workflowDuration', seconds, {
          [ATTRIBUTE.workflow]: workflow,
          ...failed,
        });
      case 'agent':
        return this.#record('agentDuration', seconds, { [ATTRIBUTE.agent]: name, ...failed });
      case 'tool':
        return this.#record('toolDuration', seconds, { [ATTRIBUTE.tool]: name, ...failed });
      case 'chat':
        return this.#chatEnded({ ...modelOf(name, call), ...failed }, seconds, call?.usage);
      case 'node':
      case 'group':
      case 'script':
    }
  }

  #chatEnded(of: Attributes, seconds: number, usage: Usage = {}): void {
    this.#record('operationDuration', seconds, of);
    const types = [
      ['input', usage.inputTokens],
      ['output', usage.outputTokens],
    ] as const;
    for (const [type, tokens] of types)
      if (tokens !== undefined)
        this.#record('tokenUsage', tokens, { ...of, [ATTRIBUTE.tokenType]: type });
  }

  #ended(
    event: Extract<RunEvent, { type: 'run:completed' | 'run:failed' | 'run:cancelled' }>,
  ): void {
    this.#record(
      'runEnded',
      1,
      attributes({
        [ATTRIBUTE.workflow]: this.#workflow,
        [ATTRIBUTE.runStatus]: event.type.slice('run:'.length),
        [ATTRIBUTE.errorType]: event.type === 'run:failed' ? event.error.kind : undefined,
      }),
    );
    this.end();
  }

  #countFailure(path: string, move: string | undefined): void {
    const failure = this.#failures.get(path);
    if (failure === undefined) return;
    this.#failures.delete(path);
    this.#record('failure', 1, this.#failureOf(failure.node, failure.error, move));
  }

  #failureOf(node: string, error: ErrorReport, move?: string): Attributes {
    return attributes({
      [ATTRIBUTE.workflow]: this.#workflow,
      [ATTRIBUTE.node]: node,
      [ATTRIBUTE.errorType]: error.kind,
      [ATTRIBUTE.category]: error.category,
      [ATTRIBUTE.routeMove]: move,
    });
  }

  #callFailed(event: Extract<RunEvent, { type: 'effect:failed' }>): void {
    const { effect, error, node, costUsdMicros = 0, at } = event;
    if (!tookPlace(event)) return;
    this.#failedCalls.set(effect.key, {
      kind: error.kind,
      target: effect.target,
      atMs: Date.parse(at),
    });
    this.#record('failure', 1, this.#failureOf(node, error));
    if (costUsdMicros > 0)
      this.#record('failureCost', costUsdMicros, {
        [ATTRIBUTE.workflow]: this.#workflow,
        ...modelNames(effect),
        [ATTRIBUTE.errorType]: error.kind,
      });
  }

  /** A repeated call of a model has the same key; the time between is the wait. */
  #calledAgain({ effect, attempt, at }: Extract<RunEvent, { type: 'effect:requested' }>): void {
    const failed = this.#failedCalls.get(effect.key);
    this.#failedCalls.delete(effect.key);
    // a call of another model follows at once
    if (failed?.target === effect.target && attempt > 0)
      this.#waited(Math.max(0, Date.parse(at) - failed.atMs) / 1000, failed.kind);
  }

  #waited(seconds: number, kind: string): void {
    this.#record('retryWait', seconds, { [ATTRIBUTE.errorType]: kind });
  }

  #gateClosed(event: Extract<RunEvent, { type: 'gate:answered' | 'gate:expired' }>): void {
    const openedMs = this.#gauges.gateClosed(event) ?? this.#asked.get(event.path);
    if (openedMs === undefined) return;
    this.#record('gateWait', Math.max(0, Date.parse(event.at) - openedMs) / 1000, {
      [ATTRIBUTE.workflow]: this.#workflow,
      [ATTRIBUTE.gateResolution]: event.type === 'gate:answered' ? 'answered' : 'expired',
    });
  }
}

function modelNames({ target }: EffectRef): Attributes {
  const { provider, model } = modelParts(target);
  return attributes({ [ATTRIBUTE.provider]: provider, [ATTRIBUTE.requestModel]: model });
}

function modelOf(target: string, call: EndedSpan['call']): Attributes {
  const { provider, model } = modelParts(target);
  const answeredBy = call?.type === 'effect:succeeded' ? answeredByOf(call.output) : undefined;
  return attributes({
    [ATTRIBUTE.operation]: OPERATION.chat,
    [ATTRIBUTE.provider]: provider,
    [ATTRIBUTE.requestModel]: model,
    [ATTRIBUTE.responseModel]:
      call?.type === 'effect:succeeded' ? (answeredBy ?? model) : undefined,
  });
}

function answeredByOf(output: unknown): string | undefined {
  const by =
    typeof output === 'object' && output !== null && 'answeredBy' in output
      ? output.answeredBy
      : undefined;
  return typeof by === 'string' ? modelParts(by).model : undefined;
}
