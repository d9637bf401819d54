/** P6: every leg has exactly one terminal event or one pause; cancelled beats failed beats completed. */
import type { Leg } from '../simulated-run.ts';
import { isType, RESTS, type Law, type Subject } from './subject.ts';

export const gapFree: Law = {
  name: 'the log is one run, numbered without a gap, and its time never goes back',
  promise: 'P6 one ending',
  breaches: ({ events, run }) =>
    events.flatMap((event, index) => {
      const before = events[index - 1]?.at ?? '';
      if (event.seq !== index + 1) return [`event ${event.seq} is in place ${index + 1}`];
      if (event.run !== run) return [`event ${event.seq} is of run ${event.run}`];
      return event.at < before ? [`event ${event.seq} is at ${event.at}, after ${before}`] : [];
    }),
};

export const restsAreFinal: Law = {
  name: 'after an end or a pause only a resume follows; after a good end, only a rewind',
  promise: 'P6 one ending',
  breaches: ({ events, legs }) =>
    events.flatMap((event, index) => {
      const next = events[index + 1];
      if (next === undefined || !isType(event, ...RESTS)) return [];
      const isRewound = next.type === 'run:resumed' && next.from !== undefined;
      const mayContinue =
        event.type === 'run:paused' ||
        event.type === 'run:failed' ||
        (event.type === 'run:completed' && isRewound);
      // a paused run can still be cancelled, by a leg of its own or by the handle of the leg that
      // paused
      const isCancelled =
        next.type === 'run:cancelled' &&
        legs.some(
          (leg) =>
            (leg.by === 'cancel' && leg.fromSeq === event.seq) || isCancelledLate(leg, event.seq),
        );
      return mayContinue && (next.type === 'run:resumed' || isCancelled)
        ? []
        : [`${next.type} comes after ${event.type}, event ${event.seq}`];
    }),
};

/**
 * Whether the handle of a leg cancelled the run after that leg had ended with that event, or had
 * begun after it and lost its claim before it wrote anything.
 */
function isCancelledLate({ cancelledAtMs, fromSeq, toSeq }: Leg, restSeq: number): boolean {
  return cancelledAtMs !== undefined && fromSeq <= restSeq && restSeq <= toSeq;
}

/**
 * Whether a leg met nothing but the end that its own or an earlier handle had requested: then no
 * answer is taken any more.
 */
export function isCancelledBefore({ legs, events }: Subject, { fromSeq, toSeq }: Leg): boolean {
  const isOnlyEnd = toSeq === fromSeq + 1 && events[fromSeq]?.type === 'run:cancelled';
  return isOnlyEnd && legs.some((earlier) => isCancelledLate(earlier, fromSeq));
}

export const oneRestPerLeg: Law = {
  name: 'a leg returns the end that its log has, and the log has one end for it',
  promise: 'P6 one ending',
  breaches: (subject) =>
    subject.legs.flatMap((leg, index) => {
      const { result } = leg;
      const rests = restsOf(subject, leg);
      const [rest, second] = rests;
      const isCancelled =
        second?.type === 'run:cancelled' && rest !== undefined && isCancelledLate(leg, rest.seq);
      const most = isCancelled ? 2 : 1;
      if (result.status === 'refused') {
        // a start whose commit was not acknowledged cannot know of it, nor which process took the
        // run over
        const isUnacknowledged = leg.by === 'start' && result.error.kind.startsWith('store.');
        return leg.toSeq === leg.fromSeq || isUnacknowledged || isCancelledBefore(subject, leg)
          ? []
          : [`leg ${index} was refused and wrote events`];
      }
      // a leg whose last commit was not acknowledged may have ended, and its handle then cancels
      // the run
      if (result.status === 'interrupted')
        return rests.length <= most ? [] : [`leg ${index} rests ${rests.length} times`];
      if (rests.length !== most || rest === undefined)
        return [`leg ${index} is ${result.status} and rests ${rests.length} times`];
      return rest.type === `run:${result.status}`
        ? sameEnd(result, rest, index)
        : [`leg ${index} is ${result.status}, and the log says ${rest.type}`];
    }),
};

function sameEnd(
  result: Leg['result'],
  rest: ReturnType<typeof restsOf>[number],
  index: number,
): readonly string[] {
  const said = JSON.stringify([
    result.status === 'completed' ? result.output : null,
    result.status === 'failed' ? result.error : null,
  ]);
  const stored = JSON.stringify([
    rest.type === 'run:completed' ? rest.output : null,
    rest.type === 'run:failed' ? rest.error : null,
  ]);
  return said === stored ? [] : [`leg ${index} tells ${said}, and the log ${stored}`];
}

