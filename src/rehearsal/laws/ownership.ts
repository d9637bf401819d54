/**
 * P3 and P8: a run has one process, by one clock; and none resumes from a log that has lost its end.
 */
import type { Leg } from '../simulated-run.ts';
import type { Law, Subject } from './subject.ts';

export const nobodyIsRobbed: Law = {
  name: 'a live process keeps its run, whatever other clocks say',
  promise: 'P3 nothing is done twice',
  breaches: ({ rivalries, legs }) =>
    rivalries.flatMap(({ atMs, endedAtMs, aheadMs, process, refusedAs }) => {
      const had = legs.find((leg) => leg.process === process && covers(leg, atMs));
      if (refusedAs !== undefined || had === undefined || had.endedAtMs <= endedAtMs) return [];
      return [`process ${process} was robbed by one whose clock is ${aheadMs} ms ahead`];
    }),
};

export const lostEndsAreNoticed: Law = {
  name: 'a log that has lost its end is refused before anything runs or is written',
  promise: 'P8 no resume on damaged state',
  breaches: (subject) =>
    subject.incidents.flatMap(({ what, atMs }) => {
      if (what !== 'log lost its end') return [];
      // a leg that is refused takes no time, and the next may begin at the same moment
      const legs = subject.legs.filter(({ startedAtMs }) => startedAtMs === atMs);
      const best = legs.find(isRefused) ?? legs[0];
      return best === undefined ? ['no leg began on it'] : breachesOf(subject, best);
    }),
};

function breachesOf({ executions }: Subject, leg: Leg): readonly string[] {
  const { result, fromSeq, toSeq, process, startedAtMs, endedAtMs } = leg;
  const begun = executions.filter(
    (each) =>
      each.process === process && each.startedAtMs >= startedAtMs && each.startedAtMs < endedAtMs,
  );
  return [
    ...(isRefused(leg) ? [] : [`it was taken as it is, and the leg came to ${result.status}`]),
    ...(toSeq === fromSeq ? [] : ['something was written to it']),
    ...begun.map(({ path }) => `${path} was run on it`),
  ];
}

function isRefused({ result }: Leg): boolean {
  if (result.status !== 'refused') return false;
  // the remaining log may end before a rewind, and so show that the run is over
  return result.error.kind === 'store.corrupt' || result.error.kind === 'run.already_ended';
}

function covers({ startedAtMs, endedAtMs }: Leg, atMs: number): boolean {
  return startedAtMs <= atMs && atMs <= endedAtMs;
}
