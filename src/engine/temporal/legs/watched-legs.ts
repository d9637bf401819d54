/**
 * The legs that this worker watches: opens each when its workflow says so, or when a workflow asks for its
 * context first, and gives activities of this process the span that their call belongs to.
 */
import type { EffectResult } from '../../../effects/effect.ts';
import type { Redactor } from '../../../errors/redaction/redact.ts';
import type { RunEvent } from '../../../machine/state/events.ts';
import type { LegTelemetry, MakeCall, TelemetryPort } from '../../run/telemetry-port.ts';
import type { LegMessage, LegSink } from './leg-messages.ts';
import type { EffectTask } from '../messages.ts';

interface WatchedLeg {
  readonly number: number;
  /** Undefined where nobody traces or counts. */
  readonly telemetry: LegTelemetry | undefined;
  isReopened: boolean;
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
  readonly #onEvent: ((event: RunEvent) => void) | undefined;
  readonly #legs = new Map<string, WatchedLeg>();

  constructor(telemetry: TelemetryPort | undefined, onEvent?: (event: RunEvent) => void) {
    this.#telemetry = telemetry;
    this.#onEvent = onEvent;
  }

  begin(leg: LegMessage): void {
    this.open(leg);
  }

  /** The context of the leg; a leg that is open already keeps its own. */
  open(leg: LegMessage): string | undefined {
    const { run, number } = leg;
    const known = this.#legs.get(run);
    if (known?.number === number) return known.telemetry?.traceparent;
    // it has ended at another worker
    known?.telemetry?.abandon();
    const telemetry = this.#telemetry?.openLeg({ ...leg, mayMove: true });
    this.#legs.delete(run);
    this.#legs.set(run, { number, telemetry, isReopened: false, lastSeq: 0 });
    const [oldest] = this.#legs.keys();
    if (this.#legs.size > MAX_LEGS && oldest !== undefined) this.#legs.delete(oldest);
    return telemetry?.traceparent;
  }

  reopen(run: string, open: Parameters<LegSink['reopen']>[1]): void {
    const leg = this.#legs.get(run);
    // a workflow that was evicted and replayed says it again
    if (leg === undefined || leg.isReopened || leg.lastSeq > 0) return;
    leg.isReopened = true;
    leg.telemetry?.reopen(open);
  }

  note(run: string, events: Parameters<LegSink['note']>[1]): void {
    const leg = this.#legs.get(run);
    if (leg === undefined) return;
    for (const { event, facts } of events) {
      // a task that failed after its messages were sent sends them again
      if (event.seq <= leg.lastSeq) continue;
      leg.lastSeq = event.seq;
      leg.telemetry?.note(event, facts);
      this.#onEvent?.(event);
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
