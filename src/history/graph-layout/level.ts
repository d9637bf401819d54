/**
 * One level of a graph: boxes in layers by the longest way from the entry point. The order within a
 * layer keeps crossings few and boxes near their sources. Lines that lead back or far run along the
 * side.
 */
export interface LevelBox {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface LevelEdge {
  readonly from: string;
  readonly to: string;
}

export interface Level {
  readonly boxes: readonly LevelBox[];
  /** Boxes where this level begins. */
  readonly entries: readonly string[];
  readonly edges: readonly LevelEdge[];
  /** Only for the place of boxes that no other edge leads to. */
  readonly weakEdges: readonly LevelEdge[];
}

export interface LevelPlace {
  readonly x: number;
  readonly y: number;
  readonly layer: number;
}

export interface PlacedLevel {
  readonly places: ReadonlyMap<string, LevelPlace>;
  readonly width: number;
  readonly height: number;
  /** Where a line along the side runs, by the box that it leads to. */
  readonly lanes: ReadonlyMap<string, number>;
}

const GAP_X = 36;
const GAP_Y = 44;
const LANE = 14;
const SWEEPS = 4;

export function placeLevel(level: Level): PlacedLevel {
  const layerOf = layersOf(level);
  const lanes = lanesOf(level, layerOf);
  const layers = orderedLayers(level, layerOf);
  const left = lanes.size === 0 ? 0 : Math.max(...lanes.values()) + 1.5 * LANE;
  const centres = centresOf(level, layers);
  const places = new Map<string, LevelPlace>();
  let y = 0;
  let width = 0;
  for (const [layer, boxes] of layers.entries()) {
    for (const { id, width: own } of boxes) {
      const x = left + (centres.get(id) ?? 0) - own / 2;
      places.set(id, { x, y, layer });
      width = Math.max(width, x + own);
    }
    y += Math.max(...boxes.map(({ height }) => height)) + GAP_Y;
  }
  return { places, width, height: Math.max(0, y - GAP_Y), lanes };
}

/** The layer of each box: the longest way to it over edges that do not lead back. */
function layersOf({ boxes, entries, edges, weakEdges }: Level): ReadonlyMap<string, number> {
  const next = Map.groupBy(edges, ({ from }) => from);
  const layers = new Map<string, number>();
  const roots = [...entries, ...weakRoots(boxes, weakEdges), ...boxes.map(({ id }) => id)];
  for (const root of roots) {
    if (layers.has(root)) continue;
    const seen = new Set(layers.keys());
    const reached = wayFrom(root, next, seen);
    const first = firstLayer(root, entries, weakEdges, layers);
    for (const id of reached) layers.set(id, first);
    // in this order every edge that does not lead back comes from a box that is done
    const places = new Map(reached.map((id, at) => [id, at]));
    for (const id of reached)
      for (const { to } of next.get(id) ?? []) {
        const isAhead = (places.get(to) ?? -1) > (places.get(id) ?? 0);
        if (isAhead) layers.set(to, Math.max(layers.get(to) ?? 0, (layers.get(id) ?? 0) + 1));
      }
  }
  return layers;
}

/** Boxes that only weak edges lead to come before those that nothing leads to. */
function weakRoots(boxes: readonly LevelBox[], weakEdges: readonly LevelEdge[]): readonly string[] {
  const targets = new Set(weakEdges.map(({ to }) => to));
  return boxes.flatMap(({ id }) => (targets.has(id) ? [id] : []));
}

function firstLayer(
  root: string,
  entries: readonly string[],
  weakEdges: readonly LevelEdge[],
  layers: ReadonlyMap<string, number>,
): number {
  if (entries.includes(root)) return 0;
  const sources = weakEdges.flatMap(({ from, to }) => {
    const layer = to === root ? layers.get(from) : undefined;
    return layer === undefined ? [] : [layer];
  });
  // below all its sources, so that a node that handles failures is below those that fail
  return sources.length === 0 ? 0 : Math.max(...sources) + 1;
}

/** All boxes on the way from a root, each before those that it leads to, unless the edge leads back. */
function wayFrom(
  root: string,
  next: ReadonlyMap<string, readonly LevelEdge[]>,
  seen: Set<string>,
): readonly string[] {
  const done: string[] = [];
  const stack = [{ id: root, at: 0 }];
  seen.add(root);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const edge = next.get(top.id)?.[top.at];
    top.at += 1;
    if (edge === undefined) {
      done.push(top.id);
      stack.pop();
    } else if (!seen.has(edge.to)) {
      seen.add(edge.to);
      stack.push({ id: edge.to, at: 0 });
    }
  }
  return done.toReversed();
}

/** An edge to the next layer is drawn between the boxes, any other along the side. */
function isDirect(edge: LevelEdge, layerOf: (id: string) => number | undefined): boolean {
  return layerOf(edge.to) === (layerOf(edge.from) ?? 0) + 1;
}

