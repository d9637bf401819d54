/** P1: no failure changes kind, category or retryability between its source and any screen. */
import type { ErrorReport } from '../../errors/report/report.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import { endsTheRun } from '../../machine/decide/unroutable.ts';
import { allNodes } from '../../workflow/plan/node-list.ts';
import { checkWorkflow, type NodeReport } from '../../workflow/check/check.ts';
import { raisingOf, type Raising } from '../../workflow/check/routing.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { IN_DOUBT } from './nothing-repeated.ts';
import { isType, nodeAt, reportsOf, type EventOf, type Law, type Subject } from './subject.ts';

export const oneClassification: Law = {
  name: 'one failure has one classification, wherever it is written',
  promise: 'P1 classified once',
  breaches: (subject) => {
    const known = new Map<string, string>();
    const breaches = new Set<string>();
    for (const report of reportsOf(subject)) {
      const said = `${report.kind} ${report.category} ${String(report.retryable)}`;
      const before = known.get(report.id);
      if (before === undefined) known.set(report.id, said);
      else if (before !== said) breaches.add(`${report.id} was ${before} and is ${said}`);
    }
    return [...breaches];
  },
};

export const theSameKind: Law = {
  name: 'the log has the failure that each effect failed with',
  promise: 'P1 classified once',
  breaches: ({ events, executions }) =>
    executions.flatMap(({ ending, effect, afterSeq, isIdempotent, isAborted, path }) => {
      if ((ending?.type !== 'failed' && ending?.type !== 'lost') || isAborted) return [];
      const said = events.find(
        (event) =>
          event.seq > afterSeq &&
          isType(event, 'effect:requested', 'effect:failed', 'effect:succeeded') &&
          event.effect.key === effect.key,
      );
      // its result never arrived: the process died, the call was no longer wanted, or it was
      // repeated
      if (said?.type !== 'effect:failed') return [];
      const { error } = said;
      // its process died; an idempotent effect is in doubt only if a person has changed the next
      // step
      const mayBeInDoubt = !isIdempotent || isChangedAt(events, said.at);
      if (error.kind === IN_DOUBT && mayBeInDoubt) return [];
      if (error.kind.startsWith('cancelled.') || error.kind === 'limit.node_timeout') return [];
      // a cancellation that the run did not cause ends nothing: it becomes the cause of a failure
      const kind = ending.kind.startsWith('cancelled.') ? error.cause?.kind : error.kind;
      return kind === ending.kind
        ? []
        : [`${path} failed with ${ending.kind}, and event ${said.seq} says ${error.kind}`];
    }),
};

/** Whether the run was rewound, or resumed with another file or input, at this time. */
function isChangedAt(events: readonly RunEvent[], at: string): boolean {
  return events.some((event) => event.at === at && isChange(event));
}

function isChange(event: RunEvent): boolean {
  if (event.type !== 'run:resumed') return false;
  return [event.plan, event.input, event.from].some((each) => each !== undefined);
}

export const surfacesAsItself: Law = {
  name: 'a node fails with the failure of its effect, or with one that holds it as its cause',
  promise: 'P1 classified once',
  breaches: ({ events, plan }) => {
    const breaches: string[] = [];
    /** More than one where an agent had several tools under way. */
    const open = new Map<string, readonly ErrorReport[]>();
    for (const event of events) {
      if (event.type === 'effect:failed') {
        const { path, error } = event;
        open.set(path, isTheNodes(plan, event) ? [...(open.get(path) ?? []), error] : []);
      }
      // recorded, and the run continued without the missing part
      else if (event.type === 'error:suppressed') {
        for (const [path, reports] of open)
          if (reports.some(({ id }) => id === event.error.id)) open.delete(path);
      }
      // a resumed run begins its failed nodes anew
      else if (event.type === 'run:resumed') open.clear();
      else if ('path' in event) {
        const effects = open.get(event.path) ?? [];
        open.delete(event.path);
        const [first] = effects;
        if (first === undefined || event.type !== 'node:failed') continue;
        const chain = chainOf(event.error);
        // effects that were stopped because the time was over are listed beside it
        const named = event.error.details?.['in_doubt'] !== undefined;
        if (!named && !effects.some(({ id }) => chain.includes(id)))
          breaches.push(`event ${event.seq} at ${event.path} hides ${first.kind}`);
      }
    }
    return breaches;
  },
};

