import { property, assert, array, constantFrom, integer, nat, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GraphNode, GraphRoute, RunGraph } from '../workflow-graph.ts';
import { layoutGraph } from './layout-graph.ts';
import { boxIdOf, type GraphLayout, type LayoutBox, type LayoutLine } from './layout.ts';

const END = '$end';

function to(target: string, rule = 0, when?: string): GraphRoute {
  return {
    rule,
    bucket: 'success',
    move: 'to',
    to: target,
    ...(when === undefined ? {} : { when }),
  };
}

function agent(name: string, ...routes: readonly GraphRoute[]): GraphNode {
  return { name, type: 'agent', routes };
}

function box(layout: GraphLayout, id: string): LayoutBox {
  const found = layout.boxes.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no box ${id}`);
  return found;
}

function isApart(a: LayoutBox, b: LayoutBox): boolean {
  const besides = a.x + a.width <= b.x || b.x + b.width <= a.x;
  return besides || a.y + a.height <= b.y || b.y + b.height <= a.y;
}

function isWithin(inner: LayoutBox, outer: LayoutBox): boolean {
  return (
    inner.x >= outer.x &&
    inner.y >= outer.y &&
    inner.x + inner.width <= outer.x + outer.width &&
    inner.y + inner.height <= outer.y + outer.height
  );
}

/** Boxes that a line of straight parts runs through, other than those that it is in. */
function boxesBehind({ path, from, target }: LayoutLine, { boxes }: GraphLayout): string[] {
  if (path.includes('C')) return [];
  const corners = Array.from(path.matchAll(/[MLQV ]?(-?[\d.]+) (-?[\d.]+)/g), ([, x, y]) => ({
    x: Number(x),
    y: Number(y),
  }));
  const isAround = (id: string): boolean =>
    [from, target ?? from].some((end) => end === id || end.startsWith(`${id}/`));
  return boxes
    .filter(({ id }) => !isAround(id))
    .filter((each) => corners.slice(1).some((to, at) => crosses(each, corners[at] ?? to, to)))
    .map(({ id }) => id);
}

interface Corner {
  readonly x: number;
  readonly y: number;
}

function crosses({ x, y, width, height }: LayoutBox, from: Corner, to: Corner): boolean {
  const isBetween = (a: number, b: number, first: number, last: number): boolean =>
    Math.max(a, b) > first && Math.min(a, b) < last;
  return isBetween(from.x, to.x, x, x + width) && isBetween(from.y, to.y, y, y + height);
}

/** A graph of any shape: chains, forks, loops, groups, children, handlers, nodes that nothing leads to. */
const GRAPH = record({
  size: integer({ min: 1, max: 14 }),
  targets: array(record({ from: nat(13), to: nat(15), isError: constantFrom(true, false) }), {
    maxLength: 40,
  }),
  groups: array(nat(13), { maxLength: 14 }),
  child: nat(13),
}).map(({ size, targets, groups, child }): RunGraph => {
  const name = (at: number): string => `n${at % size}`;
  const nodes = Array.from({ length: size }, (_, at): GraphNode => {
    const routes = targets
      .filter(({ from }) => from % size === at)
      .map((route, rule): GraphRoute => {
        const target = route.to >= size ? END : name(route.to);
        return route.isError
          ? { rule, bucket: 'error', onError: true, move: 'to', to: target }
          : to(target, rule);
      });
    // members of a group have larger numbers, so no group is inside itself
    const group = groups[at] ?? 99;
    const isMember = group < at && at !== child % size;
    const isChild = at === child % size;
    return {
      name: name(at),
      type: isChild ? 'workflow' : 'agent',
      routes,
      ...(isMember ? { group: name(group) } : {}),
      ...(isChild ? { workflow: 'inner' } : {}),
    };
  });
  const inner = { nodes: [agent('a', to('b')), agent('b', to('a'))], entryPoint: 'a' };
  return { nodes, entryPoint: 'n0', children: { inner } };
});

describe('any graph', () => {
  it('is laid out without overlaps, with every box, port and line, the same each time', () => {
    assert(
      property(GRAPH, (graph) => {
        const layout = layoutGraph(graph);
        expect(layoutGraph(graph)).toEqual(layout);
        const boxes = layout.boxes.filter(({ id }) => !/\/[ab]$/.test(id));
        expect(boxes.map(({ name }) => name).toSorted()).toEqual(
          graph.nodes.map(({ name }) => name).toSorted(),
        );
        for (const [at, one] of layout.boxes.entries()) {
          if (one.inside !== undefined) expect(isWithin(one, box(layout, one.inside))).toBe(true);
          expect(one.x >= 0 && one.x + one.width <= layout.width).toBe(true);
          expect(one.y >= 0 && one.y + one.height <= layout.height).toBe(true);
          for (const other of layout.boxes.slice(at + 1))
            if (one.inside === other.inside)
              expect(isApart(one, other), `${one.id} and ${other.id}`).toBe(true);
        }
        for (const { name, routes } of graph.nodes) {
          const own = boxes.find((each) => each.name === name);
          const lines = layout.lines.filter(({ from }) => from === own?.id);
          const successes = routes.filter(({ bucket }) => bucket === 'success');
          expect(lines.map(({ rule }) => rule)).toEqual(successes.map(({ rule }) => rule));
          const failures = routes.filter(({ bucket }) => bucket === 'error');
          expect(own?.ports.map(({ rule }) => rule)).toEqual(failures.map(({ rule }) => rule));
        }
        for (const line of layout.lines) expect(boxesBehind(line, layout)).toEqual([]);
        for (const { path } of layout.lines) expect(path).not.toMatch(/NaN|undefined|Infinity/);
      }),
    );
  });
});

describe('a layout', () => {
  it('puts what follows below, what handles failures below what fails, and leads back at the side', () => {
    const layout = layoutGraph({
      nodes: [
        agent('ask', to('check'), {
          rule: 1,
          bucket: 'error',
          onError: ['provider.*'],
          move: 'to',
          to: 'sorry',
        }),
        agent('check', to('ask', 0, 'not good'), to('send', 1)),
        agent('send', to(END)),
        agent('sorry', to(END)),
      ],
      entryPoint: 'ask',
      children: {},
    });
    const y = (id: string): number => box(layout, id).y;
    expect([y('ask') < y('check'), y('check') < y('send'), y('ask') < y('sorry')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(box(layout, 'ask')).toMatchObject({ isEntry: true });
    const back = layout.lines.find(({ id }) => id === 'check#0');
    expect(back).toMatchObject({ isBack: true, target: 'ask', when: 'not good' });
    expect(layout.lines.filter(({ isBack }) => isBack)).toHaveLength(1);
    expect(box(layout, 'ask').ports).toMatchObject([
      { label: 'provider.* → sorry', target: 'sorry', move: 'to' },
    ]);
  });

  it('has one box for all members of a list, and the options of a gate as lines', () => {
    const layout = layoutGraph({
      nodes: [
        { name: 'each', type: 'for_each', routes: [to('approve')] },
        { ...agent('one', to(END)), group: 'each' },
        {
          name: 'approve',
          type: 'human_gate',
          routes: [],
          options: [
            { value: 'pay', to: 'refund' },
            { value: 'refuse', to: END },
          ],
        },
        agent('refund'),
      ],
      entryPoint: 'each',
      children: {},
    });
    expect(layout.boxes.map(({ id, inside }) => [id, inside])).toEqual([
      ['each', undefined],
      ['each/one', 'each'],
      ['approve', undefined],
      ['refund', undefined],
    ]);
    expect(boxIdOf('each[3]/one')).toBe('each/one');
    expect(
      layout.lines.flatMap(({ from, option, target }) =>
        option === undefined ? [] : [[from, option, target]],
      ),
    ).toEqual([
      ['approve', 'pay', 'refund'],
      ['approve', 'refuse', undefined],
    ]);
    expect(box(layout, 'refund').y).toBeGreaterThan(box(layout, 'approve').y);
  });

  it('leads lines past different layers along one lane, so that a long graph stays narrow', () => {
    const chain = (size: number): GraphLayout => {
      const nodes = Array.from({ length: size }, (_, at) =>
        agent(`n${at}`, to(`n${at + 1}`), ...(at % 5 === 0 ? [to(`n${at + 3}`, 1)] : [])),
      );
      const last = Array.from({ length: 4 }, (_, at) => agent(`n${size + at}`, to(END)));
      return layoutGraph({ nodes: [...nodes, ...last], entryPoint: 'n0', children: {} });
    };
    expect(chain(100).width).toBe(chain(10).width);
    const crossing = layoutGraph({
      nodes: [
        agent('a', to('b'), to('c', 1)),
        agent('b', to('c'), to('d', 1)),
        agent('c', to('d')),
        agent('d', to(END)),
      ],
      entryPoint: 'a',
      children: {},
    });
    const far = crossing.lines.filter(({ path }) => path.includes('Q'));
    const lanes = far.map(({ path }) => /Q([\d.]+)/.exec(path)?.[1]);
    expect(new Set(lanes).size).toBe(2);
  });

  it('has room for the name and the type of a node beside each other', () => {
    const gate: GraphNode = { name: 'review', type: 'human_gate', routes: [] };
    const layout = layoutGraph({ nodes: [gate], entryPoint: 'review', children: {} });
    // letters of a wide font, an icon, and the edges
    expect(box(layout, 'review').width).toBeGreaterThan(28 + 6 * 8.5 + 10 * 6.8 + 10);
  });
});
