/**
 * The cost of a step of the machine without any store: a node begins, completes and is left. It
 * must be the same in a run of two hundred steps and of ten thousand.
 */
import { newRunState, type RunState } from '../src/machine/state/state.ts';
import { step } from '../src/machine/decide/step.ts';
import { loadWorkflow } from '../src/workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../src/workflow/plan/plan.ts';
import type { Bench, Measurement } from './measure.ts';

const STEP_MS = 0.003;
const SHORT = 200;
const LONG = 10_000;
const ROUNDS = 25;
/** The most that a step of the long run may cost, relative to the short run. */
const FLAT = 1.5;

export const bench: Bench = {
  name: 'machine alone: a step without engine and store',
  run: () => {
    const plan = loop();
    // measures the machine, not its compilation
    for (let round = 0; round < 3; round++) perStep(plan, LONG);
    const short = best(() => perStep(plan, SHORT));
    const long = best(() => perStep(plan, LONG));
    return [
      measured(`run of ${SHORT} steps`, short, STEP_MS),
      measured(`run of ${LONG} steps`, long, STEP_MS),
      {
        name: 'flat',
        ms: long,
        limitMs: short * FLAT,
        note: `${(long / short).toFixed(2)}× the short run, at most ${FLAT}×`,
      },
    ];
  },
};

function loop(): WorkflowPlan {
  const text = JSON.stringify({
    workflow: { name: 'bench', entry_point: 'a', limits: { max_iterations: 1_000_000 } },
    nodes: [
      { name: 'a', type: 'set', values: { n: 1 }, routes: [{ to: 'b' }] },
      { name: 'b', type: 'set', values: { n: 2 }, routes: [{ to: 'a' }] },
    ],
  });
  const loaded = loadWorkflow('bench.yaml', {
    resolve: (_from, to) => to,
    read: () => ({ ok: true, text }),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.plan;
}

/** Each step has three events: begun, completed, routed. */
function perStep(plan: WorkflowPlan, steps: number): number {
  const state: RunState = newRunState('bench', plan);
  let nowMs = 1_000_000;
  const start = performance.now();
  let events = step(state, [{ type: 'run:started', workflow: 'bench', input: {} }], nowMs).length;
  while (events < steps * 3) events += step(state, [], ++nowMs).length;
  return (performance.now() - start) / (events / 3);
}

function best(measure: () => number): number {
  return Math.min(...Array.from({ length: ROUNDS }, measure));
}

function measured(name: string, ms: number, limitMs: number): Measurement {
  return { name, ms, limitMs };
}
