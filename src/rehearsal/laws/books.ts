/** P7, P8 and P9: the bill is complete, damage is reported, and no report contains a secret. */
import { costsOf } from '../../history/cost-ledger.ts';
import { SECRET } from './secret.ts';
import { reportsOf, type Law } from './subject.ts';

export const everyAttemptIsBilled: Law = {
  name: 'each execution in the world has a row on the bill',
  promise: 'P7 every attempt is on the bill',
  breaches: ({ events, executions }) => {
    const owed = new Map<string, number>();
    for (const { path, effect } of executions) count(owed, `${path} ${effect.target}`, 1);
    for (const { path, target } of costsOf(events).attempts) count(owed, `${path} ${target}`, -1);
    return [...owed].flatMap(([what, missing]) =>
      missing > 0 ? [`${missing} executions of ${what} are not on the bill`] : [],
    );
  },
};

export const damageIsSaid: Law = {
  name: 'a damaged log is refused as store.corrupt, and nothing is made of it',
  promise: 'P8 no resume on damaged state',
  breaches: ({ legs, incidents, warnings }) =>
    incidents.flatMap(({ what, atMs }) => {
      if (what !== 'log damaged') return [];
      const isRefused = legs.some(
        ({ startedAtMs, endedAtMs, result }) =>
          startedAtMs <= atMs &&
          atMs <= endedAtMs &&
          result.status === 'refused' &&
          result.error.kind === 'store.corrupt',
      );
      // a leg is over when its checkpoint is made, and is only without it
      const isWarned = warnings.some(
        (warning) => warning.atMs === atMs && warning.kind === 'store.corrupt',
      );
      return isRefused || isWarned ? [] : ['a log without one of its commits was taken as it is'];
    }),
};

export const noSecrets: Law = {
  name: 'no report holds what has the shape of a key',
  promise: 'P9 nothing secret leaves',
  breaches: (subject) =>
    reportsOf(subject).flatMap(({ id, kind, message, details }) =>
      message.includes(SECRET) || JSON.stringify(details ?? null).includes(SECRET)
        ? [`${id} ${kind} holds a key`]
        : [],
    ),
};

function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
