/**
 * Gates: one answer each, in time, by a person who can be asked; and the record of each decision
 * with its maker.
 */
import { isCancelledBefore } from './one-ending.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { auditTrail, type AuditEntry } from '../../history/audit-trail.ts';
import type { RunEvent, Wait } from '../../machine/state/events.ts';
import type { Leg } from '../simulated-run.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { isAnswer, isQuestionOfModel, isSameAnswer } from './answers.ts';
import { callsOf, isGateOf, settledBy } from './calls.ts';
import {
  isInside,
  isType,
  nodeAt,
  ofType,
  type EventOf,
  type Law,
  type Subject,
} from './subject.ts';

export const oneAnswerPerGate: Law = {
  name: 'a gate is answered once, in time and with an answer that it takes; or it expires, and not before its time',
  promise: 'gates: late and second answers are refused',
  breaches: ({ events, plan }) => {
    const open = new Map<string, EventOf<'gate:opened'>>();
    const failed = new Set<string>();
    let hasPeople = true;
    return events.flatMap((event) => {
      if (isType(event, 'run:started', 'run:resumed')) hasPeople = event.gates !== false;
      if (event.type === 'node:started') failed.delete(event.path);
      if (event.type === 'node:failed') failed.add(event.path);
      if (event.type === 'gate:opened') open.set(event.gate, event);
      if (!isType(event, 'gate:answered', 'gate:expired')) return [];
      const opened = open.get(event.gate);
      open.delete(event.gate);
      const what = `event ${event.seq}, ${event.type} of ${event.gate},`;
      if (opened === undefined) return [`${what} is of no open gate`];
      // a prepared answer is there when the gate opens, however long a store takes to write it
      const isPrepared = event.type === 'gate:answered' && event.by === 'prepared';
      const isLate = opened.deadline !== undefined && event.at >= opened.deadline && !isPrepared;
      // a leg without people closes open gates
      if (event.type === 'gate:expired')
        return isLate || !hasPeople ? [] : [`${what} comes too early`];
      if (isLate) return [`${what} comes too late`];
      const isAboutFailure = failed.has(event.path);
      const arose = whereItArose(events, opened);
      const given = { ...event, inDoubt: opened.inDoubt, arose, isAboutFailure };
      return isAnswer(plan, given, opened.options) ? [] : [`${what} is not an answer`];
    });
  },
};

export const answersAreJudged: Law = {
  name: 'an answer that is late, second or invalid is refused as such and changes nothing; any other is accepted',
  promise: 'gates: late and second answers are refused',
  breaches: (subject) =>
    subject.legs.flatMap((leg, number) => {
      const { events, plan } = subject;
      const { answer, result, fromSeq, toSeq, startedAtMs } = leg;
      const paused = events[fromSeq - 1];
      if (answer === undefined || paused?.type !== 'run:paused') return [];
      if (isCancelledBefore(subject, leg)) return [];
      const isRefused = result.status === 'refused' && result.error.kind === 'validation.input';
      const wait = waitCalled(paused.waiting.all, answer);
      if (wait === undefined || !isTakeable(subject, wait, answer.value, startedAtMs)) {
        // until it is read, the store or a changed file may refuse it
        const isOther = result.status === 'refused' || fromSeq === toSeq;
        return isRefused || isOther ? [] : [`leg ${number} took the answer of ${answer.by}`];
      }
      const taken = ofType(events.slice(fromSeq, toSeq), 'gate:answered')[0];
      if (isRefused) return [`leg ${number} refused ${JSON.stringify(answer.value)}`];
      const { gate = '', path = '' } = wait;
      const given = { gate, path, value: answer.value, isAboutFailure: wait.error !== undefined };
      const isTaken =
        fromSeq === toSeq || (taken?.gate === gate && isSameAnswer(plan, given, taken.value));
      return isTaken ? [] : [`leg ${number} lost the answer to ${answer.gate}`];
    }),
};

/**
 * Finds the wait by the name of the gate, or by a node name that fits an open gate; and by its
 * opening.
 */
function waitCalled(
  all: readonly Wait[],
  { gate: name, opening: seen }: NonNullable<Leg['answer']>,
): Wait | undefined {
  const gates = all.filter(
    ({ gate, opening }) => gate !== undefined && (seen === undefined || seen === opening),
  );
  const exact = gates.find(({ gate }) => gate === name);
  const fitting = gates.filter(({ path, node }) => path === name || node === name);
  return exact ?? (fitting.length === 1 ? fitting[0] : undefined);
}

