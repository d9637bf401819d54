/** How places lead to each other when nothing fails, and how far one is from another. */
import { END, type Route } from '../../workflow/plan/route-plan.ts';
import { branchesOf } from '../../workflow/check/flow-graph.ts';
import type { Atlas, Place } from '../places/atlas.ts';

/** The steps from each place to the target; places that do not lead there are absent. */
export function distancesTo(atlas: Atlas, target: Place): ReadonlyMap<Place, number> {
  const into = edgesInto(atlas);
  const distances = new Map<Place, number>([[target, 0]]);
  const open = [target];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const steps = (distances.get(next) ?? 0) + 1;
    for (const before of into.get(next) ?? []) {
      if (distances.has(before)) continue;
      distances.set(before, steps);
      open.push(before);
    }
  }
  return distances;
}

const KNOWN = new WeakMap<Atlas, ReadonlyMap<Place, readonly Place[]>>();

function edgesInto(atlas: Atlas): ReadonlyMap<Place, readonly Place[]> {
  const known = KNOWN.get(atlas);
  if (known !== undefined) return known;
  const into = new Map<Place, Place[]>();
  for (const place of atlas.places)
    for (const next of followers(atlas, place)) into.set(next, [...(into.get(next) ?? []), place]);
  KNOWN.set(atlas, into);
  return into;
}

/** The places that may come next without a failure. */
function followers(atlas: Atlas, { node, file, ...place }: Place): readonly Place[] {
  const success = node.routes.flatMap(({ onError, move }) =>
    onError === undefined && move.type === 'to' ? [move.to] : [],
  );
  const options =
    node.type === 'human_gate' ? node.options.flatMap(({ route }) => route ?? []) : [];
  const names = new Set([...success, ...options, ...branchesOf(node)].filter((to) => to !== END));
  const here = atlas.places.filter((each) => each.file === file && names.has(each.node.name));
  const child = atlas.files.find(({ caller }) => caller?.order === place.order);
  const entry = atlas.places.find(
    (each) => each.file === child && each.node.name === child?.plan.entryPoint,
  );
  return entry === undefined ? here : [...here, entry];
}

/** The places before a place, however it is reached: with the route, if there is one. */
export function placesBefore(
  atlas: Atlas,
  target: Place,
): readonly { readonly from: Place; readonly route: Route | undefined }[] {
  const { caller, plan } = target.file;
  const calling =
    caller !== undefined && plan.entryPoint === target.node.name
      ? [{ from: caller, route: undefined }]
      : [];
  const here = atlas.places.filter(({ file }) => file === target.file);
  return [
    ...calling,
    ...here.flatMap((from) => {
      const routes = from.node.routes.filter(
        ({ move }) => move.type === 'to' && move.to === target.node.name,
      );
      const isMember = branchesOf(from.node).includes(target.node.name);
      const around = isMember ? [undefined] : [];
      return [...routes, ...around].map((route) => ({ from, route }));
    }),
  ];
}

/** Whether something leads to the place without a failure, from the first node on. */
export function isOnTheWay(atlas: Atlas, target: Place): boolean {
  const start = atlas.places.find(
    ({ file, node }) => file.caller === undefined && node.name === atlas.plan.entryPoint,
  );
  return start !== undefined && distancesTo(atlas, target).has(start);
}
