import { describe, expect, it } from 'vitest';
import { loadWorkflow, loadWorkflowText } from '../workflow/yaml/load-workflow.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import { simulate, SimulatedBackend } from './simulated-run.ts';
import { STORMY } from './world/faults.ts';

function planOf(nodes: string): WorkflowPlan {
  const text = `workflow:\n  name: t\n  entry_point: a\nnodes:\n${nodes}`;
  const loaded = loadWorkflowText(text, { file: 't.yaml' });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
  return loaded.plan;
}

const GATE = planOf(
  '  - {name: a, type: human_gate, prompt: Go on?, options: [{label: "Yes", value: "yes"}, {label: "No", value: "no"}]}\n',
);
const SCRIPT = planOf('  - {name: a, type: script, command: x, idempotent: true}\n');

describe('a member that is stopped and requested again in the same step', () => {
  const text = `
workflow: {name: t, entry_point: g}
nodes:
  - {name: x, type: call, function: f}
  - {name: y, type: script, command: y}
parallel:
  - {name: g, agents: [x, y], routes: [{to: $end}, {on_error: group.failed, retry: {max: 1, backoff: none}}]}
`;

  it('is really stopped, and runs anew', async () => {
    const loaded = loadWorkflowText(text, { file: 't.yaml' });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
    const fails = { x: [{ kind: 'call.failed', message: 'x' }, null] };
    for (let seed = 0; seed < 20; seed++) {
      const { events, executions } = await simulate(loaded.plan, { seed, fails });
      const asked = events.filter(
        (event) => event.type === 'effect:requested' && event.node === 'y',
      );
      const made = executions.filter(({ node }) => node === 'y');
      expect(made.length, `seed ${seed}`).toBe(asked.length);
    }
  });
});

describe('a rehearsal', () => {
  it('takes as long as the workflow says, and no time at all', async () => {
    const { result, events } = await simulate(planOf('  - {name: a, type: wait, duration: 90s}\n'));
    expect(result).toMatchObject({ status: 'completed' });
    expect([events[0]?.at, events.at(-1)?.at]).toEqual([
      '2026-03-01T12:00:00.000Z',
      '2026-03-01T12:01:30.000Z',
    ]);
  });

  it('gives effects the outputs and failures of its options, one call after the other', async () => {
    const plan = planOf(
      '  - {name: a, type: call, function: f, routes: [{to: $end}, {on_error: order.late, retry: {max: 2}}]}\n',
    );
    const { result, executions } = await simulate(plan, {
      fails: { a: [{ kind: 'order.late', message: 'Too late' }, null] },
      outputs: { a: { id: 7 } },
    });
    expect(result).toEqual({ status: 'completed', output: { id: 7 } });
    expect(executions.map(({ ending }) => ending?.type)).toEqual(['failed', 'succeeded']);
  });

  it('leaves a gate open that it has no answer for', async () => {
    const { result } = await simulate(GATE);
    expect(result).toMatchObject({ status: 'paused', waiting: { gate: 'a' } });
  });

  it('answers a gate by the name of its node', async () => {
    const { result } = await simulate(GATE, { answers: { a: 'yes' } });
    expect(result).toMatchObject({ status: 'completed', output: { selected: 'yes' } });
  });

  it('resumes after every death of its process', async () => {
    const { result, incidents } = await simulate(SCRIPT, {
      seed: 3,
      faults: { diesAfter: 1, most: 3 },
    });
    expect(result).toMatchObject({ status: 'completed' });
    expect(incidents.map(({ what }) => what)).toEqual(Array(3).fill('died after commit'));
  });

  it('is another one with another seed', async () => {
    const [one, other] = [
      await simulate(SCRIPT, { seed: 1, faults: STORMY }),
      await simulate(SCRIPT, { seed: 2, faults: STORMY }),
    ];
    expect(one.commits).not.toEqual(other.commits);
  });
});

describe('the simulated backend', () => {
  it('has a new process after each death, over the same store', async () => {
    const backend = new SimulatedBackend(SCRIPT);
    const first = await backend.start(SCRIPT, {});
    backend.kill();
    expect(await first.result()).toEqual({ status: 'interrupted' });
    const second = await backend.resume(first.id);
    expect(await second.result()).toMatchObject({ status: 'completed' });
    expect([backend.process, await backend.list()]).toMatchObject([2, [{ status: 'completed' }]]);
    await backend.close();
  });

  it('cancels what waits', async () => {
    const backend = new SimulatedBackend(GATE);
    const paused = await backend.start(GATE, {});
    expect(await paused.result()).toMatchObject({ status: 'paused' });
    const cancelled = await backend.cancel(paused.id, 'me');
    expect(await cancelled.result()).toEqual({ status: 'cancelled' });
  });
});

describe('two answers to the same gate from other processes', () => {
  it('one is accepted, and nothing is recorded after the end of the run', async () => {
    const backend = new SimulatedBackend(GATE, { isShared: true });
    const paused = await backend.start(GATE, {});
    await paused.result();
    const answer = { type: 'answer', gate: 'a', value: 'yes' } as const;
    for (const by of ['one', 'another'])
      await backend.world.store.send(paused.id, { ...answer, by });
    const resumed = await backend.resume(paused.id);
    expect(await resumed.result()).toMatchObject({ status: 'completed' });
    const types: unknown[] = [];
    for await (const { events } of backend.world.store.read(paused.id))
      types.push(...events.map(({ type }) => type));
    expect(types.slice(-2)).toEqual(['route:taken', 'run:completed']);
    expect(types.filter((type) => type === 'gate:answered')).toHaveLength(1);
    await backend.close();
  });
});

describe('an unknown outcome that propagated through sub-workflows', () => {
  it('opens a gate only where it arose when the run is resumed', async () => {
    const texts: Readonly<Record<string, string>> = {
      'main.yaml':
        'workflow: {name: t, entry_point: a}\nnodes: [{name: a, type: workflow, workflow: ./child.yaml}]',
      'child.yaml':
        'workflow: {name: c, entry_point: a}\nnodes: [{name: a, type: script, command: x}]',
    };
    const loaded = loadWorkflow('main.yaml', {
      resolve: (_from, to) => to.replace('./', ''),
      read: (path) => ({ ok: true, text: texts[path] ?? '' }),
    });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.diagnostics));
    const lost = { kind: 'internal.script_error', message: 'Gone', outcome: 'unknown' } as const;
    const { events } = await simulate(loaded.plan, {
      fails: { 'a/a': [lost, null] },
      answers: { 'a/a': 'abort' },
      resumes: 1,
    });
    const failed = events.findIndex(({ type }) => type === 'run:failed');
    const asked = events
      .slice(failed)
      .flatMap((event) => (event.type === 'run:paused' ? event.waiting.all : []));
    expect(asked.map(({ gate }) => gate)).toEqual(['a/a']);
  });
});
