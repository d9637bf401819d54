/** P8: a damaged log is reported, and no state is made from it. */
import type { Law } from './subject.ts';

export const damageIsSaid: Law = {
  name: 'a damaged log is refused as store.corrupt, and no state is made from it',
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
