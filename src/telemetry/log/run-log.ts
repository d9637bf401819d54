/**
 * Lines of JSON about runs, for the logs of servers and workers: `ERRAND_LOG=info` writes one when
 * a run starts, rests or ends, and one for each failure; `debug` writes one for each event. Only
 * names, kinds and numbers: no data of a run.
 */
import { hideInternals } from '../../errors/redaction/hide-internals.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { parseTraceparent } from '../../machine/ports/trace-carrier.ts';
import type { RunEvent } from '../../machine/state/events.ts';

export type LogLevel = 'info' | 'debug';

/** Undefined for anything but the two levels: then no line is written. */
export function logLevel(env: Readonly<Record<string, string | undefined>>): LogLevel | undefined {
  const level = env['ERRAND_LOG']?.trim().toLowerCase();
  return level === 'info' || level === 'debug' ? level : undefined;
}

/** The leg of an event, for a process that did not see it begin. */
export interface LoggedLeg {
  readonly workflow: string | undefined;
  readonly traceparent?: string | undefined;
}

interface Leg {
  readonly workflow: string | undefined;
  readonly traceId: string | undefined;
  /** Ids of the failures that have a line. */
  readonly written: Set<string>;
}

/** Above this the oldest legs are forgotten, and their lines have no trace id. */
const MAX_LEGS = 10_000;

export class RunLog {
  readonly #level: LogLevel;
  readonly #redact: (text: string) => string;
  readonly #write: (line: string) => void;
  readonly #legs = new Map<string, Leg>();

  constructor(level: LogLevel, redact: (text: string) => string, write: (line: string) => void) {
    this.#level = level;
    this.#redact = redact;
    this.#write = write;
  }

  note(event: RunEvent, leg?: LoggedLeg): void {
    if (event.type === 'run:started' || event.type === 'run:resumed')
      this.#begin(event.run, {
        workflow: event.type === 'run:started' ? event.workflow : leg?.workflow,
        traceparent: event.traceparent ?? leg?.traceparent,
      });
    else if (leg !== undefined && !this.#legs.has(event.run)) this.#begin(event.run, leg);
    const error = failureIn(event);
    const { workflow, traceId, written } = this.#legs.get(event.run) ?? {};
    const level = levelOf(event, error !== undefined && isNew(error, written));
    if (level === 'debug' && this.#level !== 'debug') return;
    this.#write(
      JSON.stringify({
        at: event.at,
        level,
        event: event.type,
        run: event.run,
        ...defined({ workflow }),
        ...this.#place('path' in event ? event : error?.location),
        ...('effect' in event ? { effect: this.#shown(event.effect.target) } : {}),
        ...('attempt' in event ? { attempt: event.attempt } : {}),
        ...(error === undefined ? {} : this.#failure(error)),
        ...(event.type === 'run:paused' ? { waiting: event.waiting.reason } : {}),
        ...(event.type === 'breaker:changed' ? { target: event.target, to: event.to } : {}),
        ...defined({ trace_id: traceId }),
      }),
    );
    if (event.type === 'run:completed' || event.type === 'run:cancelled')
      this.#legs.delete(event.run);
  }

  #begin(run: string, { workflow, traceparent }: LoggedLeg): void {
    const known = this.#legs.get(run);
    const traceId = parseTraceparent(traceparent)?.traceId;
    this.#legs.delete(run);
    this.#legs.set(run, {
      workflow: workflow ?? known?.workflow,
      traceId,
      written: new Set(),
    });
    const [oldest] = this.#legs.keys();
    if (this.#legs.size > MAX_LEGS && oldest !== undefined) this.#legs.delete(oldest);
  }

  /** The place of an event: the node, or for a failed run the node of its failure. */
  #place({ node, path }: { readonly node?: string; readonly path?: string } = {}): object {
    return {
      ...(node === undefined ? {} : { node: this.#shown(node) }),
      ...(path === undefined ? {} : { path: this.#shown(path) }),
    };
  }

  #failure({ kind, id, message, retryable }: ErrorReport): object {
    return { kind, error_id: id, retryable, message: this.#shown(hideInternals(message)) };
  }

  #shown(text: string): string {
    return this.#redact(text);
  }
}

function failureIn(event: RunEvent): ErrorReport | undefined {
  switch (event.type) {
    case 'effect:failed':
    case 'node:failed':
    case 'run:failed':
    case 'error:suppressed':
      return event.error;
    default:
      return undefined;
  }
}

/** Whether this failure and its causes have no line yet; from now on they count as written. */
function isNew(error: ErrorReport, written: Set<string> | undefined): boolean {
  const ids = [...idsOf(error)];
  const isKnown = ids.some((id) => written?.has(id));
  for (const id of ids) written?.add(id);
  return !isKnown;
}

/** The ids of the failure and of its causes. */
function* idsOf(error: ErrorReport): Iterable<string> {
  for (let at: ErrorReport | undefined = error; at !== undefined; at = at.cause) yield at.id;
}

type WrittenLevel = 'error' | 'warn' | 'info' | 'debug';

/** Each failure gets one line: an event that only passes it on is for a debug log. */
function levelOf(event: RunEvent, isNew: boolean): WrittenLevel {
  switch (event.type) {
    case 'run:failed':
      return 'error';
    case 'effect:failed':
    case 'node:failed':
      return isNew ? 'warn' : 'debug';
    case 'error:suppressed':
      return event.isWarning === true ? 'debug' : 'warn';
    case 'run:started':
    case 'run:resumed':
    case 'run:paused':
    case 'run:completed':
    case 'run:cancelled':
    case 'breaker:changed':
      return 'info';
    default:
      return 'debug';
  }
}

function defined(fields: Readonly<Record<string, string | undefined>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
