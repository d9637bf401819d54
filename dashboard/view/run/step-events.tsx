/**
 * Draws the content of a step from its events: prompts, replies, calls with their output streams,
 * state, results.
 */
import type { ComponentChildren, JSX } from 'preact';
import type { RunEvent } from '../../../src/machine/state/events.ts';
import { clockWords } from '../../text/time.ts';
import { optionWord } from '../../text/words.ts';
import { Empty, KindLink, Money, Value } from '../parts.tsx';
import { useSurroundings } from '../surroundings.ts';

const MOST = 200;

export function StepEvents({ events }: { readonly events: readonly RunEvent[] }): JSX.Element {
  const shown = events.slice(-MOST);
  return (
    <>
      <StateWritten events={events} />
      <div class="sub">
        <h3>Events</h3>
        {events.length === 0 && <Empty>It has no events yet.</Empty>}
        {shown.length < events.length && (
          <p>
            The last {MOST} of {events.length}:
          </p>
        )}
        <ol class="story events">
          {shown.map((event) => (
            <EventRow key={event.seq} event={event} />
          ))}
        </ol>
      </div>
    </>
  );
}

function StateWritten({ events }: { readonly events: readonly RunEvent[] }): JSX.Element | null {
  const written = events.findLast(
    (event) => event.type === 'node:completed' && event.state !== undefined,
  );
  if (written?.type !== 'node:completed') return null;
  return (
    <div class="sub">
      <h3>State written</h3>
      <Value value={written.state} />
    </div>
  );
}

function EventRow({ event }: { readonly event: RunEvent }): JSX.Element {
  const { zone } = useSurroundings();
  return (
    <li>
      <span class="quiet">
        <span class="number">{event.seq}</span>{' '}
        <time dateTime={event.at}>{clockWords(event.at, zone)}</time>
      </span>{' '}
      <code>{event.type}</code> {eventWords(event)}
    </li>
  );
}

function eventWords(event: RunEvent): ComponentChildren {
  switch (event.type) {
    case 'effect:requested':
    case 'effect:succeeded':
    case 'effect:failed':
      return effectWords(event);
    case 'node:completed':
      return <Labelled name="Output" value={event.output} />;
    case 'node:failed':
      return (
        <>
          <KindLink kind={event.error.kind} />
          <p class="message">{event.error.message}</p>
        </>
      );
    case 'node:retrying':
      return (
        <>
          re-run {event.attempt} in {event.delayMs} ms, after <KindLink kind={event.error.kind} />
        </>
      );
    case 'node:skipped':
      return event.reason;
    case 'route:taken':
      return `${event.move}${event.to === undefined ? '' : ` ${event.to}`}`;
    case 'gate:opened':
      return <p class="message">{event.prompt}</p>;
    case 'gate:answered':
      return `${event.by}: ${optionWord(event.value)}`;
    case 'child:started':
      return <Labelled name={`Input of ${event.workflow}`} value={event.input} />;
    case 'child:ended':
      return `${event.workflow}: ${event.status}`;
    case 'node:started':
      return event.attempt > 0 ? `attempt ${event.attempt + 1}` : '';
    case 'gate:expired':
    case 'run:started':
    case 'run:paused':
    case 'run:resumed':
    case 'run:completed':
    case 'run:failed':
    case 'run:cancelled':
    case 'breaker:changed':
    case 'budget:warning':
    case 'budget:paused':
    case 'error:suppressed':
      return '';
  }
}

function effectWords(event: Extract<RunEvent, { type: `effect:${string}` }>): ComponentChildren {
  switch (event.type) {
    case 'effect:requested':
      return (
        <>
          {event.effect.target}
          {event.attempt > 0 ? `, attempt ${event.attempt + 1}` : ''}
          {event.isCorrection === true ? ', the reply was sent back' : ''}
          {event.isRejected === true ? ', the output was refused' : ''}
          {event.prompt !== undefined && (
            <>
              {event.prompt.system !== undefined && (
                <Labelled name="System prompt" value={event.prompt.system} />
              )}
              <Labelled name="Prompt" value={event.prompt.text} />
            </>
          )}
        </>
      );
    case 'effect:succeeded':
      return (
        <>
          {event.effect.target} <Cost micros={event.costUsdMicros} />
          <Result type={event.effect.type} output={event.output} />
        </>
      );
    case 'effect:failed':
      return (
        <>
          {event.effect.target} <KindLink kind={event.error.kind} />{' '}
          <Cost micros={event.costUsdMicros} />
          <p class="message">{event.error.message}</p>
          {event.output !== undefined && <Result type={event.effect.type} output={event.output} />}
        </>
      );
  }
}

function Cost({ micros }: { readonly micros: number | undefined }): JSX.Element | null {
  return micros === undefined || micros === 0 ? null : <Money micros={micros} />;
}

/**
 * Draws a reply of a model and the streams of a program in their parts, and anything else
 * unchanged.
 */
function Result({
  type,
  output,
}: {
  readonly type: string;
  readonly output: unknown;
}): JSX.Element {
  const parts = partsOf(type, output);
  if (parts === undefined) return <Labelled name="Result" value={output} />;
  return (
    <>
      {parts.map(([name, value]) => (
        <Labelled key={name} name={name} value={value} />
      ))}
    </>
  );
}

function partsOf(
  type: string,
  output: unknown,
): readonly (readonly [string, unknown])[] | undefined {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return undefined;
  const fields = new Map<string, unknown>(Object.entries(output));
  const named = NAMED_PARTS[type] ?? [];
  const known = named.flatMap(([field, name]) => {
    const value = fields.get(field);
    const isEmpty =
      value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    return isEmpty ? [] : [[name, value] as const];
  });
  return known.length === 0 ? undefined : known;
}

const MODEL_PARTS = [
  ['text', 'Answer'],
  ['output', 'Answer as JSON'],
  ['toolCalls', 'Tool calls'],
  ['answeredBy', 'Answered by'],
] as const;

const SCRIPT_PARTS = [
  ['exit_code', 'Exit code'],
  ['stdout', 'Standard output'],
  ['stderr', 'Standard error'],
] as const;

/** Names of the parts of a result, by the type of its effect. */
const NAMED_PARTS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  model: MODEL_PARTS,
  script: SCRIPT_PARTS,
};

function Labelled({
  name,
  value,
}: {
  readonly name: string;
  readonly value: unknown;
}): JSX.Element {
  return (
    <div class="labelled">
      <span class="label">{name}</span>
      <Value value={value} />
    </div>
  );
}
