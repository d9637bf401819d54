/** Small workflows whose runs test the laws. */

/** A failure, a retry, a group, an agent with a tool, and a good end. */
export const MAIN = JSON.stringify({
  workflow: {
    name: 'main',
    entry_point: 'a',
    limits: { max_retries: 3 },
    runtime: {
      simulate: {
        m: [
          { fail: { kind: 'provider.rate_limited', retry_after: 2 } },
          { tool_calls: [{ name: 'lookup', arguments: { id: 7 } }] },
          { answer: { n: 1 } },
        ],
      },
      simulate_price_per_mtok: { input: 3, output: 15 },
    },
  },
  nodes: [
    {
      name: 'a',
      type: 'script',
      command: 'x',
      raises: ['order.missing'],
      timeout_seconds: 60,
      routes: [
        { to: 'g' },
        { on_error: 'order.missing', retry: { max: 2, backoff: 'fixed' } },
        { on_error: 'internal.script_error', to: '$end' },
      ],
    },
    { name: 'x', type: 'call', function: 'f', timeout_seconds: 60 },
    { name: 'y', type: 'call', function: 'f', timeout_seconds: 60 },
    {
      name: 'm',
      model: 'sim/m',
      prompt: 'How many?',
      tools: ['lookup'],
      output: { n: { type: 'number' } },
      timeout_seconds: 60,
    },
  ],
  parallel: [{ name: 'g', agents: ['x', 'y'], routes: [{ to: 'm' }] }],
});

/** Fails in its second node, to be resumed with another text. */
export function twoNodes(mark: string): string {
  const node = { type: 'script', command: 'x', timeout_seconds: 60, env: { REVISION: mark } };
  return JSON.stringify({
    workflow: { name: 'main', entry_point: 'a' },
    nodes: [
      { name: 'a', ...node, routes: [{ to: 'b' }] },
      { name: 'b', ...node, raises: ['order.missing'], routes: [{ to: '$end' }] },
    ],
  });
}

/** Approvals, a grant, a partial result, a state key, a gate that expires, and an unknown outcome. */
export const PEOPLE = JSON.stringify({
  workflow: {
    name: 'main',
    entry_point: 'm',
    state: { total: { type: 'number', merge: 'sum', default: 0 } },
    runtime: {
      simulate: {
        m: [
          { tool_calls: [{ name: 'charge', arguments: { id: 1 } }] },
          { tool_calls: [{ name: 'charge', arguments: { id: 2 } }] },
          { tool_calls: [{ name: 'plain', arguments: { id: 3 } }] },
          { tool_calls: [{ name: 'lookup', arguments: { id: 'x' } }] },
          { tool_calls: [{ name: 'lookup', arguments: { id: 4 } }] },
          { tool_calls: [{ name: 'lookup', arguments: { id: 4 } }] },
          { tool_calls: [{ name: 'write_state', arguments: { key: 'total', value: 1 } }] },
          { answer: { n: 1 } },
        ],
      },
      mcp_servers: { box: { type: 'stdio', command: 'x' } },
    },
  },
  nodes: [
    {
      name: 'm',
      model: 'sim/m',
      prompt: 'How many?',
      tools: ['charge', 'lookup'],
      policy: { ask: ['charge'] },
      writes: ['total'],
      output: { n: { type: 'number' } },
      routes: [{ to: 'g' }],
    },
    {
      name: 'g',
      type: 'human_gate',
      prompt: 'Go on?',
      options: [{ label: 'Yes', value: 'yes' }],
      timeout: '10m',
      default: 'yes',
      routes: [{ to: 'h' }],
    },
    {
      name: 'h',
      type: 'human_gate',
      prompt: 'Really?',
      options: [{ label: 'Yes', value: 'yes' }],
      routes: [{ to: 't' }],
    },
    { name: 't', type: 'tool', tool: 'box/write', timeout_seconds: 60 },
  ],
});

/** A payment that is stopped because a parallel node fails. */
export const STOPPING = `
workflow: {name: stopping, entry_point: g}
parallel: [{name: g, agents: [pay, bad], routes: [{to: $end}]}]
nodes:
  - {name: pay, type: script, command: x}
  - {name: bad, type: script, command: x}
`;
