/** P3 and P5: each member of a group is a line of its own, whatever its key is. */
import type { RunEvent } from '../../machine/state/events.ts';
import { isInside, nodeAt, type EventOf, type Law } from './subject.ts';

export const membersAreApart: Law = {
  name: 'a group that completes has run each member, under a path of its own',
  promise: 'P5 no silent success',
  breaches: ({ events, plan }) =>
    events.flatMap((event) => {
      if (event.type !== 'node:started' || event.members === undefined) return [];
      const end = events.find(
        ({ seq, ...later }) =>
          seq > event.seq &&
          'path' in later &&
          later.path === event.path &&
          (later.type === 'node:completed' || later.type === 'node:failed'),
      );
      const node = nodeAt(plan, event.path)?.node;
      const needsAll =
        end?.type === 'node:completed' &&
        (node?.type === 'parallel' || node?.type === 'for_each') &&
        node.failureMode !== 'quorum' &&
        !events.some(
          ({ type, ...other }) =>
            type === 'gate:answered' && 'path' in other && other.path === event.path,
        );
      if (!needsAll) return [];
      const between = { afterSeq: begunAt(events, event), beforeSeq: end.seq };
      return missing(events, event.path, event.members.keys, between);
    }),
};

/**
 * The event with which a group began; after a park or an answer it continues with its existing
 * members.
 */
function begunAt(events: readonly RunEvent[], { path, seq }: EventOf<'node:started'>): number {
  const begun = events.findLast(
    (event) =>
      event.seq <= seq &&
      'path' in event &&
      event.path === path &&
      (event.type === 'node:retrying' || (event.type === 'node:started' && event.attempt === 0)),
  );
  return begun?.seq ?? seq;
}

function missing(
  events: readonly RunEvent[],
  path: string,
  keys: readonly string[],
  { afterSeq, beforeSeq }: { readonly afterSeq: number; readonly beforeSeq: number },
): readonly string[] {
  return keys.flatMap((key) => {
    const branch = `${path}[${inPath(key)}]`;
    const hasRun = events.some(
      (event) =>
        event.seq > afterSeq &&
        event.seq < beforeSeq &&
        event.type === 'node:started' &&
        isInside(event.path, branch),
    );
    return hasRun ? [] : [`event ${beforeSeq} completes ${path}, and its member ${key} never ran`];
  });
}

/** As the contract has it. */
function inPath(key: string): string {
  return Array.from(key, (character) =>
    '%[]/#'.includes(character) || character < ' ' ? encodeURIComponent(character) : character,
  ).join('');
}