function isTakeable(
  { events, plan }: Subject,
  wait: Wait,
  value: JsonValue,
  nowMs: number,
): boolean {
  const { gate = '', path = '', until, options = [], inDoubt, error } = wait;
  const isInTime = until === undefined || nowMs < Date.parse(until);
  const arose = whereItArose(events, { path, inDoubt });
  const given = { gate, path, value, inDoubt, arose, isAboutFailure: error !== undefined };
  return isInTime && isAnswer(plan, given, options);
}

/** Inside the node that asks, if the effect in doubt was requested there. */
function whereItArose(
  events: readonly RunEvent[],
  {
    path = '',
    inDoubt,
  }: { readonly path?: string; readonly inDoubt?: Wait['inDoubt'] | undefined },
): string {
  const requested = ofType(events, 'effect:requested').find(
    ({ effect }) => effect.key === inDoubt?.key,
  );
  return requested !== undefined && isInside(requested.path, path) ? requested.path : path;
}

export const anEditIsTheResult: Law = {
  name: 'an edited value, null too, is the result of its node or its call',
  promise: 'gates: the answer of a person counts as it was given',
  breaches: ({ events }) =>
    ofType(events, 'gate:answered').flatMap(({ seq, path, value }) => {
      if (!isPlainObject(value) || value['edit'] === undefined) return [];
      // at a node around it, the answer counts where the unknown outcome arose
      const next = events
        .slice(seq)
        .find((event) => 'path' in event && (event.path === path || isInside(event.path, path)));
      const isResult =
        next?.type === 'node:completed' || (next?.type === 'effect:succeeded' && next.given);
      if (!isResult || JSON.stringify(next.output) === JSON.stringify(value['edit'])) return [];
      return [`event ${next.seq} at ${next.path} does not have the value of event ${seq}`];
    }),
};

export const expiredGatesContinue: Law = {
  name: 'a gate that expires takes its default or fails as expired; a call that nobody approved is denied',
  promise: 'gates: nobody answers for ever',
  breaches: (subject) =>
    ofType(subject.events, 'gate:expired').flatMap(({ seq, path, gate }) => {
      const { events, plan } = subject;
      const node = nodeAt(plan, path)?.node;
      if (node?.type === 'agent' && gate.includes('#'))
        return notDenied(subject, { seq, path, gate });
      const next = events.slice(seq).find((event) => 'path' in event && event.path === path);
      const opened = ofType(events.slice(0, seq), 'gate:opened').findLast(
        (event) => event.gate === gate,
      );
      // for a failure that a person was asked about: the search for its route continues
      if (next === undefined || opened?.options.includes('abort') === true) return [];
      if (node?.type !== 'human_gate') return [];
      const isLeft = ofType(events.slice(seq, next.seq), 'node:failed').some((event) =>
        path.startsWith(`${event.path}/`),
      );
      // the enclosing scope has ended before it, by its own time limit
      if (isLeft) return [];
      const isDefault =
        node.default !== undefined && (next.type === 'node:completed' || isCheck(node, next));
      const isFailed =
        next.type === 'node:failed' &&
        (next.error.kind === 'gate.no_one_to_ask' ||
          (next.error.kind === 'gate.expired' && node.default === undefined));
      return isDefault || isFailed
        ? []
        : [`event ${next.seq} at ${path} follows a gate that ran out`];
    }),
};

function notDenied(
  subject: Subject,
  { seq, path, gate }: Pick<EventOf<'gate:expired'>, 'seq' | 'path' | 'gate'>,
): readonly string[] {
  const asked = callsOf(subject).all.findLast(
    (call) => call.path === path && call.answerSeq < seq && isGateOf(gate, call),
  );
  const settled = asked === undefined ? undefined : settledBy(subject, asked);
  // the node, or all of it, may have been stopped before
  if (settled === undefined) return [];
  // a conversation that continues after it ended with a denial asks about the call again
  const isAskedAgain = ofType(subject.events.slice(seq, settled.seq), 'gate:opened').some(
    (opened) => opened.gate === gate,
  );
  // or executes it, because someone has granted the tool since then
  const isGranted = ofType(subject.events.slice(seq, settled.seq), 'effect:requested').some(
    ({ effect, grant }) => effect.key === settled.effect.key && grant !== undefined,
  );
  if (isAskedAgain || isGranted) return [];
  const kind = isQuestionOfModel(gate) ? 'gate.no_one_to_ask' : 'tool.denied';
  return settled.type === 'effect:failed' && settled.error.kind === kind
    ? []
    : [`event ${settled.seq} at ${path} is of a call that nobody approved in time`];
}

/** Whether the node failed although it had its result: by an assertion, or by its routes. */
function isCheck(node: NodePlan | undefined, event: RunEvent): boolean {
  if (event.type !== 'node:failed') return false;
  const { kind } = event.error;
  const raised = node?.assert.map(({ raise }) => raise) ?? [];
  return ['assert.failed', 'route.no_match', 'route.guard_failed', ...raised].includes(kind);
}

