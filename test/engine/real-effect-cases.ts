/** Behaviours that only real effects show: models, scripts, the sandbox, MCP servers. */
import { fileURLToPath } from 'node:url';
import { main, MISSING } from './case-files.ts';
import type { DriverCase } from './case.ts';

const MCP_SERVER = fileURLToPath(new URL('../mcp/stdio-server.ts', import.meta.url));

export const REAL_EFFECT_CASES: readonly DriverCase[] = [
  {
    name: 'asks the next model when one is overloaded',
    isReal: true,
    files: main(
      '  - {name: a, prompt: Hello, model: [sim/first, sim/second], output: {label: {type: string}}, routes: [{to: $end}]}',
      '',
      ', runtime: {simulate_price_per_mtok: {input: 1, output: 2}, simulate: {first: [{fail: {kind: provider.overloaded}}], second: [{answer: {label: bug}, usage: {input_tokens: 100, output_tokens: 10}}]}}',
    ),
  },
  {
    name: 'spends the whole chain',
    isReal: true,
    files: main(
      '  - {name: a, prompt: Hello, model: sim/one, routes: [{to: $end}]}',
      '',
      ', runtime: {simulate: {one: [{fail: {kind: provider.overloaded, retry_after: 0.05}}]}}',
    ),
  },
  {
    name: 'shows a tool’s failure to the model, and continues',
    isReal: true,
    files: main(
      '  - {name: a, prompt: Hello, model: sim/one, tools: [act], output: {label: {type: string}}, routes: [{to: $end}]}',
      '',
      ', runtime: {simulate: {one: [{tool_calls: [{name: act, arguments: {of: "shows a tool’s failure to the model, and continues", as: lookup}}]}, {answer: {label: bug}}]}}',
    ),
    effects: { lookup: { fails: [MISSING] } },
  },
  {
    name: 'gives up on replies that do not fit their schema',
    isReal: true,
    files: main(
      '  - {name: a, prompt: Hello, model: sim/one, output: {label: {type: string}}, routes: [{to: $end}]}',
      '',
      ', runtime: {simulate: {one: [{answer: {wrong: 1}}]}}',
    ),
  },
  {
    name: 'keeps to its budget',
    isReal: true,
    files: main(
      `  - {name: a, prompt: Hello, model: sim/one, max_tokens: 10, routes: [{to: b}]}
  - {name: b, prompt: Again, model: sim/one, max_tokens: 10, routes: [{to: $end}]}`,
      '',
      ', limits: {budget_usd: 0.00001}, runtime: {simulate_price_per_mtok: {input: 1, output: 1}, simulate: {one: [{answer: hi, usage: {input_tokens: 5, output_tokens: 5}}]}}',
    ),
  },
  {
    name: 'makes no more model requests in a leg than its bound allows',
    isReal: true,
    bound: { modelRequests: 2 },
    files: main(
      `  - {name: a, prompt: Hello, model: sim/busy, tools: [], max_turns: 1, routes: [{to: $end}, {on_error: true, to: $end}]}`,
      '',
      ', runtime: {simulate: {busy: [{fail: {kind: provider.overloaded, retry_after: 0.001}}, {fail: {kind: provider.overloaded, retry_after: 0.001}}, {answer: hi}]}}',
    ),
    goesOn: [{}],
  },
  {
    name: 'keeps what a script raised',
    isReal: true,
    files: main(
      `  - name: a
    type: script
    command: bash
    args: ["-c", 'echo "{\\"kind\\": \\"external.git.drift\\", \\"message\\": \\"Drifted\\", \\"details\\": {\\"ahead\\": 2}}" > "$ERRAND_ERROR_OUT"; exit 1']
    routes: [{to: $end}]`,
    ),
  },
  {
    name: 'stops a script at its time limit',
    isReal: true,
    files: main(
      '  - {name: a, type: script, command: sleep, args: ["30"], timeout_seconds: 0.3, routes: [{to: $end}]}',
    ),
  },
  {
    name: 'fails code in the sandbox',
    isReal: true,
    files: main(
      '  - {name: a, type: transform, code: "input.x.y.z", arguments: {x: {}}, routes: [{to: $end}]}',
    ),
  },
  {
    name: 'tells what a server’s tool refused from a server that died in the middle of a call',
    isReal: true,
    isLong: true,
    files: main(
      `  - {name: a, type: tool, tool: s/refuse, routes: [{to: $end}, {on_error: mcp.tool_failed, to: b}]}
  - {name: b, prompt: Go, model: sim/one, tools: [s/throw], routes: [{to: c}]}
  - {name: c, type: tool, tool: s/crash, routes: [{to: d}]}
  - {name: d, type: tool, tool: t/add, routes: [{to: $end}]}`,
      '',
      `, runtime: {simulate: {one: [{tool_calls: [{name: s__throw, arguments: {}}]}, {answer: done}]}, mcp_servers: {s: {command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(MCP_SERVER)}]}, t: {command: "false", args: []}}}`,
    ),
    answers: [{ edit: { content: [] } }],
  },
];
