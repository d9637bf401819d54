/**
 * Lays out a graph from the inside out: groups and the workflows of nodes are boxes around their
 * own levels. The same graph always gives the same picture.
 */
import { END } from '../../workflow/plan/route-plan.ts';
import type { GraphNode, RunGraph, WorkflowGraph } from '../workflow-graph.ts';
import { placeLevel, type LevelEdge, type PlacedLevel } from './level.ts';
import type { GraphLayout, LayoutBox, LayoutLine } from './layout.ts';
import { linesOf, portsOf, type Drawn } from './route-lines.ts';
import { routeLabel } from './route-label.ts';

const MARGIN = 16;
const PADDING = 14;
const HEAD = 34;
const ROW = 18;
const FOOT = 10;
/** Widths of letters in the widest of the usual fonts: a name is bold, all else is small. */
const CHAR = 8.6;
const SMALL_CHAR = 7;
const ICON = 28;
const LEAST_WIDTH = 132;
const MOST_WIDTH = 300;
/** A workflow that runs itself is drawn this often inside itself. */
const MOST_DEPTH = 8;

/** A box before its place is known. */
interface Sized {
  readonly node: GraphNode;
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly inner: Inner | undefined;
}

interface Inner {
  readonly boxes: readonly Sized[];
  readonly placed: PlacedLevel;
  readonly entries: readonly string[];
}

export function layoutGraph(graph: RunGraph): GraphLayout {
  const inner = sizedLevel(topNodes(graph), graph, {
    children: graph.children,
    prefix: '',
    depth: 0,
  });
  const drawn: Drawn[] = [];
  place(inner, { x: MARGIN, y: MARGIN, inside: undefined }, drawn);
  const byId = new Map(drawn.map((each) => [each.box.id, each]));
  const boxes: readonly LayoutBox[] = drawn.map((each) => ({
    ...each.box,
    ports: portsOf(each, byId),
  }));
  const lines: readonly LayoutLine[] = drawn.flatMap((each) => linesOf(each, byId));
  const right = Math.max(0, ...drawn.map(({ box }) => box.x + box.width));
  return {
    width: right + MARGIN + 2 * PADDING,
    height: inner.placed.height + 2 * MARGIN + PADDING,
    boxes,
    lines,
  };
}

interface Context {
  readonly children: Readonly<Record<string, WorkflowGraph>>;
  /** Ids of the boxes begin with it. */
  readonly prefix: string;
  readonly depth: number;
}

function topNodes({ nodes }: WorkflowGraph): readonly GraphNode[] {
  return nodes.filter(({ group }) => group === undefined);
}

/** The nodes of one level of a file, each with what is inside it. */
function sizedLevel(nodes: readonly GraphNode[], file: WorkflowGraph, context: Context): Inner {
  const boxes = nodes.map((node) => sized(node, file, context));
  const own = nodes.some(({ name }) => name === file.entryPoint);
  const entries = (own ? [file.entryPoint] : nodes.map(({ name }) => name)).map(
    (name) => context.prefix + name,
  );
  const ids = new Set(boxes.map(({ id }) => id));
  const edgesAfter = (ending: 'success' | 'failure'): readonly LevelEdge[] =>
    nodes.flatMap((node) => edgesFrom(node, context.prefix, ids, ending));
  const placed = placeLevel({
    boxes,
    entries,
    edges: edgesAfter('success'),
    weakEdges: edgesAfter('failure'),
  });
  return { boxes, placed, entries };
}

function edgesFrom(
  { name, routes, manages = [], options = [] }: GraphNode,
  prefix: string,
  ids: ReadonlySet<string>,
  ending: 'success' | 'failure',
): readonly LevelEdge[] {
  const isSuccess = ending === 'success';
  const fitting = routes.filter(({ bucket }) => (bucket === 'success') === isSuccess);
  const targets = [
    ...fitting.flatMap(({ to }) => (to === undefined || to === END ? [] : [to])),
    ...(isSuccess ? options.flatMap(({ to }) => (to === END ? [] : [to])) : manages),
  ];
  return targets.flatMap((to) =>
    ids.has(prefix + to) ? [{ from: prefix + name, to: prefix + to }] : [],
  );
}

function sized(node: GraphNode, file: WorkflowGraph, context: Context): Sized {
  const id = context.prefix + node.name;
  const inner = innerOf(node, file, { ...context, prefix: `${id}/`, depth: context.depth + 1 });
  const labels = node.routes.flatMap((route) =>
    route.bucket === 'error' ? [routeLabel(route)] : [],
  );
  const head = ICON + node.name.length * CHAR + (node.type.length + 1) * SMALL_CHAR;
  const longest = Math.max(head, ...labels.map((label) => (label.length + 2) * SMALL_CHAR));
  const own = Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, longest + PADDING));
  const ports = labels.length === 0 ? 0 : labels.length * ROW + FOOT;
  if (inner === undefined)
    return { node, id, width: own, height: HEAD + Math.max(FOOT, ports), inner };
  return {
    node,
    id,
    width: Math.max(own, inner.placed.width + 2 * PADDING),
    height: HEAD + inner.placed.height + PADDING + ports,
    inner,
  };
}

function innerOf(node: GraphNode, file: WorkflowGraph, context: Context): Inner | undefined {
  if (context.depth > MOST_DEPTH) return undefined;
  const members = file.nodes.filter(({ group }) => group === node.name);
  if (members.length > 0) return sizedLevel(members, file, context);
  const child = node.workflow === undefined ? undefined : context.children[node.workflow];
  return child === undefined ? undefined : sizedLevel(topNodes(child), child, context);
}

function place(
  { boxes, placed, entries }: Inner,
  at: {
    readonly x: number;
    readonly y: number;
    readonly inside: string | undefined;
  },
  drawn: Drawn[],
): void {
  for (const { node, id, width, height, inner } of boxes) {
    const { x = 0, y = 0, layer = 0 } = placed.places.get(id) ?? {};
    const box: Omit<LayoutBox, 'ports'> = {
      id,
      name: node.name,
      type: node.type,
      x: at.x + x,
      y: at.y + y,
      width,
      height,
      ...(at.inside === undefined ? {} : { inside: at.inside }),
      holds: inner !== undefined,
      isEntry: entries.length === 1 && entries[0] === id,
    };
    const portsFrom = inner === undefined ? HEAD : HEAD + inner.placed.height + PADDING;
    drawn.push({
      node,
      box,
      layer,
      portsFrom,
      laneX: (to) => {
        const lane = placed.lanes.get(to);
        return lane === undefined ? undefined : at.x + lane;
      },
    });
    if (inner !== undefined)
      place(inner, { ...at, x: box.x + PADDING, y: box.y + HEAD, inside: id }, drawn);
  }
}