export const cancelledWins: Law = {
  name: 'a run that is cancelled before its end is decided ends cancelled, and begins nothing more',
  promise: 'P6 one ending',
  breaches: (subject) =>
    subject.legs.flatMap((leg, index) => {
      const { cancelledAtMs, result } = leg;
      if (cancelledAtMs === undefined || result.status === 'interrupted') return [];
      const [rest] = restsOf(subject, leg);
      const isDecided = rest !== undefined && Date.parse(rest.at) <= cancelledAtMs;
      if (isDecided) return [];
      const late = subject.executions.filter(
        ({ process, startedAtMs }) =>
          process === leg.process && startedAtMs > cancelledAtMs && startedAtMs <= leg.endedAtMs,
      );
      return [
        ...(result.status === 'cancelled'
          ? []
          : [`leg ${index} was cancelled at ${cancelledAtMs} and is ${result.status}`]),
        ...late.map(({ number, path }) => `execution ${number} of ${path} began after the cancel`),
      ];
    }),
};

export const signalsAreObeyed: Law = {
  name: 'a run that was cancelled by another process continues in no later leg, whatever died meanwhile',
  promise: 'P6 one ending',
  breaches: ({ legs }) => {
    const signalled = legs.findIndex(({ messagedAtMs }) => messagedAtMs !== undefined);
    if (signalled < 0) return [];
    // it came too late for a completed run; a rewind of that run is not what it meant
    const rewound = legs.findIndex(
      ({ change }, index) =>
        index > signalled &&
        change?.from !== undefined &&
        legs.slice(signalled, index).some(({ result }) => result.status === 'completed'),
    );
    return legs
      .slice(signalled + 1, rewound < 0 ? undefined : rewound)
      .flatMap(({ result: { status } }, index) =>
        status === 'cancelled' || status === 'interrupted' || status === 'refused'
          ? []
          : [`leg ${signalled + 1 + index} is ${status} although the run was cancelled before`],
      );
  },
};

export const cancelsAreMeant: Law = {
  name: 'a leg ends cancelled only if someone cancelled it, or a leg before it that did not complete',
  promise: 'P6 one ending',
  breaches: ({ legs }) => {
    let isAsked = false;
    return legs.flatMap((leg, index) => {
      isAsked ||= leg.by === 'cancel' || (leg.cancelledAtMs ?? leg.messagedAtMs) !== undefined;
      const { status } = leg.result;
      const isMeant = isAsked;
      if (status === 'completed') isAsked = false;
      return status === 'cancelled' && !isMeant ? [`leg ${index} is cancelled by nobody`] : [];
    });
  },
};

export const nothingLeftRunning: Law = {
  name: 'when a leg has ended, every effect that it started has ended or was stopped',
  promise: 'P6 one ending',
  breaches: ({ legs }) =>
    legs.flatMap(({ leftRunning, result }, index) =>
      leftRunning.length === 0
        ? []
        : [`leg ${index} is ${result.status} and left ${leftRunning.join(', ')} running`],
    ),
};

export const comesToAnEnd: Law = {
  name: 'no run stands still for ever unless it waits for something',
  promise: 'P6 one ending',
  breaches: ({ incidents }) =>
    incidents.flatMap(({ what, afterSeq }) =>
      what === 'stuck' ? [`nothing happens any more after event ${afterSeq}`] : [],
    ),
};

export const typedEndings: Law = {
  name: 'Errand itself does not break: no internal failure, and every refusal has a reason of its own',
  promise: 'the catalog',
  breaches: ({ events, legs, executions }) => [
    ...events.flatMap((event) =>
      event.type === 'run:failed' &&
      isOurs(event.error.kind) &&
      // an effect runner that throws has a bug, and reports it
      !executions.some(({ ending }) => ending?.type === 'threw')
        ? [`event ${event.seq} fails with ${event.error.kind}: ${event.error.message}`]
        : [],
    ),
    ...legs.flatMap(({ result }, index) => {
      const error = 'error' in result ? result.error : undefined;
      const isRefused = result.status === 'refused' || result.status === 'interrupted';
      return isRefused && error !== undefined && isOurs(error.kind)
        ? [`leg ${index} is ${result.status} with ${error.kind}: ${error.message}`]
        : [];
    }),
  ],
};

function isOurs(kind: string): boolean {
  return kind === 'internal.unexpected' || kind === 'internal.invariant';
}

function restsOf({ events }: Subject, { fromSeq, toSeq }: Leg) {
  return events.slice(fromSeq, toSeq).filter((event) => isType(event, ...RESTS));
}
