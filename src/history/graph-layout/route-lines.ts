/** Lines of success routes, and ports of error routes with the lines that may be drawn from them. */
import { END } from '../../workflow/plan/route-plan.ts';
import type { GraphNode, GraphRoute } from '../workflow-graph.ts';
import type { LayoutBox, LayoutLine, LayoutPort } from './layout.ts';
import { routeLabel } from './route-label.ts';

/** A box in its place, with what its lines need. */
export interface Drawn {
  readonly node: GraphNode;
  readonly box: Omit<LayoutBox, 'ports'>;
  /** In its level. */
  readonly layer: number;
  /** How far below its top the ports begin. */
  readonly portsFrom: number;
  /** Where lines to that box run along the side; undefined where none does. */
  readonly laneX: (to: string) => number | undefined;
}

type ById = ReadonlyMap<string, Drawn>;
interface Point {
  readonly x: number;
  readonly y: number;
}

const ROW = 18;
const STUB = 18;
/** Between the ends of lines at one side of a box. */
const STEP = 12;
const ROUND = 8;

export function linesOf(drawn: Drawn, byId: ById): readonly LayoutLine[] {
  const successes = successesOf(drawn.node);
  return successes.map(({ id, ...success }, at) => {
    const target = targetOf(drawn, success, byId);
    const offset = (at - (successes.length - 1) / 2) * STEP;
    const from = { x: middle(drawn) + offset, y: bottom(drawn) };
    return {
      id: `${drawn.box.id}#${id}`,
      from: drawn.box.id,
      ...success,
      ...(target === undefined ? {} : { target: target.box.id }),
      ...successPath(drawn, target, from, byId),
    };
  });
}

type Success = Pick<LayoutLine, 'id' | 'rule' | 'option' | 'move' | 'to' | 'when'>;

/** The options of a gate lead on before its routes do. */
function successesOf({ routes, options = [] }: GraphNode): readonly Success[] {
  return [
    ...options.map(({ value, to }, at): Success => {
      return { id: `option${at}`, option: String(value), move: 'to', to };
    }),
    ...routes.flatMap(({ bucket, rule, move, to, when }): readonly Success[] => {
      const where = {
        ...(to === undefined ? {} : { to }),
        ...(when === undefined ? {} : { when }),
      };
      return bucket === 'success' ? [{ id: String(rule), rule, move, ...where }] : [];
    }),
  ];
}

interface Way {
  readonly path: string;
  readonly end: Point;
  readonly isBack: boolean;
}

function successPath(drawn: Drawn, target: Drawn | undefined, from: Point, byId: ById): Way {
  if (target === undefined) {
    const end = { x: from.x, y: from.y + STUB };
    return { path: `M${point(from)}V${round(end.y)}`, end, isBack: false };
  }
  const isBack = target.layer <= drawn.layer;
  const lane = target.layer === drawn.layer + 1 ? undefined : drawn.laneX(target.box.id);
  const isNear = drawn.box.inside === target.box.inside;
  if (lane !== undefined && isNear) {
    const points = isBeside(drawn, target, byId)
      ? straight(drawn, target)
      : [...outTo(lane, drawn, from, byId), ...inFrom(lane, target, byId)];
    return { path: rounded(points), end: points.at(-1) ?? from, isBack };
  }
  const end = { x: middle(target), y: target.box.y };
  const halfway = (from.y + end.y) / 2;
  const path = `M${point(from)}C${point({ x: from.x, y: halfway })} ${point({ x: end.x, y: halfway })} ${point(end)}`;
  return { path, end, isBack };
}

/** Boxes in the same layer of the same level. */
function layerAround({ box, layer }: Drawn, byId: ById): readonly Drawn[] {
  return [...byId.values()].filter(
    (other) => other.layer === layer && other.box.inside === box.inside,
  );
}

function isBeside(drawn: Drawn, target: Drawn, byId: ById): boolean {
  if (drawn === target || drawn.layer !== target.layer) return false;
  const [first, last] = [drawn.box.x, target.box.x].toSorted((a, b) => a - b);
  return !layerAround(drawn, byId).some(({ box }) => box.x > (first ?? 0) && box.x < (last ?? 0));
}

/** From edge to edge, at a height that both boxes have. */
function straight({ box: from }: Drawn, { box: to }: Drawn): readonly Point[] {
  const y = from.y + STEP;
  const isLeft = to.x < from.x;
  return [
    { x: isLeft ? from.x : from.x + from.width, y },
    { x: isLeft ? to.x + to.width : to.x, y },
  ];
}

