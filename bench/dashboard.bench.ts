/**
 * The computations of the dashboard: it folds events into a view, opens a view from sent data, and
 * lays out a graph.
 */
import { layoutGraph } from '../src/history/graph-layout/layout-graph.ts';
import { beginView, foldView } from '../src/history/run-view.ts';
import { viewFromJson, viewToJson } from '../src/history/run-view/sent-view.ts';
import type { GraphNode, RunGraph } from '../src/history/workflow-graph.ts';
import type { EventBody, RunEvent } from '../src/machine/state/events.ts';
import { quickest, type Bench } from './measure.ts';

const EVENTS = 10_000;
/** Folding and painting may take 300 ms together; painting is the larger part. */
const FOLD_MS = 100;
const MANY_EVENTS = 100_000;
/** A long run opens within 1.5 s; reading its log and drawing it take the rest. */
const MANY_FOLD_MS = 750;
const NODES = 200;
const LAYOUT_MS = 50;
const TRIES = 7;

export const bench: Bench = {
  name: 'dashboard: fold and layout',
  run: () => {
    const events = log(EVENTS);
    const many = log(MANY_EVENTS);
    const graph = shared(NODES);
    const begin = beginView({ run: 'r', workflow: 'w', startedAt: '' });
    const sent = JSON.stringify(viewToJson(foldView(begin, events)));
    return [
      {
        name: `${events.length} events folded one by one`,
        ms: quickest(TRIES, () => foldView(begin, events)),
        limitMs: FOLD_MS,
      },
      {
        name: `the view of them taken up from ${Math.round(sent.length / 1000)} kB`,
        ms: quickest(TRIES, () => viewFromJson(JSON.parse(sent))),
        limitMs: FOLD_MS,
      },
      {
        name: `${many.length} events folded one by one`,
        ms: quickest(3, () => foldView(begin, many)),
        limitMs: MANY_FOLD_MS,
      },
      {
        name: `${NODES} nodes with one shared handler laid out`,
        ms: quickest(TRIES, () => layoutGraph(graph)),
        limitMs: LAYOUT_MS,
      },
    ];
  },
};

/** The log of a group whose members each make a call that fails once. */
function log(most: number): readonly RunEvent[] {
  const members = Math.floor(most / 7);
  const keys = Array.from({ length: members }, (_, key) => String(key));
  const reported: EventBody[] = [
    { type: 'run:started', workflow: 'w', input: {} },
    { type: 'node:started', node: 'each', path: 'each', attempt: 0, members: { keys } },
    ...keys.flatMap((key): readonly EventBody[] => {
      const where = { node: 'one', path: `each[${key}]/one` };
      const effect = { key, type: 'model', target: 'sim/a' } as const;
      const output = { toolCalls: [] };
      return [
        { type: 'node:started', ...where, attempt: 0 },
        { type: 'effect:requested', ...where, effect, attempt: 0 },
        { type: 'effect:succeeded', ...where, effect, output, costUsdMicros: 5 },
        { type: 'effect:requested', ...where, effect, attempt: 1 },
        { type: 'effect:succeeded', ...where, effect, output, costUsdMicros: 7 },
        { type: 'node:completed', ...where, output: 1 },
        { type: 'route:taken', ...where, move: 'to', to: '$end', bucket: 'success', rule: 0 },
      ];
    }),
  ];
  return reported.map((body, at) => ({
    ...body,
    run: 'r',
    seq: at + 1,
    at: new Date(1_700_000_000_000 + at).toISOString(),
  }));
}

/** A chain with forks, in which every node hands its failures to one handler. */
function shared(size: number): RunGraph {
  const nodes = Array.from({ length: size }, (_, at): GraphNode => {
    const on =
      at + 1 < size ? [{ rule: 0, bucket: 'success', move: 'to', to: `n${at + 1}` } as const] : [];
    const far = at % 5 === 0 && at + 3 < size;
    const skip = far ? [{ rule: 1, bucket: 'success', move: 'to', to: `n${at + 3}` } as const] : [];
    const failed = { rule: 2, bucket: 'error', onError: true, move: 'to', to: 'sorry' } as const;
    return { name: `n${at}`, type: 'agent', routes: [...on, ...skip, failed] };
  });
  const sorry: GraphNode = { name: 'sorry', type: 'agent', routes: [] };
  return { nodes: [...nodes, sorry], entryPoint: 'n0', children: {} };
}
