/** Tool servers that fail in every way: the run continues as its file says, and all laws hold. */
import { expect, it } from 'vitest';
import { simulate } from '../../src/rehearsal/simulated-run.ts';
import { LAWS } from './all-laws.ts';
import { planOfFiles } from './plans.ts';
import { ofType } from '../../src/rehearsal/laws/subject.ts';

const DRAWN = planOfFiles({
  'main.yaml': JSON.stringify({
    workflow: {
      name: 'main',
      entry_point: 'a',
      runtime: { mcp_servers: { box: { type: 'stdio', command: 'x' } } },
    },
    nodes: [
      {
        name: 'a',
        type: 'tool',
        tool: 'box/write',
        arguments: { id: 1 },
        routes: [
          { to: '$end' },
          { on_error: 'mcp.unreachable', to: 'elsewhere' },
          { on_error: 'mcp.tool_failed', to: 'part' },
          { on_error: ['tool.output_malformed', 'tool.not_found', 'tool.busy'], to: 'without' },
        ],
      },
      { name: 'elsewhere', type: 'set', value: 'elsewhere' },
      { name: 'part', type: 'set', value: '{{ failing.output.found }}' },
      { name: 'without', type: 'set', value: 'without' },
    ],
  }),
});

/** The result of a run, by what its tool failed with. */
const ENDS: Readonly<Record<string, object>> = {
  'mcp.unreachable': { status: 'completed', output: 'elsewhere' },
  'mcp.tool_failed': { status: 'completed', output: [1] },
  'tool.output_malformed': { status: 'completed', output: 'without' },
  'tool.not_found': { status: 'completed', output: 'without' },
  'tool.busy': { status: 'completed', output: 'without' },
  // killed in the middle, or out of time: the person who is asked has not answered
  'effect.outcome_unknown': { status: 'paused', waiting: { reason: 'outcome' } },
};

it('a server that is killed, away, too slow or replies with rubbish is routed around as the file says', async () => {
  const met = new Set<string>();
  for (let seed = 0; seed < 150; seed++) {
    const simulation = await simulate(DRAWN.plan, { seed, faults: { serverFails: 1 } });
    const subject = { ...simulation, ...DRAWN };
    expect(LAWS.flatMap((law) => law.breaches(subject))).toEqual([]);
    const { kind, cause } = ofType(simulation.events, 'effect:failed')[0]?.error ?? { kind: '' };
    expect(simulation.result, `seed ${seed}: ${kind}`).toMatchObject(ENDS[kind] ?? {});
    expect(simulation.executions).toHaveLength(1);
    met.add(cause?.kind ?? kind);
  }
  expect([...met].sort()).toEqual([
    'mcp.tool_failed',
    'mcp.unreachable',
    'tool.busy',
    'tool.not_found',
    'tool.output_malformed',
    'tool.timeout',
  ]);
});
