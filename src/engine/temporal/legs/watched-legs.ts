/**
 * The legs that this worker watches: opens each when its workflow says so, or when a workflow asks for its
 * context first, and gives activities of this process the span that their call belongs to.
 */
import type { EffectResult } from '../../../effects/effect-port.ts';
import type { Redactor } from '../../../errors/redaction/redact.ts';
import type { RunEvent } from '../../../machine/state/events.ts';
import type { LegTelemetry, MakeCall, TelemetryPort } from '../../run/telemetry-port.ts';
import type { LegMessage, LegSink } from './leg-messages.ts';
import type { EffectTask } from '../messages.ts';

/** Called with each event of the legs that are watched here. */
export type LegListener = (
  event: RunEvent,
  leg: { readonly workflow: string; readonly traceparent: string | undefined },
) => void;

type OpenNodes = Parameters<LegSink['reopen']>[1];

interface WatchedLeg {
  readonly message: LegMessage;
  /** Undefined where nobody traces or counts. */
  readonly telemetry: LegTelemetry | undefined;
  /** The nodes that were open when its workflow was last replayed here, until its next event. */
  open: OpenNodes | undefined;
  lastSeq: number;
}

/** Beyond this the oldest are forgotten: another worker has them. */
const MAX_LEGS = 10_000;

const ENDINGS: ReadonlySet<string> = new Set([
  'run:paused',
  'run:completed',
  'run:failed',
  'run:cancelled',
]);

export class WatchedLegs implements LegSink {
  readonly #telemetry: TelemetryPort | undefined;
  readonly #onEvent: LegListener | undefined;
  readonly #legs = new Map<string, WatchedLeg>();

  constructor(telemetry: TelemetryPort | undefined, onEvent?: LegListener) {
    this.#telemetry = telemetry;
    this.#onEvent = onEvent;
  }

  begin(leg: LegMessage): void {
    this.open(leg);
  }

  /** The context of the leg; a leg that is open already keeps its own. */
  open(leg: LegMessage): string | undefined {
    const known = this.#legs.get(leg.run);
    if (known?.message.number === leg.number) return known.telemetry?.traceparent;
    // it has ended at another worker
    known?.telemetry?.abandon();
    return this.#openAnew(leg).telemetry?.traceparent;
  }

  #openAnew(message: LegMessage): WatchedLeg {
    const { run } = message;
    const telemetry = this.#telemetry?.openLeg({ ...message, mayMove: true });
    const leg = { message, telemetry, open: undefined, lastSeq: 0 };
    this.#legs.delete(run);
    this.#legs.set(run, leg);
    const [oldest] = this.#legs.keys();
    if (this.#legs.size > MAX_LEGS && oldest !== undefined) this.#legs.delete(oldest);
    return leg;
  }

  reopen(run: string, open: OpenNodes): void {
    const leg = this.#legs.get(run);
    if (leg !== undefined) leg.open = open;
  }

  /**
   * The leg of the event, with its open nodes. A workflow that was evicted and replayed here still
   * has its leg; one that was at another worker meanwhile has left spans behind that this worker
   * has ended.
   */
  #legOf(run: string, { seq }: RunEvent): WatchedLeg | undefined {
    const known = this.#legs.get(run);
    const open = known?.open;
    if (known === undefined || open === undefined) return known;
    known.open = undefined;
    if (seq <= known.lastSeq + 1 && known.lastSeq > 0) return known;
    if (known.lastSeq > 0) known.telemetry?.abandon();
    const leg = known.lastSeq > 0 ? this.#openAnew(known.message) : known;
    leg.telemetry?.reopen(open);
    return leg;
  }

  note(run: string, events: Parameters<LegSink['note']>[1]): void {
    for (const { event, facts } of events) {
      const leg = this.#legOf(run, event);
      if (leg === undefined) return;
      // a task that failed after its messages were sent sends them again
      if (event.seq <= leg.lastSeq) continue;
      leg.lastSeq = event.seq;
      leg.telemetry?.note(event, facts);
      this.#onEvent?.(event, loggedLeg(leg));
      if (ENDINGS.has(event.type)) {
        leg.telemetry?.end();
        this.#legs.delete(run);
      }
    }
  }

  /** Inside the span of the call, in this process or for a workflow of another. */
  around(
    { run, request, trace }: EffectTask,
    redactor: Redactor,
    make: MakeCall,
  ): Promise<EffectResult> {
    const here = this.#legs.get(run)?.telemetry;
    if (here !== undefined) return here.around(request, redactor, make);
    if (this.#telemetry === undefined) return make({ trace });
    return this.#telemetry.around({ run, carrier: trace }, request, redactor, make);
  }

  /** The workflows continue at other workers, which open what is open anew. */
  close(): void {
    for (const { telemetry } of this.#legs.values()) telemetry?.abandon();
    this.#legs.clear();
  }
}

function loggedLeg({ message, telemetry }: WatchedLeg): Parameters<LegListener>[1] {
  const { workflow, carrier } = message;
  return { workflow, traceparent: telemetry?.traceparent ?? carrier?.traceparent };
}
