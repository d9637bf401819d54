/** Runs that were tampered with after they ended, which a law must notice. */
import type { ErrorReport } from '../../src/errors/report/report.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import type { ModelMessage } from '../../src/machine/conversation/model-message.ts';
import type { Subject } from '../../src/rehearsal/laws/subject.ts';

export function withNode(subject: Subject, name: string, fields: object): Subject {
  const nodes = subject.plan.nodes.map((node) =>
    node.name === name ? { ...node, ...fields } : node,
  );
  return { ...subject, plan: { ...subject.plan, nodes } };
}

export function withLimits(subject: Subject, fields: Partial<Subject['plan']['limits']>): Subject {
  return { ...subject, plan: { ...subject.plan, limits: { ...subject.plan.limits, ...fields } } };
}

/** The model charged another amount for all its replies. */
export function withCharges(subject: Subject): Subject {
  const charged = { inputTokens: 1_000_000, outputTokens: 0 };
  return withExecutions(subject, (each) => [
    each.effect.type === 'model' ? { ...each, charged } : each,
  ]);
}

/** Changes or removes events, in the list and in the commits. */
export function doctored(
  subject: Subject,
  change: (event: RunEvent) => RunEvent | undefined,
): Subject {
  const changed = (events: readonly RunEvent[]): RunEvent[] =>
    events.flatMap((event) => change(event) ?? []);
  return {
    ...subject,
    events: changed(subject.events),
    commits: subject.commits.map((commit) => ({
      ...commit,
      // the same events, as the store returned them
      events: changed(commit.events as unknown as RunEvent[]) as unknown as typeof commit.events,
    })),
  };
}

export function at(type: RunEvent['type'], path: string) {
  return (event: RunEvent): boolean =>
    event.type === type && (!('path' in event) || event.path === path);
}

/** Changes fields of the error of matching events. */
export function withError(
  subject: Subject,
  fits: (event: RunEvent) => boolean,
  fields: Partial<ErrorReport>,
): Subject {
  return doctored(subject, (event) =>
    fits(event) && 'error' in event && event.error !== undefined
      ? { ...event, error: { ...event.error, ...fields } }
      : event,
  );
}

export function withOutput(
  subject: Subject,
  fits: (event: RunEvent) => boolean,
  output: object,
): Subject {
  // only events with an output are passed in
  return doctored(subject, (event) => (fits(event) ? ({ ...event, output } as RunEvent) : event));
}

export function withLeg(subject: Subject, fields: Partial<Subject['legs'][number]>): Subject {
  return { ...subject, legs: subject.legs.map((leg) => ({ ...leg, ...fields })) };
}

export function withExecutions(
  subject: Subject,
  change: (execution: Subject['executions'][number]) => readonly Subject['executions'][number][],
): Subject {
  return { ...subject, executions: subject.executions.flatMap(change) };
}

export function withIncident(
  subject: Subject,
  what: 'stuck' | 'log damaged' | 'log lost its end',
): Subject {
  const { startedAtMs = 0 } = subject.legs[0] ?? {};
  return { ...subject, incidents: [{ what, atMs: startedAtMs, afterSeq: 1 }] };
}

export function lastEvent(subject: Subject): RunEvent {
  const last = subject.events.at(-1);
  if (last === undefined) throw new Error('The log is empty');
  return last;
}

function anyError({ events }: Subject): ErrorReport {
  const failed = events.find(({ type }) => type === 'effect:failed');
  if (failed?.type !== 'effect:failed') throw new Error('Nothing failed');
  return failed.error;
}

export function errorOf(subject: Subject): ErrorReport {
  const failed = subject.events.find(at('node:failed', 'a'));
  if (failed?.type !== 'node:failed') throw new Error('Nothing failed');
  return failed.error;
}

/** Makes a successful call of a tool fail with this. */
export function asFailed(subject: Subject, event: RunEvent, kind: string): RunEvent {
  if (event.type !== 'effect:succeeded' || event.effect.type !== 'tool') return event;
  const { output: _output, errors: _errors, ...rest } = event;
  return { ...rest, type: 'effect:failed', error: { ...anyError(subject), kind } };
}

/** Changes the messages of some calls of models. */
export function withMessages(
  subject: Subject,
  change: (message: ModelMessage) => ModelMessage,
): Subject {
  return withExecutions(subject, (each) => {
    const { work } = each;
    if (work.type !== 'model') return [each];
    const messages = work.call.messages.map(change);
    return [{ ...each, work: { ...work, call: { ...work.call, messages } } }];
  });
}

/** Repeats the last event of a kind, later. */
export function withAgain(subject: Subject, fits: (event: RunEvent) => boolean): Subject {
  const found = subject.events.findLast(fits);
  if (found === undefined) throw new Error('There is no such event');
  const { seq } = lastEvent(subject);
  return { ...subject, events: [...subject.events, { ...found, seq: seq + 1 }] };
}
