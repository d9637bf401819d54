/**
 * Turns the events of a run into spans: legs, attempts of nodes, groups, sub-workflows and calls.
 * The live spans of a run and those made from its log afterwards both come from here, so they are
 * the same.
 */
import type { ErrorReport } from '../../errors/report/report.ts';
import type { LegFacts, NodeFacts, OpenNode } from '../../history/trace-facts.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { ATTRIBUTE, OPERATION, SPAN } from '../names.ts';
import { AttemptSpans } from './attempt-spans.ts';
import { attributes } from './call-attributes.ts';
import { CallSpans, type CallParent } from './call-spans.ts';
import { OpenSpans, type EndedSpan, type OpenSpan } from './open-span.ts';
import type { Attributes, SpanSink } from './span-sink.ts';

type LegBegun = Extract<RunEvent, { type: 'run:started' | 'run:resumed' }>;

export class SpanFold<S> {
  readonly #spans: OpenSpans<S>;
  readonly #attempts: AttemptSpans<S>;
  readonly #calls: CallSpans<S>;
  #leg: OpenSpan<S> | undefined;
  /** The time at which the leg was resumed: an answer of the same moment is the cause. */
  #resumedAt: string | undefined;
  #latestMs = 0;
  #latestAt = '';

  /** `onEnded` is called after each span has ended. */
  constructor(sink: SpanSink<S>, onEnded?: (ended: EndedSpan) => void) {
    this.#spans = new OpenSpans(sink, onEnded);
    this.#attempts = new AttemptSpans(this.#spans, () => this.#leg?.span);
    this.#calls = new CallSpans(this.#spans);
  }