/** To the lane from the left edge of the box, or below its layer where another box is in the way. */
function outTo(lane: number, drawn: Drawn, from: Point, byId: ById): readonly Point[] {
  const { box } = drawn;
  if (isFirst(drawn, byId)) {
    const y = bottom(drawn) - STEP;
    return [
      { x: box.x, y },
      { x: lane, y },
    ];
  }
  const y = Math.max(...layerAround(drawn, byId).map(bottom)) + STEP;
  return [from, { x: from.x, y }, { x: lane, y }];
}

/** From the lane into the left edge of the box, or above its layer where another box is in the way. */
function inFrom(lane: number, target: Drawn, byId: ById): readonly Point[] {
  const { box } = target;
  if (isFirst(target, byId)) {
    const y = box.y + STEP;
    return [
      { x: lane, y },
      { x: box.x, y },
    ];
  }
  const x = middle(target);
  const y = box.y - STEP;
  return [
    { x: lane, y },
    { x, y },
    { x, y: box.y },
  ];
}

/** Nothing of its layer is at its left. */
function isFirst(drawn: Drawn, byId: ById): boolean {
  return layerAround(drawn, byId).every(({ box }) => box.x >= drawn.box.x);
}

/** A line over points that are above or beside each other, with round corners. */
function rounded(points: readonly Point[]): string {
  return points
    .map((at, index) => {
      const before = points[index - 1];
      const after = points[index + 1];
      if (before === undefined) return `M${point(at)}`;
      if (after === undefined) return `L${point(at)}`;
      return `L${point(near(at, before))}Q${point(at)} ${point(near(at, after))}`;
    })
    .join('');
}

/** A point on the way to another one, at most half of it. */
function near(from: Point, to: Point): Point {
  const step = (distance: number): number =>
    Math.sign(distance) * Math.min(ROUND, Math.abs(distance) / 2);
  return { x: from.x + step(to.x - from.x), y: from.y + step(to.y - from.y) };
}

export function portsOf(drawn: Drawn, byId: ById): readonly LayoutPort[] {
  const { node, box } = drawn;
  const own = node.routes.filter(({ bucket }) => bucket === 'error');
  const shared = node.routes.filter(({ bucket }) => bucket === 'workflow');
  const x = box.x + box.width;
  const first = box.y + drawn.portsFrom + ROW / 2;
  return [
    ...own.map((route, at) => portOf(drawn, route, { x, y: first + at * ROW }, byId)),
    // they are the same for every node, so they take no room in each
    ...shared.map((route) => portOf(drawn, route, { x, y: box.y + STEP }, byId)),
  ];
}

function portOf(drawn: Drawn, route: GraphRoute, at: Point, byId: ById): LayoutPort {
  const { rule, bucket, move, to } = route;
  const target = targetOf(drawn, route, byId);
  return {
    id: `${drawn.box.id}!${bucket}${rule}`,
    rule,
    bucket: bucket === 'workflow' ? 'workflow' : 'error',
    label: routeLabel(route),
    move,
    ...(to === undefined ? {} : { to }),
    ...(target === undefined ? {} : { target: target.box.id }),
    ...at,
    path: target === undefined ? stub(at) : errorPath(at, target),
  };
}

function stub(at: Point): string {
  return `M${point(at)}h${STUB}`;
}

/** Out to the right, and into the right edge of the target. */
function errorPath(at: Point, { box }: Drawn): string {
  const end = { x: box.x + box.width, y: box.y + Math.min(box.height / 2, 2 * STEP) };
  const out = Math.max(at.x, end.x) + 2 * ROUND + Math.min(48, Math.abs(end.y - at.y) / 8);
  return `M${point(at)}C${point({ x: out, y: at.y })} ${point({ x: out, y: end.y })} ${point(end)}`;
}

/** The box that a route leads to: beside its own, or at the level around the group that its node is in. */
function targetOf({ box }: Drawn, { to }: { readonly to?: string }, byId: ById): Drawn | undefined {
  if (to === undefined || to === END) return undefined;
  for (let around: string | undefined = box.inside; ; around = byId.get(around)?.box.inside) {
    const found = byId.get(around === undefined ? to : `${around}/${to}`);
    if (found !== undefined || around === undefined) return found;
  }
}

function middle({ box }: Drawn): number {
  return box.x + box.width / 2;
}

function bottom({ box }: Drawn): number {
  return box.y + box.height;
}

function point({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
