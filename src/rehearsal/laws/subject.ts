/**
 * The subject that a law reads: a workflow, the promises about it, and everything that happened to
 * one run of it.
 */
import type { Simulation } from '../simulated-run.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { allNodes } from '../../workflow/plan/node-list.ts';
import type { WorstCase } from '../../workflow/check/worst-case.ts';
import type { FilePlan, WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { Route } from '../../workflow/plan/route-plan.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';

export type Opinion = 'allow' | 'ask' | 'deny';
/** The decision of a host's guards about a call, regardless of other rules. */
export type Judge = (tool: string, given: JsonObject) => Opinion;

export interface Subject extends Simulation {
  readonly plan: WorkflowPlan;
  /** The bound that validate printed before the run. */
  readonly worstCase: WorstCase;
  /** The decision of the host's guards about a call; absent where it has none. */
  readonly judge?: Judge | undefined;
}

export interface Law {
  readonly name: string;
  /** The promise of the README that it enforces, or its other basis. */
  readonly promise: string;
  /** One sentence for each breach. */
  readonly breaches: (subject: Subject) => readonly string[];
}

export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

export function isType<T extends RunEvent['type']>(
  event: RunEvent,
  ...types: readonly T[]
): event is EventOf<T> {
  return types.some((type) => type === event.type);
}

export function ofType<T extends RunEvent['type']>(
  events: readonly RunEvent[],
  ...types: readonly T[]
): readonly EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => isType(event, ...types));
}

export const RESTS = ['run:completed', 'run:failed', 'run:cancelled', 'run:paused'] as const;

export interface Found {
  readonly file: FilePlan;
  readonly node: NodePlan;
}

/** The node that a path leads to, through groups and sub-workflows. */
export function nodeAt(plan: WorkflowPlan, path: string): Found | undefined {
  let file: FilePlan = plan;
  let found: Found | undefined;
  for (const part of path.replace(/\[[^\]]*\]/g, '').split('/')) {
    if (found?.node.type === 'workflow') file = plan.children[found.node.workflow] ?? file;
    const node = allNodes(file).find(({ name }) => name === part);
    if (node === undefined) return undefined;
    found = { file, node };
  }
  return found;
}

/** The files whose workflows run around a path, the innermost first. */
export function filesAround(plan: WorkflowPlan, path: string): readonly Around[] {
  const found: Around[] = [{ file: plan, holder: '' }];
  const parts = path.split('/');
  for (let length = 1; length < parts.length; length++) {
    const holder = parts.slice(0, length).join('/');
    const node = nodeAt(plan, holder)?.node;
    const file = node?.type === 'workflow' ? plan.children[node.workflow] : undefined;
    if (file !== undefined) found.unshift({ file, holder });
  }
  return found;
}

export interface Around {
  readonly file: FilePlan;
  /** The path of the node that calls it; empty for the run. */
  readonly holder: string;
}

/** The route that an event records as taken; undefined for the default. */
export function routeOf(plan: WorkflowPlan, event: EventOf<'route:taken'>): Route | undefined {
  const found = nodeAt(plan, event.path);
  if (event.rule === undefined || found === undefined) return undefined;
  const table = event.bucket === 'workflow' ? found.file.onError : found.node.routes;
  return table.find(({ index }) => index === event.rule);
}

export function isInside(path: string, ancestor: string): boolean {
  return path.startsWith(`${ancestor}/`) || path.startsWith(`${ancestor}[`);
}

const REPORTS = new WeakMap<object, readonly ErrorReport[]>();

/** Every report that was stored or returned, with its causes and members. */
export function reportsOf({ events, result }: Subject): readonly ErrorReport[] {
  const known = REPORTS.get(events);
  if (known !== undefined) return known;
  const found = [...reportsIn(events), ...reportsIn(result)];
  REPORTS.set(events, found);
  return found;
}

function* reportsIn(value: unknown): Generator<ErrorReport> {
  if (typeof value !== 'object' || value === null) return;
  // only a report has all three
  if ('kind' in value && 'category' in value && 'id' in value) yield value as ErrorReport;
  for (const inner of Object.values(value)) yield* reportsIn(inner);
}
