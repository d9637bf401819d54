/** Storms: seeded worlds that are held to the promises of Errand, by the laws of our own simulation. */
import { describe, expect, it } from 'vitest';
import { breachesOf } from '../../src/rehearsal/storms.ts';
import { simulate } from '../../src/rehearsal/simulated-run.ts';
import { STORMY } from '../../src/rehearsal/world/faults.ts';
import { worstCaseOf } from '../../src/workflow/check/check.ts';
import { rehearsed } from './rehearsing.ts';

const WORKFLOW = `workflow:
  name: t
  entry_point: ask
  cost: {pricing: {sim/clerk: {input_per_mtok: 1000, output_per_mtok: 2000}}}
nodes:
  - name: ask
    prompt: Hi
    model: [sim/clerk, sim/other]
    tools: []
    output: {label: {type: string, enum: [pay, wait]}}
    routes:
      - {to: pay, when: "{{ output.label == 'pay' }}"}
      - {to: $end}
      - {on_error: provider.exhausted, park: {for: 5m, max: 2}}
  - name: pay
    type: script
    command: ./pay.sh
    timeout_seconds: 30
    raises: [payment.declined]
    routes:
      - {to: sure}
      - {on_error: payment.declined, ask: {options: [retry, skip, abort]}}
  - {name: sure, type: human_gate, prompt: Sure?, options: [{label: "Yes", value: "yes"}]}
`;

/** A question and nothing else: most of its storms come when the run has paused. */
const GATE = `workflow: {name: gated, entry_point: review, on_unhandled: fail}
nodes:
  - {name: review, type: human_gate, prompt: Pay?, options: [{label: "Yes", value: "yes"}, {label: "No", value: "no"}]}
`;

describe('storms', () => {
  it.each([31, 227, 263])(
    'allow a cancel that comes after the pause, in world %i',
    async (seed) => {
      const { result } = await rehearsed(GATE, { generate: { kinds: 'none' }, storms: 1, seed });
      expect(result.storms).toEqual({ runs: 1, broken: [] });
    },
  );

  it('hold a workflow with prices, people and payments to every law, the same each time', async () => {
    const first = await rehearsed(WORKFLOW, { generate: { kinds: 'none' }, storms: 40, seed: 3 });
    expect(first.result.storms).toEqual({ runs: 40, broken: [] });
    expect(first.isBroken).toBe(false);
    const again = await rehearsed(WORKFLOW, { generate: { kinds: 'none' }, storms: 40, seed: 3 });
    expect(again.result).toEqual(first.result);
  });

  it('notice a promise that is not kept', async () => {
    const { atlas } = await rehearsed(WORKFLOW, { generate: { kinds: 'none' } });
    const { plan } = atlas;
    const worstCase = worstCaseOf(plan);
    // a payment by a route that nobody took, and an end that comes twice
    for (let seed = 1; ; seed++) {
      const simulation = await simulate(plan, { seed, faults: STORMY, answers: 'any', resumes: 3 });
      const payment = simulation.executions.find(({ path }) => path === 'pay');
      const end = simulation.events.findLast(({ type }) => type === 'run:completed');
      if (payment === undefined || end === undefined) continue;
      const good = { ...simulation, plan, worstCase };
      expect(breachesOf(good)).toEqual([]);
      const twice = [...simulation.executions, { ...payment, number: 99 }];
      expect(breachesOf({ ...good, executions: twice })).not.toEqual([]);
      const ends = [...simulation.events, { ...end, seq: end.seq + 1 }];
      expect(breachesOf({ ...good, events: ends })).not.toEqual([]);
      return;
    }
  });
});
