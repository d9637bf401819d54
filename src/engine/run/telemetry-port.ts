/**
 * The port through which a leg is watched: spans and metrics are made behind it, from stored events for
 * legs and nodes, and live around calls. Pure data goes in, so that Temporal's sandbox can send it too.
 */
import type { EffectContext, EffectResult } from '../../effects/effect-port.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { TraceCarrier } from '../../machine/ports/trace-carrier.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { LegFacts, NodeFacts, OpenNode } from '../../history/trace-facts.ts';

/** The context that a call gets from its span. */
export type WatchedCall = Pick<EffectContext, 'trace' | 'observe'>;

export type MakeCall = (watched: WatchedCall) => Promise<EffectResult>;

export interface LegStart extends LegFacts {
  /** The context of the caller that began the leg; null where there is none, as for a timer. */
  readonly carrier?: TraceCarrier | null | undefined;
  /** Where the events are kept: `sqlite`, `postgres`, `memory`, or what the host opened. */
  readonly store?: string | undefined;
  /** Nothing runs, as when a paused run is cancelled: it is counted, and has no span. */
  readonly isUnseen?: boolean;
  /** Another process may have to continue the leg, and to end its spans. */
  readonly mayMove?: boolean;
}

export interface LegTelemetry {
  /** The leg's own context; undefined where only metrics are recorded. */
  readonly traceparent: string | undefined;
  /** The nodes that the leg finds open, from the outside in; before its first event. */
  reopen(open: readonly OpenNode[]): void;
  /** Takes each event after it is stored, in order. `facts` come with `node:started`. */
  note(event: RunEvent, facts?: NodeFacts): void;
  /** Makes one call of an effect, inside its span. */
  around(request: EffectRequest, redactor: Redactor, make: MakeCall): Promise<EffectResult>;
  /** Takes how long a commit took, and the kind of the failure where it failed. Undefined where nobody counts. */
  readonly committed: ((seconds: number, kind?: string) => void) | undefined;
  /** Ends what is still open, for a leg that has no ending event. */
  end(): void;
  /** Forgets what is open: another process has the leg, and makes its spans. */
  abandon(): void;
}

/** A call whose leg another process watches. */
export interface DetachedCall {
  readonly run: string;
  readonly carrier?: TraceCarrier | undefined;
}

export interface TelemetryPort {
  /** Whether somebody traces now. */
  isTracing(): boolean;
  /** The caller's context as another process can take it: that of the active span, or what it brought. */
  callerOf(trace: TraceCarrier | null | undefined): TraceCarrier | undefined;
  /** Undefined while nobody has registered for spans or metrics. */
  openLeg(leg: LegStart): LegTelemetry | undefined;
  around(
    call: DetachedCall,
    request: EffectRequest,
    redactor: Redactor,
    make: MakeCall,
  ): Promise<EffectResult>;
}
