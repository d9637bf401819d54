import { describe, expect, it } from 'vitest';
import { validateWorkflow, type Validation } from './validate-workflow.ts';
import type { KnownNames } from './callables.ts';

function problems(node: string, known?: KnownNames, module = ''): string[] {
  return (validation(node, known, module).files[0]?.diagnostics ?? []).map(
    ({ code, pointer, message, suggestion = '' }) =>
      `${code} ${pointer}: ${message} (${suggestion})`,
  );
}

const isValid = (node: string): boolean => validation(node, KNOWN).isValid;

function validation(node: string, known?: KnownNames, module = ''): Validation {
  const text = `workflow:
  name: t
  entry_point: a
  ${module}
  runtime: {mcp_servers: {files: {type: stdio, command: x, tools: [read]}, any: {type: stdio, command: x}}}
nodes:
  - {name: a, ${node}}
`;
  const files = {
    resolve: (_from: string, to: string): string => to,
    read: () => ({ ok: true as const, text }),
  };
  const options = known === undefined ? {} : { known: () => known };
  return validateWorkflow('t.yaml', files, {}, options);
}

const KNOWN: KnownNames = { functions: ['fetchOrder'], tools: ['lookup', 'refund'] };
const agent = (tools: string): string => `model: sim/x, prompt: hi, tools: ${tools}`;

describe('a tool name in a policy', () => {
  const policed = (policy: string, tools = '[lookup]'): string =>
    `${agent(tools)}, policy: {${policy}}`;

  it.each(['allow: [lookup]', 'deny: [any/*, files/*]', 'ask: [refund, any/thing, raise_error]'])(
    'may be that of a tool, whether or not the agent has it: %s',
    (policy) => expect(problems(policed(policy), KNOWN)).toEqual([]),
  );

  it.each([
    ['deny: [refnd]', 'unknown-tool', '/nodes/0/policy/deny/0', 'refund'],
    ['ask: [lookup, files/reed]', 'unknown-tool', '/nodes/0/policy/ask/1', 'files/read'],
    ['allow: [fils/read]', 'unknown-server', '/nodes/0/policy/allow/0', 'files/read'],
  ])('is refused where no tool has it: %s', (policy, code, pointer, meant) => {
    expect(problems(policed(policy), KNOWN)).toMatchObject([
      expect.stringMatching(new RegExp(`^${code} ${pointer}: .* \\(${meant}\\)$`)),
    ]);
  });

  it('is only a warning where the agent has no tools at all', () => {
    expect(problems(policed('ask: [refnd]', '[]'), KNOWN)).toEqual([
      expect.stringContaining('unknown-tool'),
    ]);
    expect(isValid(policed('ask: [refnd]', '[]'))).toBe(true);
    expect(isValid(policed('ask: [refnd]', '[lookup]'))).toBe(false);
  });
});

describe('a name that is called', () => {
  it.each([
    'type: call, function: fetchOrder',
    'type: tool, tool: lookup',
    'type: tool, tool: files/read',
    'type: tool, tool: any/thing',
    agent('[refund, lookup, any/thing]'),
    agent('[raise_error, write_state, lookup]'),
  ])('may be that of %s', (node) => expect(problems(node, KNOWN)).toEqual([]));

  it('may be anything where the host has not listed its functions', () => {
    expect(problems('type: call, function: whatever')).toEqual([]);
    expect(problems(agent('[whatever]'))).toEqual([]);
  });

  it.each([
    [
      'type: call, function: fetchOrders',
      'unknown-function /nodes/0/function: No function is called `fetchOrders` (fetchOrder)',
    ],
    [
      'type: call, function: print',
      'unknown-function /nodes/0/function: No function is called `print` (Set `workflow.module`, and export `print` from that module)',
    ],
    ['type: tool, tool: lokup', 'unknown-tool /nodes/0/tool: No tool is called `lokup` (lookup)'],
    [
      agent('[write_state, refnd]'),
      'unknown-tool /nodes/0/tools/1: No tool is called `refnd` (refund)',
    ],
    [
      'type: tool, tool: files/raed',
      'unknown-tool /nodes/0/tool: The `tools` of the MCP server `files` do not list `raed` (files/read)',
    ],
    [
      'type: tool, tool: file/read',
      'unknown-server /nodes/0/tool: The file declares no MCP server called `file` (files/read)',
    ],
  ])('is refused in %s', (node, problem) => expect(problems(node, KNOWN)).toEqual([problem]));

  it('must be exported where the file has a module', () => {
    expect(problems('type: call, function: print', KNOWN, 'module: ./m.ts')).toEqual([
      'unknown-function /nodes/0/function: No function is called `print` (Export `print` from the module of the file)',
    ]);
  });
});

describe('the tool http_fetch', () => {
  const advice = 'runtime.http_fetch: {allow: [api.example.com]}';

  it('is advised with the hosts that it needs', () => {
    expect(problems(agent('[htp_fetch]'), KNOWN)).toEqual([
      `unknown-tool /nodes/0/tools/0: No tool is called \`htp_fetch\` (Write \`http_fetch\`, and allow it hosts with \`${advice}\`)`,
    ]);
    expect(problems(agent('[http_fetch]'), KNOWN)).toEqual([
      `unknown-tool /nodes/0/tools/0: No tool is called \`http_fetch\` (Allow it hosts with \`${advice}\`)`,
    ]);
  });

  it('is a tool like others where it is there', () => {
    const known = { ...KNOWN, tools: [...KNOWN.tools, 'http_fetch'] };
    expect(problems(agent('[htp_fetch]'), known)).toEqual([
      'unknown-tool /nodes/0/tools/0: No tool is called `htp_fetch` (http_fetch)',
    ]);
  });
});