/** Layers that the lines to one box run past. */
interface Stretch {
  readonly to: string;
  first: number;
  last: number;
}

/** Lines to the same box share a lane, and so do lines that run past different layers. */
function lanesOf(
  { edges }: Level,
  layers: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const lanes = new Map<string, number>();
  /** The last layer that each lane is taken up to. */
  const taken: number[] = [];
  for (const { to, first, last } of stretchesOf(edges, layers)) {
    const free = taken.findIndex((until) => until < first);
    const at = free === -1 ? taken.length : free;
    taken[at] = last;
    lanes.set(to, (at + 0.5) * LANE);
  }
  return lanes;
}

function stretchesOf(
  edges: readonly LevelEdge[],
  layers: ReadonlyMap<string, number>,
): readonly Stretch[] {
  const stretches = new Map<string, Stretch>();
  for (const edge of edges) {
    if (isDirect(edge, (id) => layers.get(id))) continue;
    const [from, to] = [layers.get(edge.from) ?? 0, layers.get(edge.to) ?? 0];
    const known = stretches.get(edge.to) ?? { to: edge.to, first: to, last: to };
    known.first = Math.min(known.first, from);
    known.last = Math.max(known.last, from);
    stretches.set(edge.to, known);
  }
  return [...stretches.values()].toSorted((a, b) => a.first - b.first);
}

function orderedLayers(
  { boxes, edges, entries }: Level,
  layerOf: ReadonlyMap<string, number>,
): readonly (readonly LevelBox[])[] {
  const layers: LevelBox[][] = [];
  const led = new Set(edges.map(({ to }) => to));
  // boxes that only failures lead to stand at the right
  const isAside = ({ id }: LevelBox): boolean => !entries.includes(id) && !led.has(id);
  for (const box of [...boxes.filter((box) => !isAside(box)), ...boxes.filter(isAside)])
    (layers[layerOf.get(box.id) ?? 0] ??= []).push(box);
  // every layer but the first has a box whose layer follows from that of another one
  const filled = layers.filter((layer) => layer !== undefined);
  const direct = edges.filter((edge) => isDirect(edge, (id) => layerOf.get(id)));
  const above = Map.groupBy(direct, ({ to }) => to);
  const below = Map.groupBy(direct, ({ from }) => from);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    const places = new Map(filled.flatMap((layer) => layer.map(({ id }, at) => [id, at] as const)));
    const mean = (id: string): number => {
      const near = isDown
        ? (above.get(id) ?? []).map(({ from }) => from)
        : (below.get(id) ?? []).map(({ to }) => to);
      return near.length === 0
        ? (places.get(id) ?? 0)
        : average(near.map((at) => places.get(at) ?? 0));
    };
    for (const layer of filled) {
      const wanted = new Map(layer.map(({ id }) => [id, mean(id)]));
      layer.sort((a, b) => (wanted.get(a.id) ?? 0) - (wanted.get(b.id) ?? 0));
    }
  }
  return filled;
}

/** Each box as near to the middle of its sources as there is room. */
function centresOf(
  { edges }: Level,
  layers: readonly (readonly LevelBox[])[],
): ReadonlyMap<string, number> {
  const above = Map.groupBy(edges, ({ to }) => to);
  const centres = new Map<string, number>();
  for (const layer of layers) {
    const wanted = layer.map(({ id, width }, at) => {
      const near = (above.get(id) ?? []).flatMap(({ from }) => centres.get(from) ?? []);
      return near.length === 0 ? at * (width + GAP_X) : average(near);
    });
    for (const [at, centre] of spread(layer, wanted).entries())
      centres.set(layer[at]?.id ?? '', centre);
  }
  const least = Math.min(
    ...layers.flat().map(({ id, width }) => (centres.get(id) ?? 0) - width / 2),
  );
  return new Map(Array.from(centres, ([id, centre]) => [id, Math.round(centre - least)]));
}

/** Keeps the order and the gaps, and moves as little as possible. */
function spread(boxes: readonly LevelBox[], wanted: readonly number[]): readonly number[] {
  const offsets: number[] = [];
  let offset = 0;
  for (const [at, { width }] of boxes.entries()) {
    const before = boxes[at - 1];
    if (before !== undefined) offset += (before.width + width) / 2 + GAP_X;
    offsets.push(offset);
  }
  const blocks: { sum: number; count: number }[] = [];
  for (const [at, want] of wanted.entries()) {
    blocks.push({ sum: want - (offsets[at] ?? 0), count: 1 });
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      const before = blocks.at(-2);
      if (before === undefined || before.sum / before.count <= last.sum / last.count) break;
      blocks.splice(-2, 2, { sum: before.sum + last.sum, count: before.count + last.count });
    }
  }
  const moved = blocks.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
  return moved.map((each, at) => each + (offsets[at] ?? 0));
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
