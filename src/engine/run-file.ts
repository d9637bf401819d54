/**
 * One run as one file, for backups and bug reports: JSON Lines. The first line says which run it is, the
 * next ones are its events, and the last one has the digest of all lines before it.
 */
import { createHash } from 'node:crypto';
import type { Redactor } from '../errors/redaction/redact.ts';
import { jsonText } from '../errors/support/printable.ts';
import { withoutValues } from '../errors/report/without-values.ts';
import {
  isJsonObject,
  jsonFrom,
  type JsonObject,
  type JsonValue,
} from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import type { NewRun, RunRecord } from '../machine/ports/store-port.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { flawOfEvent } from './run-file-event.ts';
import { checkedRunId } from './loading/checked-input.ts';
import { isHeld } from './local/claim-owner.ts';
import { foldRun } from './run/recover.ts';
import { runStatusOf } from './run/run-status.ts';
import { asEvent } from './run/subscription.ts';

const FORMAT = 'errand-run';
/** Version 1 was never released: its events have other keys of effects. */
const VERSION = 2;

interface Header {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly run: string;
  readonly workflow: string;
  readonly file: string | null;
  readonly startedAt: string;
  readonly input: JsonValue;
  /** JSON text, as the store has it. */
  readonly plan: string;
  readonly events: number;
  /** A process was running it when it was exported. */
  readonly isRunning: boolean;
}

/** The lines of a run's file, without line breaks. Secrets that this machine knows are taken out. */
export async function* runFileLines(
  record: RunRecord,
  history: AsyncIterable<RunEvent>,
  redactor: Redactor,
): AsyncGenerator<string> {
  const digest = createHash('sha256');
  const line = (value: JsonObject): string => {
    const text = jsonText(withoutValues(value, redactor));
    digest.update(`${text}\n`);
    return text;
  };
  const { run, workflow, file, startedAt, input, plan, head, claim } = record;
  const events = head.nextSeq - 1;
  const header: Header = {
    format: FORMAT,
    version: VERSION,
    run,
    workflow,
    file,
    startedAt,
    input,
    plan,
    events,
    isRunning: isHeld(claim),
  };
  yield line({ ...header });
  for await (const event of history)
    // a run that another process continues may have more by now
    if (event.seq <= events) yield line({ ...event } as unknown as JsonObject);
  yield JSON.stringify({ digest: digest.digest('hex') });
}

/** The arguments with which a store creates the run, without the claim. */
export type ImportedRun = Omit<NewRun, 'owner' | 'leaseMs'>;

/** Throws `validation.input` for a file that is damaged, cut short, or of something else. */
export function readRunFile(text: string): ImportedRun {
  const lines = text.replace(/\n$/, '').split('\n');
  const [first = '', ...rest] = lines;
  const header = headerOf(parsed(first, 1));
  const last = rest.pop();
  if (last === undefined || rest.length !== header.events) throw cutShort(rest.length, header);
  const digest = createHash('sha256');
  for (const line of [first, ...rest]) digest.update(`${line}\n`);
  if (parsed(last, lines.length)['digest'] !== digest.digest('hex')) throw changed();
  if (header.isRunning) throw stillRunning(header.run);
  const events = rest.map((line, index) => eventOf(parsed(line, index + 2), index + 1));
  refuseSecondEnd(events);
  const { run, workflow, file, startedAt, input, plan } = header;
  return {
    id: checkedRunId(run),
    workflow,
    file,
    plan,
    input,
    startedAt,
    events,
    statusRow: statusOf({ run, plan }, events),
  };
}

function headerOf(value: JsonObject): Header {
  const { format, version, run, workflow, file, startedAt, plan, events } = value;
  if (format !== FORMAT) throw notOurs();
  if (version !== VERSION) throw otherVersion(version);
  const isWhole =
    typeof run === 'string' &&
    typeof workflow === 'string' &&
    (typeof file === 'string' || file === null) &&
    typeof startedAt === 'string' &&
    !Number.isNaN(Date.parse(startedAt)) &&
    typeof plan === 'string' &&
    typeof events === 'number' &&
    events > 0;
  if (!isWhole) throw changed();
  return {
    format: FORMAT,
    version: VERSION,
    run,
    workflow,
    file,
    startedAt,
    plan,
    events,
    input: value['input'] ?? {},
    isRunning: value['isRunning'] === true,
  };
}

function eventOf(value: JsonObject, seq: number): RunEvent {
  const flaw = flawOfEvent(value, seq);
  if (flaw !== undefined) throw malformed(seq, flaw);
  return asEvent(value);
}

/** A run that is completed or cancelled continues only after somebody resumed it. */
function refuseSecondEnd(events: readonly RunEvent[]): void {
  let isOver = false;
  for (const { seq, type } of events) {
    const isEnd = type === 'run:completed' || type === 'run:cancelled' || type === 'run:failed';
    if (isOver && isEnd) throw malformed(seq, 'type');
    if (type === 'run:completed' || type === 'run:cancelled') isOver = true;
    if (type === 'run:resumed') isOver = false;
  }
}

/** Folding the events also shows that they are a run's. */
function statusOf(
  record: Pick<RunRecord, 'run' | 'plan'>,
  events: readonly RunEvent[],
): NewRun['statusRow'] {
  try {
    return runStatusOf(foldRun(record, events), events.at(-1)?.at ?? '');
  } catch (cause) {
    throw changed(cause);
  }
}

function parsed(line: string, number: number): JsonObject {
  try {
    const value = jsonFrom(line);
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw number === 1 ? notOurs(cause) : changed(cause);
  }
  throw number === 1 ? notOurs() : changed();
}

function refused(message: string, detail: string, cause?: unknown): ErrandError {
  return new ErrandError(
    { kind: 'validation.input', message, action: { kind: 'change_input', detail } },
    { cause },
  );
}

function notOurs(cause?: unknown): ErrandError {
  return refused(
    'The file is not an exported run',
    'Give a file that `errand export RUN` wrote.',
    cause,
  );
}

function otherVersion(version: unknown): ErrandError {
  return refused(
    `The file has version ${JSON.stringify(version)} of the format, but this Errand reads version ${VERSION}`,
    'Import it with the version of Errand that exported it, or a newer one.',
  );
}

function cutShort(found: number, { events }: Header): ErrandError {
  if (found > events)
    return refused(
      `The file has ${found} events, more than the ${events} that were exported`,
      'Export the run again, and do not edit the file.',
    );
  return refused(
    `The file is cut short: it has ${Math.max(0, found)} of ${events} events`,
    'Export the run again, and copy the whole file.',
  );
}

function changed(cause?: unknown): ErrandError {
  return refused(
    'The file was changed or damaged after it was exported',
    'Export the run again, and do not edit the file.',
    cause,
  );
}

function malformed(seq: number, field: string): ErrandError {
  return refused(
    `Event ${seq} of the file is not an event of a run: its \`${field}\` is missing or wrong`,
    'Export the run again, and do not edit the file.',
  );
}

function stillRunning(run: string): ErrandError {
  return refused(
    `Run ${run} was running when it was exported; a second copy would do the same work twice`,
    'Export it again when it has ended, failed or paused.',
  );
}
