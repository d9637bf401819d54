/** P5: a failure counts as one until the log records how it was resolved. */
import type { GroupPlan } from '../../workflow/plan/node-plan.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { ASK_PERSON, BUILT_IN_TOOLS } from '../../workflow/plan/built-in-tools.ts';
import { isQuestionOfModel, wordsIn } from './answers.ts';
import { isInside, nodeAt, ofType, type EventOf, type Law } from './subject.ts';

export const reallySucceeded: Law = {
  name: 'a success in the log is a success in the world, with the same output',
  promise: 'P5 no silent success',
  breaches: ({ events, executions }) =>
    ofType(events, 'effect:succeeded').flatMap(({ seq, path, effect, output, given, replayed }) => {
      const text = JSON.stringify(output);
      if (effect.target === ASK_PERSON) return repliedBy(events, { seq, path, text });
      // the machine's own: it writes a state when the node completes, and reads results in the log
      if (BUILT_IN_TOOLS.includes(effect.target)) return [];
      if (given === true) return saidBy(events, { seq, path, text });
      if (replayed === true && isGivenBefore(events, { seq, key: effect.key, text })) return [];
      const isReal = executions.some(
        ({ effect: { key }, ending, afterSeq }) =>
          key === effect.key &&
          afterSeq < seq &&
          // a formerly refused result may be good by the present file
          (ending?.type === 'succeeded' || (ending?.type === 'failed' && replayed === true)) &&
          JSON.stringify(ending.output) === text,
      );
      return isReal ? [] : [`event ${seq} says that ${path} succeeded, which it did not`];
    }),
};

/** A later attempt may use the result that a person gave to a call. */
function isGivenBefore(
  events: readonly RunEvent[],
  { seq, key, text }: { readonly seq: number; readonly key: string; readonly text: string },
): boolean {
  return ofType(events, 'effect:succeeded').some(
    ({ seq: earlier, effect, output, given }) =>
      earlier < seq && given === true && effect.key === key && JSON.stringify(output) === text,
  );
}

/** A person answered the question of the model, and the log has that answer word for word. */
function repliedBy(
  events: readonly RunEvent[],
  { seq, path, text }: { readonly seq: number; readonly path: string; readonly text: string },
): readonly string[] {
  const isSaid = ofType(events, 'gate:answered').some(
    (event) =>
      event.seq < seq &&
      event.path === path &&
      isQuestionOfModel(event.gate) &&
      JSON.stringify({ answer: wordsIn(event.value) }) === text,
  );
  return isSaid ? [] : [`event ${seq} gives ${path} a reply that nobody gave`];
}

/**
 * A person answered about the outcome, at the node or at a caller, and the log has that answer word
 * for word.
 */
function saidBy(
  events: readonly RunEvent[],
  { seq, path, text }: { readonly seq: number; readonly path: string; readonly text: string },
): readonly string[] {
  const answered = ofType(events, 'gate:answered').findLast(
    (event) => event.seq < seq && (event.path === path || isInside(path, event.path)),
  );
  const edit = JSON.stringify({ edit: JSON.parse(text) as unknown });
  return JSON.stringify(answered?.value) === edit
    ? []
    : [`event ${seq} gives ${path} a result that nobody said`];
}

export const handledFailures: Law = {
  name: 'a run completes only if each failure on its way was handled',
  promise: 'P5 no silent success',
  breaches: ({ events, plan }) => {
    if (events.at(-1)?.type !== 'run:completed') return [];
    const latest = new Map<string, RunEvent>();
    for (const event of events) if ('path' in event) latest.set(event.path, event);
    return [...latest].flatMap(([path, event]) => {
      if (event.type !== 'node:failed' && event.type !== 'effect:failed') return [];
      const isTermination = (at: string): boolean => nodeAt(plan, at)?.node.type === 'terminate';
      // a branch that is no longer needed, or a termination of the enclosing workflow: failed beats
      // completed
      const isCutShort = events.some(
        (later) =>
          later.seq > event.seq &&
          (isRewoundBy(later, path) ||
            ('path' in later &&
              (isInside(path, later.path) || (isTermination(later.path) && !isTermination(path))))),
      );
      return isCutShort ? [] : [`nothing was done about event ${event.seq} at ${path}`];
    });
  },
};

/** A person ran an earlier node of the same workflow or branch again. */
function isRewoundBy(event: RunEvent, path: string): boolean {
  if (event.type !== 'run:resumed' || event.from === undefined) return false;
  return path.startsWith(event.from.slice(0, event.from.lastIndexOf('/') + 1));
}

export const groupsSayTheTruth: Law = {
  name: 'a group completes only as its failure mode allows',
  promise: 'P5 no silent success',
  breaches: ({ events, plan }) =>
    ofType(events, 'node:completed').flatMap((event) => {
      const node = nodeAt(plan, event.path)?.node;
      if (node?.type !== 'parallel' && node?.type !== 'for_each') return [];
      return isSkipped(events, event) || isAllowed(node, event)
        ? []
        : [`event ${event.seq} completes ${event.path} against ${node.failureMode}`];
    }),
};

/** A person answered to continue, or entered the output. */
function isSkipped(events: readonly RunEvent[], { seq, path }: EventOf<'node:completed'>): boolean {
  return events.some(
    (event) => event.seq < seq && event.type === 'gate:answered' && event.path === path,
  );
}

function isAllowed(node: GroupPlan, { output }: EventOf<'node:completed'>): boolean {
  // the machine made it
  const { outputs, errors } = output as { outputs: object; errors: object };
  const failed = Object.keys(errors).length;
  const succeeded = Object.values(outputs).length - (Array.isArray(outputs) ? failed : 0);
  switch (node.failureMode) {
    case 'fail_fast':
    case 'all_or_nothing':
      return failed === 0;
    case 'continue_on_error':
      return failed === 0 || succeeded > 0;
    case 'quorum':
      return node.quorum === undefined ? failed === 0 : succeeded >= node.quorum;
  }
}
