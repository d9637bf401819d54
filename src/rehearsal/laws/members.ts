/** P3 and P5: each member of a group is a line of its own, whatever its key is. */
import type { RunEvent } from '../../machine/state/events.ts';
import { isInside, nodeAt, type EventOf, type Law } from './subject.ts';

export const membersAreApart: Law = {
  name: 'a group that completes has run each of its members, each under a path of its own',
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
      return needsAll ? missing(events, event, event.members.keys, end.seq) : [];
    }),
};

function missing(
  events: readonly RunEvent[],
  { seq, path }: EventOf<'node:started'>,
  keys: readonly string[],
  endSeq: number,
): readonly string[] {
  return keys.flatMap((key) => {
    const branch = `${path}[${inPath(key)}]`;
    const hasRun = events.some(
      (event) =>
        event.seq > seq &&
        event.seq < endSeq &&
        event.type === 'node:started' &&
        isInside(event.path, branch),
    );
    return hasRun ? [] : [`event ${endSeq} completes ${path}, and its member ${key} never ran`];
  });
}

/** As the contract has it. */
function inPath(key: string): string {
  return Array.from(key, (character) =>
    '%[]/#'.includes(character) || character < ' ' ? encodeURIComponent(character) : character,
  ).join('');
}