export const nobodyIsAsked: Law = {
  name: 'where nobody can be asked, no gate opens: the node fails with gate.no_one_to_ask, and a call is denied',
  promise: 'gates: --no-gates',
  breaches: ({ events, plan, legs }) => {
    let hasPeople = true;
    const breaches = events.flatMap((event, index): readonly string[] => {
      if (isType(event, 'run:started', 'run:resumed')) hasPeople = event.gates !== false;
      if (event.type === 'gate:opened' && !hasPeople)
        return [`event ${event.seq} asks where nobody is`];
      const isGate =
        event.type === 'node:started' && nodeAt(plan, event.path)?.node.type === 'human_gate';
      if (!isGate || hasPeople) return [];
      // it was answered before: only the consequences of the answer are decided again
      const before = ofType(events.slice(0, index), 'node:failed').findLast(
        ({ path }) => path === event.path,
      );
      const node = nodeAt(plan, event.path)?.node;
      if (event.attempt > 0 && before !== undefined && isCheck(node, before)) return [];
      const next = events
        .slice(index + 1)
        .find((each) => ('path' in each && each.path === event.path) || isRest(each));
      const isSaid = next?.type === 'node:failed' && next.error.kind === 'gate.no_one_to_ask';
      // a branch that is no longer needed, or begins anew with its group
      const isCut = next?.type === 'node:skipped' || next?.type === 'node:started';
      return isSaid || isCut || next === undefined || isRest(next)
        ? []
        : [`event ${next.seq} at ${event.path} does not say that nobody is there`];
    });
    const forgotten = legs.flatMap(({ hasNobody, fromSeq, toSeq, by }, number) => {
      const [first] = events.slice(fromSeq, toSeq);
      if (first === undefined || by === 'cancel' || !isType(first, 'run:started', 'run:resumed'))
        return [];
      return (first.gates === false) === (hasNobody === true)
        ? []
        : [`leg ${number} does not know whether anybody is there`];
    });
    return [...breaches, ...forgotten];
  },
};

function isRest(event: RunEvent): boolean {
  return isType(event, 'run:resumed', 'run:completed', 'run:failed', 'run:cancelled', 'run:paused');
}

const DENIED: ReadonlySet<string> = new Set([
  'tool.denied',
  'tool.forbidden',
  'agent.permission_denied',
]);

export const decisionsAreAudited: Law = {
  name: 'the audit has who approved, denied or was granted what, and every call that was prevented',
  promise: 'the audit',
  breaches: ({ events, plan }) => {
    const due = events.flatMap((event) => dueFor(plan, events, event));
    if (due.length === 0) return [];
    const left = new Map<string, number>();
    for (const entry of auditTrail(events)) count(left, nameOf(entry), 1);
    return due.flatMap((entry) => {
      const name = nameOf(entry);
      const found = left.get(name) ?? 0;
      count(left, name, -1);
      return found > 0 ? [] : [`the audit does not have: ${name}`];
    });
  },
};

type Due = Pick<AuditEntry, 'at' | 'who' | 'what'> & { readonly path?: string };

function dueFor(plan: WorkflowPlan, events: readonly RunEvent[], event: RunEvent): readonly Due[] {
  switch (event.type) {
    case 'gate:answered': {
      const { at, path, by: who, value, gate } = event;
      const opened = events.findLast(
        (each) => each.type === 'gate:opened' && each.gate === gate && each.seq < event.seq,
      );
      // a gate of the file may have an option of that name
      const isGate = nodeAt(plan, path)?.node.type === 'human_gate';
      const isCall = opened?.type === 'gate:opened' && opened.options.includes('approve');
      if (!isCall || isGate) return [{ at, path, who, what: 'answer' }];
      return [{ at, path, who, what: value === 'deny' ? 'deny' : 'approve' }];
    }
    case 'effect:requested': {
      const { at, path, grant } = event;
      return grant === undefined ? [] : [{ at, path, who: grant.by, what: 'approve' }];
    }
    case 'effect:failed':
    case 'node:failed': {
      const { at, path, error } = event;
      const isOwn = event.type === 'effect:failed' || error.kind === 'agent.permission_denied';
      const isDue = isOwn && DENIED.has(error.kind) && error.details?.['by'] !== 'person';
      return isDue ? [{ at, path, who: 'errand', what: 'deny' }] : [];
    }
    default:
      return [];
  }
}

function nameOf({ at, who, what, path }: Due): string {
  return `${at} ${who} ${what} ${path ?? ''}`;
}

function count(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}
