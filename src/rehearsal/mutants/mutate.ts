/** Changes a plan in one place: an error route, a gate, or `idempotent`. Rules keep their numbers. */
import { takes } from '../../workflow/check/routing.ts';
import { isBare } from '../../machine/decide/evaluate-templates.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { FilePlan, WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { Route } from '../../workflow/plan/route-plan.ts';
import type { Atlas, Place, PlacedFile } from '../places/atlas.ts';
import { routeNumber } from '../report/route-words.ts';

export interface Mutant {
  readonly node?: string;
  readonly rule?: number;
  readonly line: number;
  /** The change, in words. */
  readonly change: string;
  readonly plan: WorkflowPlan;
}

export function mutantsOf(atlas: Atlas): readonly Mutant[] {
  return [
    ...atlas.files.flatMap((file) =>
      tableMutants({ atlas, file, place: undefined }, file.plan.onError, (onError) => ({
        ...file.plan,
        onError,
      })),
    ),
    ...atlas.places.flatMap((place) => [
      ...tableMutants({ atlas, file: place.file, place }, place.node.routes, (routes) =>
        withNode(place.file.plan, { ...place.node, routes }),
      ),
      ...nodeMutants(atlas, place),
    ]),
  ];
}

type Rebuild = (routes: readonly Route[]) => FilePlan;

/** The owner of the table: a place, or its file. */
interface Owner {
  readonly atlas: Atlas;
  readonly file: PlacedFile;
  readonly place: Place | undefined;
}

function tableMutants(owner: Owner, table: readonly Route[], rebuild: Rebuild): readonly Mutant[] {
  const { atlas, file, place } = owner;
  const mutant = (route: Route, change: string, changed: readonly Route[]): Mutant => ({
    ...(place === undefined ? {} : { node: place.name }),
    rule: route.index,
    line: route.line ?? 0,
    change,
    plan: withFile(atlas.plan, file, rebuild(changed)),
  });
  return table.flatMap((route, at) => {
    if (route.onError === undefined) return [];
    const next = table.slice(at + 1).find(({ onError }) => onError !== undefined);
    const swapped =
      next === undefined
        ? []
        : [mutant(route, `swapped with ${routeNumber(next.index)}`, exchange(table, route, next))];
    return [
      mutant(
        route,
        'dropped',
        table.filter((each) => each !== route),
      ),
      ...swapped,
      ...changesOf(owner, route).map(([change, changed]) =>
        mutant(
          route,
          change,
          table.map((each) => (each === route ? changed : each)),
        ),
      ),
    ];
  });
}

function exchange(table: readonly Route[], one: Route, other: Route): readonly Route[] {
  return table.map((each) => {
    if (each === one) return other;
    return each === other ? one : each;
  });
}

type Change = readonly [string, Route];

function changesOf(owner: Owner, route: Route): readonly Change[] {
  const { atlas, file } = owner;
  return [...kindChanges(owner, route), ...guardChanges(route), ...moveChanges(atlas, file, route)];
}

function kindChanges({ atlas, file, place }: Owner, route: Route): readonly Change[] {
  const { onError } = route;
  if (onError === undefined) return [];
  const widened: Change[] =
    onError === true ? [] : [['widened to any failure', { ...route, onError: true }]];
  const around = place === undefined ? atlas.places.filter((each) => each.file === file) : [place];
  const kinds = new Set(around.flatMap((each) => each.kinds.filter((kind) => takes(route, kind))));
  const [first] = kinds;
  if (first === undefined || kinds.size < 2) return widened;
  return [...widened, [`narrowed to ${first}`, { ...route, onError: [first] }]];
}

function guardChanges(route: Route): readonly Change[] {
  const { when, ...rest } = route;
  if (when === undefined) return [];
  const inner = isBare(when) ? when : /^\s*\{\{(.*)\}\}\s*$/s.exec(when)?.[1];
  const negated = isBare(when) ? `not (${when})` : `{{ not (${inner ?? ''}) }}`;
  return [
    ['guard dropped', rest],
    ...(inner === undefined || inner.includes('{{')
      ? []
      : [['guard negated', { ...route, when: negated }] as const]),
  ];
}

function moveChanges({ places }: Atlas, file: PlacedFile, route: Route): readonly Change[] {
  const { move } = route;
  switch (move.type) {
    case 'to': {
      const here = places.filter((each) => each.file === file).map(({ node }) => node.name);
      const next = here[(here.indexOf(move.to) + 1) % here.length];
      return next === undefined || next === move.to
        ? []
        : [[`sent to ${next}`, { ...route, move: { type: 'to', to: next } }]];
    }
    case 'ask': {
      const { timeoutMs, ...asking } = move;
      const lost =
        move.options.length < 2
          ? []
          : move.options.map((option): Change => [
              `option ${option} lost`,
              {
                ...route,
                move: { ...move, options: move.options.filter((each) => each !== option) },
              },
            ]);
      return timeoutMs === undefined
        ? lost
        : [...lost, ['timeout dropped', { ...route, move: asking }]];
    }
    case 'park':
      return [['halt instead of park', { ...route, move: { type: 'halt' } }]];
    case 'retry':
    case 'halt':
    case 'propagate':
      return [];
  }
}

function nodeMutants(atlas: Atlas, place: Place): readonly Mutant[] {
  const { node, file } = place;
  const mutant = (change: string, changed: NodePlan): Mutant => ({
    node: place.name,
    line: node.location.line ?? 0,
    change,
    plan: withFile(atlas.plan, file, withNode(file.plan, changed)),
  });
  if (node.type === 'human_gate') {
    const { expiresMs, ...silent } = node;
    const lost =
      node.options.length < 2
        ? []
        : node.options.map((option) =>
            mutant(`option ${String(option.value)} lost`, {
              ...node,
              options: node.options.filter((each) => each !== option),
            }),
          );
    return expiresMs === undefined ? lost : [...lost, mutant('timeout dropped', silent)];
  }
  const isIdempotent = 'isIdempotent' in node && node.isIdempotent;
  return isIdempotent ? [mutant('idempotent dropped', { ...node, isIdempotent: false })] : [];
}

/** The same file with another version of one node, members of groups included. */
function withNode(file: FilePlan, changed: NodePlan): FilePlan {
  return { ...file, nodes: file.nodes.map((node) => replaced(node, changed)) };
}

function replaced(node: NodePlan, changed: NodePlan): NodePlan {
  if (node.name === changed.name) return changed;
  return node.type === 'for_each' ? { ...node, member: replaced(node.member, changed) } : node;
}

function withFile(root: WorkflowPlan, { plan }: PlacedFile, changed: FilePlan): WorkflowPlan {
  if (plan === root) return { ...root, ...changed };
  const children = Object.entries(root.children).map(([key, child]) => [
    key,
    child === plan ? changed : child,
  ]);
  // true: the same keys with plans of files
  return { ...root, children: Object.fromEntries(children) as WorkflowPlan['children'] };
}
