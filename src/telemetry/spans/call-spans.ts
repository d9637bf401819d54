/**
 * Spans of calls: models, tools and scripts. An event requests a call; its span begins with the
 * effect, and ends with the event of the result, which has the cost.
 */
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { EffectRef, RunEvent } from '../../machine/state/events.ts';
import { ATTRIBUTE, SPAN } from '../names.ts';
import {
  attributes,
  executableName,
  modelParts,
  requestAttributes,
  resultAttributes,
  type CallEnd,
} from './call-attributes.ts';
import type { OpenSpan, OpenSpans } from './open-span.ts';
import type { Attributes, SpanRole } from './span-sink.ts';

type Requested = Pick<
  Extract<RunEvent, { type: 'effect:requested' }>,
  'effect' | 'path' | 'attempt' | 'grant' | 'seq'
>;

interface RequestedCall<S> {
  readonly requested: Requested;
  readonly named: CallName;
  open: OpenSpan<S> | undefined;
  /** The real end, if it is known before its event. */
  endMs: number | undefined;
}

/** The span that the call belongs to: the attempt of its node, or the leg. */
export interface CallParent<S> {
  readonly span: S | undefined;
  readonly workflow: string;
}

export class CallSpans<S> {
  readonly #spans: OpenSpans<S>;
  readonly #calls = new Map<string, RequestedCall<S>>();

  constructor(spans: OpenSpans<S>) {
    this.#spans = spans;
  }

  requested(event: Requested, atMs: number): void {
    const { key } = event.effect;
    const named = nameOf(event.effect);
    if (named === undefined) return;
    const before = this.#calls.get(key);
    // its worker is gone, and its result too
    if (before?.open !== undefined) this.#spans.close(before.open, { endMs: before.endMs ?? atMs });
    this.#calls.set(key, { requested: event, named, open: undefined, endMs: undefined });
  }

  /** Opens the span of the call, or returns that of its node if it has none. */
  begin(
    key: string,
    request: EffectRequest | undefined,
    { parent, startMs }: { readonly parent: CallParent<S>; readonly startMs: number },
  ): S | undefined {
    const call = this.#calls.get(key);
    if (call === undefined) return parent.span;
    const { named } = call;
    const { effect, grant, attempt, seq } = call.requested;
    call.open ??= this.#spans.open({
      ...named,
      isClient: named.isClient || request?.server !== undefined,
      workflow: parent.workflow,
      parent: parent.span,
      startMs,
      key: `call ${seq} ${key}`,
      attributes: {
        ...this.#spans.attributesIn(parent.workflow),
        ...requestAttributes(effect, request),
        [ATTRIBUTE.effectKey]: key,
        [ATTRIBUTE.attempt]: attempt,
        ...attributes({ [ATTRIBUTE.grant]: grant?.gate }),
      },
    });
    return call.open.span;
  }

  set(key: string, more: Attributes): void {
    const open = this.#calls.get(key)?.open;
    if (open !== undefined) this.#spans.sink.set(open.span, more);
  }

  /** Notes the real end of the call. */
  noteEnd(key: string, endMs: number): void {
    const call = this.#calls.get(key);
    if (call !== undefined) call.endMs = endMs;
  }

  ended(end: CallEnd, atMs: number): void {
    const call = this.#calls.get(end.effect.key);
    this.#calls.delete(end.effect.key);
    if (call?.open === undefined) return;
    if (!tookPlace(end)) {
      this.#spans.sink.drop(call.open.span);
      return;
    }
    this.#spans.close(
      call.open,
      { endMs: call.endMs ?? atMs, attributes: resultAttributes(end) },
      end.type === 'effect:failed' ? end.error : undefined,
      end,
    );
  }

  /** Ends the calls of a node, or all of them, without a result. */
  close(endMs: number, path?: string): void {
    for (const [key, { requested, open, endMs: endedMs }] of this.#calls) {
      if (path !== undefined && requested.path !== path) continue;
      this.#calls.delete(key);
      if (open !== undefined) this.#spans.close(open, { endMs: endedMs ?? endMs });
    }
  }
}

interface CallName {
  readonly role: SpanRole;
  readonly spanName: string;
  readonly name: string;
  readonly isClient: boolean;
}

/** Undefined for functions and transforms: they run in the span of their node. */
function nameOf({ type, target }: EffectRef): CallName | undefined {
  switch (type) {
    case 'model': {
      const spanName = SPAN.chat(modelParts(target).model);
      return { role: 'chat', spanName, name: target, isClient: true };
    }
    case 'tool':
      return { role: 'tool', spanName: SPAN.tool(target), name: target, isClient: false };
    case 'script': {
      const name = executableName(target);
      return { role: 'script', spanName: name, name, isClient: true };
    }
    case 'call':
    case 'transform':
      return undefined;
  }
}

/**
 * False if the result is from the log, or if the engine refused or stopped the call before it
 * began.
 */
export function tookPlace(end: CallEnd): boolean {
  if (end.replayed === true) return false;
  if (end.type === 'effect:succeeded') return end.given !== true;
  if (end.keptBack !== undefined) return false;
  return !(end.error.kind.startsWith('cancelled.') && end.error.outcome === 'not_started');
}