  /** Opens the span of a leg. */
  beginLeg({ run, workflow, number, startMs, first, previous, cause }: LegFacts): S {
    this.#spans.run = run;
    this.#latestMs = startMs;
    const earlier = [...new Set([first, previous])].filter((link) => link !== undefined);
    this.#leg = this.#spans.open({
      role: 'leg',
      spanName: SPAN.workflow(workflow),
      name: workflow,
      workflow,
      parent: undefined,
      links: number === 1 ? [] : earlier,
      startMs,
      key: `leg ${number}`,
      attributes: attributes({
        ...this.#spans.attributesIn(workflow),
        [ATTRIBUTE.operation]: OPERATION.workflow,
        [ATTRIBUTE.leg]: number,
        [ATTRIBUTE.legCause]: cause,
      }),
    });
    return this.#leg.span;
  }

  /** Opens new spans for the nodes that the previous leg left open. */
  reopen(nodes: readonly OpenNode[]): void {
    const startMs = this.#leg?.startMs ?? this.#latestMs;
    for (const { node, path, attempt, members, child, seq, sinceMs: _since, ...facts } of nodes) {
      const opened = this.#attempts.start({ node, path, attempt, facts, startMs, seq });
      if (members !== undefined) this.#attempts.startGroup(opened, members, { ...facts, startMs });
      if (child !== undefined) this.#attempts.startChild(opened, child, startMs);
    }
  }

  note(event: RunEvent, facts?: NodeFacts): void {
    const atMs = this.#timeOf(event);
    switch (event.type) {
      case 'run:started':
      case 'run:resumed':
        return this.#nameCause(event);
      case 'run:paused': {
        const { reason } = event.waiting;
        const paused = { [ATTRIBUTE.runStatus]: 'paused', [ATTRIBUTE.waitingReason]: reason };
        return this.#endLeg(atMs, paused);
      }
      case 'run:completed':
        return this.#endLeg(atMs, { [ATTRIBUTE.runStatus]: 'completed' });
      case 'run:cancelled':
        return this.#endLeg(atMs, { [ATTRIBUTE.runStatus]: 'cancelled' });
      case 'run:failed':
        return this.#endLeg(atMs, { [ATTRIBUTE.runStatus]: 'failed' }, event.error);
      case 'breaker:changed':
      case 'budget:warning':
      case 'budget:paused':
      case 'error:suppressed':
        return;
      default:
        this.#noteInNode(event, atMs, facts);
    }
  }

  /** The events of a commit share their time. */
  #timeOf({ at }: RunEvent): number {
    if (at !== this.#latestAt) {
      this.#latestAt = at;
      this.#latestMs = Date.parse(at);
    }
    return this.#latestMs;
  }

  /** The span in which the call runs; opens one if the call has its own. */
  beginCall(
    { key, path }: { readonly key: string; readonly path: string },
    request: EffectRequest | undefined,
    startMs: number,
  ): S | undefined {
    return this.#calls.begin(key, request, { parent: this.#parentOf(path), startMs });
  }

  setOnCall(key: string, more: Attributes): void {
    this.#calls.set(key, more);
  }

  /** Notes the real end of a call; its event comes later, with the cost. */
  noteCallEnd(key: string, endMs: number): void {
    this.#calls.noteEnd(key, endMs);
  }

  /** Ends all open spans without a status: the leg has no ending event. */
  end(status = 'interrupted'): void {
    this.#endLeg(this.#latestMs, { [ATTRIBUTE.runStatus]: status });
  }

  #noteInNode(
    event: Extract<RunEvent, { path: string }>,
    atMs: number,
    facts: NodeFacts | undefined,
  ): void {
    const { path } = event;
    switch (event.type) {
      case 'node:started':
        return this.#nodeStarted(event, atMs, facts);
      case 'node:completed':
        return this.#nodeEnded(path, atMs, { output: event.output });
      case 'node:failed':
        return this.#nodeEnded(path, atMs, event);
      case 'route:taken':
        return this.#attempts.routed(path, event);
      case 'child:started': {
        const attempt = this.#attempts.at(path);
        if (attempt !== undefined) this.#attempts.startChild(attempt, event.workflow, atMs);
        return;
      }
      case 'child:ended':
        // the node that called it brings the failure
        if (event.status !== 'failed') this.#attempts.childEnded({ path, endMs: atMs });
        return;
      case 'effect:requested':
        return this.#calls.requested(event, atMs);
      case 'effect:succeeded':
      case 'effect:failed':
        return this.#calls.ended(event, atMs);
      case 'gate:answered':
        if (event.at === this.#resumedAt) this.#setCause('answer');
        return;
      case 'gate:opened':
      case 'gate:expired':
      case 'node:retrying':
      case 'node:skipped':
        return;
    }
  }

  #nodeStarted(
    { node, path, attempt, members, seq }: Extract<RunEvent, { type: 'node:started' }>,
    startMs: number,
    known: NodeFacts | undefined,
  ): void {
    const facts = known ?? { type: 'call', workflow: this.#leg?.workflow ?? '' };
    const opened = this.#attempts.start({ node, path, attempt, facts, startMs, seq });
    if (members !== undefined)
      this.#attempts.startGroup(opened, members.keys.length, { ...facts, startMs });
  }

  /** Spans that are open inside end with it. */
  #nodeEnded(
    path: string,
    endMs: number,
    { error, output }: { readonly error?: ErrorReport; readonly output?: JsonOutput },
  ): void {
    if (this.#attempts.at(path)?.inside !== undefined)
      for (const inner of this.#attempts.below(path)) {
        this.#calls.close(endMs, inner);
        this.#attempts.close(inner, endMs);
      }
    this.#attempts.nodeEnded({ path, endMs, error, output });
  }

  #parentOf(path: string): CallParent<S> {
    const around = this.#attempts.at(path)?.own ?? this.#leg;
    return { span: around?.span, workflow: around?.workflow ?? '' };
  }

  #nameCause(event: LegBegun): void {
    this.#resumedAt = event.type === 'run:resumed' ? event.at : undefined;
    this.#setCause(causeOf(event));
  }

  #setCause(cause: string): void {
    if (this.#leg !== undefined)
      this.#spans.sink.set(this.#leg.span, { [ATTRIBUTE.legCause]: cause });
  }

  #endLeg(endMs: number, more: Attributes, error?: ErrorReport): void {
    this.#calls.close(endMs);
    for (const path of this.#attempts.below()) this.#attempts.close(path, endMs);
    if (this.#leg !== undefined) this.#spans.close(this.#leg, { endMs, attributes: more }, error);
    this.#leg = undefined;
  }
}

type JsonOutput = Extract<RunEvent, { type: 'node:completed' }>['output'];

function causeOf(event: LegBegun): string {
  if (event.type === 'run:started') return 'start';
  if (event.from !== undefined) return 'retry';
  return ADOPTED.has(event.by) ? 'adopt' : 'resume';
}

/** The `by` of resumed legs that no caller has requested. */
const ADOPTED: ReadonlySet<string> = new Set(['timer', 'adoption']);
