/** P8: no run resumes with a changed file without a record of the change. */
import type { Leg } from '../../src/rehearsal/simulated-run.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { textsOf } from './plans.ts';
import { nodesOf } from './revisions.ts';
import {
  filesAround,
  isInside,
  isType,
  nodeAt,
  ofType,
  type EventOf,
  type Law,
  type Subject,
} from '../../src/rehearsal/laws/subject.ts';

export const driftIsSaid: Law = {
  name: 'a finished node or an open question that changed is named by run.drifted, or its result is kept and that is said',
  promise: 'P8 no resume on drifted state',
  breaches: (subject) => {
    let plan = subject.plan;
    return subject.legs.flatMap((leg, index) => {
      const resumed = resumptionOf(subject, leg);
      const now = leg.change?.plan ?? plan;
      const changed = changedBetween(plan, now);
      if (resumed?.plan !== undefined) plan = now;
      // nodes that a rewind runs again keep nothing; `retry-from-caller.test.ts` covers which they
      // are
      if (leg.change?.from !== undefined) return [];
      // nodes that read a replaced input count as changed too
      if (leg.change?.input !== undefined) return [];
      const settled = new Set([
        ...finishedBefore(subject, leg.fromSeq),
        ...askedBefore(subject, leg.fromSeq),
      ]);
      const touched = changed.filter((name) => settled.has(name));
      return breachesOf(leg, { resumed, changed, touched }).map((said) => `leg ${index} ${said}`);
    });
  },
};

interface Expected {
  readonly resumed: EventOf<'run:resumed'> | undefined;
  readonly changed: readonly string[];
  readonly touched: readonly string[];
}

function breachesOf(
  { result, change }: Leg,
  { resumed, changed, touched }: Expected,
): readonly string[] {
  const isRefused = result.status === 'refused' && result.error.kind === 'run.drifted';
  const mustRefuse = touched.length > 0 && change?.acceptDrift !== true;
  if (isRefused) {
    const named = result.error.details?.['nodes'];
    return mustRefuse && same(named, touched)
      ? []
      : [`is refused for ${JSON.stringify(named)}, and ${touched.join(', ')} has drifted`];
  }
  if (resumed === undefined) return [];
  if (mustRefuse) return [`continues although ${touched.join(', ')} has drifted`];
  const { drift } = resumed;
  const others = changed.filter((name) => !touched.includes(name));
  return same(drift?.kept ?? [], touched) && same(drift?.changed ?? [], others)
    ? []
    : [
        `says ${JSON.stringify(drift)} of ${changed.join(', ')}, where ${touched.join(', ')} is kept`,
      ];
}

export const newTextIsTaken: Law = {
  name: 'what begins after a file has changed is done as the file says now',
  promise: 'P8 no resume on drifted state',
  breaches: (subject) => {
    const resumptions = ofType(subject.events, 'run:resumed').filter(
      ({ plan }) => plan !== undefined,
    );
    return subject.executions.flatMap(({ afterSeq, path, work, number }) => {
      const resumed = resumptions.findLast(({ seq }) => seq <= afterSeq);
      const plan = resumed === undefined ? undefined : planOf(subject, resumed);
      const begun = subject.events.findLast(
        (event) => event.seq <= afterSeq && event.type === 'node:started' && event.path === path,
      );
      // an attempt that began before the change continues unchanged
      if (plan === undefined || resumed === undefined || (begun?.seq ?? 0) < resumed.seq) return [];
      if (work.type === 'tool' && nodeAt(plan, path)?.node.type === 'agent') return [];
      // a judge reads the criteria and the output, and not the prompt, which changes here
      if (work.type === 'model' && work.call.judges === true) return [];
      const mark = markIn(plan, path);
      return mark === undefined || JSON.stringify(work).includes(mark)
        ? []
        : [`execution ${number} of ${path} is not done as ${mark} says`];
    });
  },
};

function planOf({ legs }: Subject, { seq }: EventOf<'run:resumed'>): WorkflowPlan | undefined {
  return legs.find(({ fromSeq, toSeq }) => fromSeq === seq - 1 && toSeq >= seq)?.change?.plan;
}

/** The mark of a revision in the text of the node, if it was revised. */
function markIn(plan: WorkflowPlan, path: string): string | undefined {
  const [around] = filesAround(plan, path);
  const text = nodeTexts(plan).get(nameAt(plan, path, around?.file.file)) ?? '';
  return /revision-\d+/.exec(text)?.[0];
}