/**
 * The failure of an agent's tool goes to its model and is not the failure of the node, unless its
 * outcome is unknown. An effect that was stopped because of another failure does not have that
 * failure.
 */
function isTheNodes(plan: WorkflowPlan, event: EventOf<'effect:failed'>): boolean {
  const { kind } = event.error;
  if (kind.startsWith('cancelled.')) return false;
  const isForAgent = nodeAt(plan, event.path)?.node.type === 'agent';
  return !isForAgent || event.effect.type === 'model' || kind === 'effect.outcome_unknown';
}

/** Failures that no effect raised: the run itself makes them. */
const OF_THE_RUN = new Set([
  'limit.run_timeout',
  'limit.retries',
  'limit.requests',
  'limit.budget',
  'halt.intentional',
]);

export const theEndIsKnown: Law = {
  name: 'a run fails with a failure that happened in it',
  promise: 'P1 classified once',
  breaches: ({ events, plan }: Subject) => {
    const ids = new Set<string>();
    const breaches: string[] = [];
    for (const event of events) {
      if (event.type === 'run:failed') {
        const isKnown = chainOf(event.error).some((id) => ids.has(id));
        const isOutput = plan.output !== undefined && event.error.kind === 'validation.template';
        if (!isKnown && !isOutput && !OF_THE_RUN.has(event.error.kind))
          breaches.push(`event ${event.seq} ends with ${event.error.kind}, which nothing raised`);
      }
      for (const id of idsOf(event)) ids.add(id);
    }
    return breaches;
  },
};

function idsOf(event: RunEvent): readonly string[] {
  return event.type === 'node:failed' ? [event.error.id] : [];
}

function chainOf(report: ErrorReport): readonly string[] {
  const ids: string[] = [];
  for (let link: ErrorReport | undefined = report; link !== undefined; link = link.cause)
    ids.push(link.id);
  return ids;
}

export const failsAsSaid: Law = {
  name: 'no node fails with a kind that validate calls impossible',
  promise: 'what validate calls impossible is impossible',
  breaches: ({ events, plan }) => {
    // an effect that was running when the file changed may end by its old text
    const plans = [plan];
    let isChanged = false;
    return events.flatMap((event) => {
      if (event.type === 'run:resumed' && event.plan !== undefined) plans.push(event.plan);
      isChanged ||= isChange(event);
      if (event.type !== 'node:failed' || plans.some((each) => isSaid(each, event))) return [];
      // an idempotent effect was running too when a person changed the next step
      if (isChanged && event.error.kind === IN_DOUBT) return [];
      return [
        `event ${event.seq}: ${event.path} failed with ${event.error.kind}, which was not said`,
      ];
    });
  },
};

function isSaid(plan: WorkflowPlan, { path, error: { kind } }: EventOf<'node:failed'>): boolean {
  const found = nodeAt(plan, path);
  if (found === undefined || isNeverListed(kind)) return true;
  const said = saidOf(plan).get(found.file.file)?.[found.node.name];
  return said === undefined || said.raises.includes(kind) || mayThrowAnything(plan, found.node);
}

/** An author's own kind, a kind that ends the run, or one that only a caller can route. */
function isNeverListed(kind: string): boolean {
  return (
    !isReservedKind(kind) ||
    endsTheRun(kind) ||
    kind === 'limit.steps' ||
    kind === 'terminate.failed'
  );
}

/** A function, or a child in which there is one. */
export function mayThrowAnything(plan: WorkflowPlan, node: NodePlan): boolean {
  const within = (file: string): Raising => {
    const child = plan.children[file];
    const all = child === undefined ? [] : allNodes(child);
    return all.some((each) => raisingOf(each, within) === 'any') ? 'any' : 'none';
  };
  return raisingOf(node, within) === 'any';
}

type Said = Readonly<Record<string, NodeReport>>;

const SAID = new WeakMap<WorkflowPlan, ReadonlyMap<string, Said>>();

function saidOf(plan: WorkflowPlan): ReadonlyMap<string, Said> {
  const known = SAID.get(plan);
  if (known !== undefined) return known;
  const said = new Map(checkWorkflow(plan).map(({ file, nodes }) => [file, nodes]));
  SAID.set(plan, said);
  return said;
}
