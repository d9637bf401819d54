/**
 * The places of a workflow: every node of its files, each file once, through its first caller in file order.
 * A place is named as scenarios name it: `NODE`, or `CALLER/NODE` in a child.
 */
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import type { ValidatedFile } from '../../workflow/check/validate-workflow.ts';
import {
  handlingOf,
  mayTake,
  raisingOf,
  takes,
  type Raising,
} from '../../workflow/check/routing.ts';
import { allNodes } from '../../workflow/plan/node-list.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { FilePlan, WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { Route } from '../../workflow/plan/route-plan.ts';
import { inFileOrder } from './file-order.ts';

/** One file of the workflow, and the place that calls it; none for the file itself. */
export interface PlacedFile {
  readonly plan: FilePlan;
  readonly caller: Place | undefined;
}

export interface Place {
  readonly name: string;
  readonly node: NodePlan;
  readonly file: PlacedFile;
  /** The kinds it can fail with, as `errand validate` lists them, then those that only its routes name. */
  readonly kinds: readonly string[];
  /** Its position among all places. */
  readonly order: number;
}

export interface Atlas {
  readonly plan: WorkflowPlan;
  /** In file order; the places of a child follow the place that calls it first. */
  readonly places: readonly Place[];
  readonly files: readonly PlacedFile[];
  /** The place of a path in a run, through whichever caller. */
  readonly of: (path: string) => Place | undefined;
  readonly named: (name: string) => Place | undefined;
}

export function atlasOf(
  plan: WorkflowPlan,
  verdict: readonly Pick<ValidatedFile, 'file' | 'nodes'>[],
): Atlas {
  const raises = new Map(verdict.map(({ file, nodes }) => [file, nodes]));
  const places: Place[] = [];
  const files: PlacedFile[] = [];
  const seen = new Set<FilePlan>();
  const add = (file: FilePlan, caller: Place | undefined): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const placed: PlacedFile = { plan: file, caller };
    files.push(placed);
    const nodes = inFileOrder(allNodes(file));
    const kinds = kindsIn(file, nodes, {
      listed: (node) => raises.get(file.file)?.[node.name]?.raises ?? [],
      raising: (node) => raisingOf(node, (child) => raisingFrom(plan, child)),
    });
    for (const node of nodes) {
      const name = caller === undefined ? node.name : `${caller.name}/${node.name}`;
      const place: Place = {
        name,
        node,
        file: placed,
        kinds: kinds.get(node) ?? [],
        order: places.length,
      };
      places.push(place);
      const child = node.type === 'workflow' ? plan.children[node.workflow] : undefined;
      if (child !== undefined) add(child, place);
    }
  };
  add(plan, undefined);
  const byName = new Map(places.map((place) => [place.name, place]));
  const byNode = new Map(places.map((place) => [place.node, place]));
  const known = new Map<string, Place | undefined>();
  const find = (path: string): Place | undefined => placeAt(plan, path, byNode);
  return {
    plan,
    places,
    files,
    named: (name) => byName.get(name),
    of: (path) => {
      if (!known.has(path)) known.set(path, find(path));
      return known.get(path);
    },
  };
}

/** `each[a]/one/label` → the node `label` of the file that `one` calls. */
function placeAt(
  plan: WorkflowPlan,
  path: string,
  byNode: ReadonlyMap<NodePlan, Place>,
): Place | undefined {
  const parts = path.split('/').map((part) => ({
    name: part.split('[')[0] ?? '',
    isBranch: part.includes('['),
  }));
  let file: FilePlan = plan;
  for (const [at, { name, isBranch }] of parts.entries()) {
    const node = allNodes(file).find((each) => each.name === name);
    if (node === undefined) return undefined;
    if (at === parts.length - 1) return byNode.get(node);
    const child: FilePlan | undefined =
      node.type === 'workflow' && !isBranch ? plan.children[node.workflow] : undefined;
    file = child ?? file;
  }
  return undefined;
}

interface KindSources {
  readonly listed: (node: NodePlan) => readonly string[];
  readonly raising: (node: NodePlan) => Raising;
}

/** The kinds of each node, and one more for a route that only an undeclared kind reaches. */
function kindsIn(
  file: FilePlan,
  nodes: readonly NodePlan[],
  { listed, raising }: KindSources,
): ReadonlyMap<NodePlan, readonly string[]> {
  const kinds = new Map(nodes.map((node) => [node, [...listed(node)]]));
  const isFree = (node: NodePlan): boolean => node.raises === undefined && raising(node) !== 'none';
  for (const node of nodes) {
    const own = kinds.get(node) ?? [];
    for (const route of node.routes) {
      if (route.onError === undefined || own.some((kind) => takes(route, kind))) continue;
      const added = isFree(node) ? namedBy(route, raising(node)) : undefined;
      if (added !== undefined && getsTo(added, route, node.routes, [])) own.push(added);
    }
  }
  for (const route of file.onError) {
    const isReached = nodes.some((node) =>
      (kinds.get(node) ?? []).some((kind) => getsTo(kind, route, node.routes, file.onError)),
    );
    if (isReached) continue;
    for (const node of nodes) {
      const added = isFree(node) ? namedBy(route, raising(node)) : undefined;
      if (added === undefined || !getsTo(added, route, node.routes, file.onError)) continue;
      kinds.get(node)?.push(added);
      break;
    }
  }
  return kinds;
}

/** The first kind that a route names and such a node may raise: `*` is read as `rehearsed`. */
function namedBy(route: Route, raising: Raising): string | undefined {
  const { onError } = route;
  if (onError === undefined) return undefined;
  if (onError === true) return 'rehearsed.failure';
  const named = onError.map((pattern) => pattern.replace(/\*$/, 'rehearsed'));
  const isPossible = (kind: string): boolean =>
    mayTake({ ...route, onError: [kind] }, [], raising) &&
    (raising === 'any' || !isReservedKind(kind));
  return named.find(isPossible);
}

export function getsTo(
  kind: string,
  route: Route,
  ofNode: readonly Route[],
  ofFile: readonly Route[],
): boolean {
  return handlingOf(kind, ofNode, ofFile).steps.some((step) => step.route === route);
}

function raisingFrom(root: WorkflowPlan, file: string, seen = new Set<string>()): Raising {
  const child = root.children[file];
  if (child === undefined) return 'any';
  if (seen.has(file)) return 'none';
  const inside = new Set([...seen, file]);
  const all = allNodes(child).map((node) =>
    raisingOf(node, (next) => raisingFrom(root, next, inside)),
  );
  return (['any', 'own'] as const).find((each) => all.includes(each)) ?? 'none';
}