function resumptionOf({ events }: Subject, { fromSeq, toSeq }: Leg) {
  // a rewind ends the nodes that it overtakes
  return ofType(events.slice(fromSeq, toSeq), 'run:resumed')[0];
}

/**
 * The nodes that the log shows as completed at any time, unless a person has since rewound the run
 * to before them.
 */
function finishedBefore({ events, plan }: Subject, seq: number): ReadonlySet<string> {
  const done = new Map<number, string>();
  for (const event of events.slice(0, seq)) {
    if (event.type === 'node:completed') done.set(event.seq, event.path);
    if (event.type !== 'run:resumed' || event.from === undefined) continue;
    const since = beganAt(events, event.from, event.seq);
    for (const [at, path] of done) if (at > since && isUndone(path, event.from)) done.delete(at);
  }
  return new Set([...done.values()].map((path) => nameOf(plan, path)));
}

/**
 * The nodes that ask a person, by the log, until they are answered or their surroundings end or
 * begin again.
 */
function askedBefore({ events, plan }: Subject, seq: number): ReadonlySet<string> {
  const open = new Set<string>();
  for (const event of events.slice(0, seq)) {
    if (event.type === 'gate:opened' && nodeAt(plan, event.path)?.node.type === 'human_gate')
      open.add(event.path);
    if (isType(event, 'gate:answered', 'gate:expired')) open.delete(event.path);
    if (isType(event, 'node:completed', 'node:failed'))
      for (const path of open) if (isInside(path, event.path)) open.delete(path);
    if (event.type === 'run:resumed' && event.from !== undefined)
      for (const path of open) if (isUndone(path, event.from)) open.delete(path);
  }
  return new Set([...open].map((path) => nameOf(plan, path)));
}

/** The event of the run's last entry into the node. */
function beganAt(events: Subject['events'], path: string, before: number): number {
  const began = ofType(events.slice(0, before), 'node:started').findLast(
    (event) => event.path === path && event.attempt === 0,
  );
  return began?.seq ?? 0;
}

/**
 * Whether a run that goes back to `from` repeats this node: it is beside it, in such a node, or
 * around it.
 */
function isUndone(path: string, from: string): boolean {
  const scope = from.slice(0, from.lastIndexOf('/') + 1);
  return path.startsWith(scope) || isInside(from, path);
}

function nameOf(plan: WorkflowPlan, path: string): string {
  const [around] = filesAround(plan, path);
  return nameAt(plan, path, around?.file.file);
}

function nameAt(plan: WorkflowPlan, path: string, file: string | undefined): string {
  const name = nodeAt(plan, path)?.node.name ?? '';
  return file === plan.file || file === undefined ? name : `${name} (${file})`;
}

const NODE_TEXTS = new WeakMap<WorkflowPlan, ReadonlyMap<string, string>>();

/** Nodes of the file by name, a group with the node that it runs. */
function nodeTexts(plan: WorkflowPlan): ReadonlyMap<string, string> {
  const known = NODE_TEXTS.get(plan);
  if (known !== undefined) return known;
  const texts = new Map<string, string>();
  for (const [file, text] of Object.entries(textsOf(plan))) {
    const content = JSON.parse(text) as Parameters<typeof nodesOf>[0];
    const of = (name: unknown): string =>
      file === 'main.yaml' ? String(name) : `${String(name)} (${file})`;
    for (const node of nodesOf(content)) texts.set(of(node['name']), JSON.stringify(node));
    for (const group of content.for_each ?? []) texts.set(of(group['name']), JSON.stringify(group));
  }
  NODE_TEXTS.set(plan, texts);
  return texts;
}

function changedBetween(before: WorkflowPlan, after: WorkflowPlan): readonly string[] {
  if (before === after) return [];
  const [old, now] = [nodeTexts(before), nodeTexts(after)];
  return [...now.keys()].filter(
    (name) => isReached(after, name) && old.get(name) !== now.get(name),
  );
}

/** A file that no workflow calls is no part of the plan. */
function isReached({ children }: WorkflowPlan, name: string): boolean {
  const file = / \((?<file>.*)\)$/.exec(name)?.groups?.['file'];
  return file === undefined || children[file] !== undefined;
}

function same(one: unknown, other: readonly string[]): boolean {
  if (!Array.isArray(one)) return false;
  return JSON.stringify([...one].map(String).sort()) === JSON.stringify([...other].sort());
}
