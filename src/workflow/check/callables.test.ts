import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../validate.ts';
import type { KnownNames } from './callables.ts';

function problems(node: string, known?: KnownNames, module = ''): string[] {
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
  return (validateWorkflow('t.yaml', files, {}, options).files[0]?.diagnostics ?? []).map(
    ({ code, pointer, message, suggestion = '' }) =>
      `${code} ${pointer}: ${message} (${suggestion})`,
  );
}

const KNOWN: KnownNames = { functions: ['fetchOrder'], tools: ['lookup', 'refund'] };
const agent = (tools: string): string => `model: sim/x, prompt: hi, tools: ${tools}`;

describe('a name that is called', () => {
  it.each([
    'type: call, function: fetchOrder',
    'type: tool, tool: lookup',
    'type: tool, tool: files/read',
    'type: tool, tool: any/thing',
    agent('[refund, lookup, any/thing]'),
    agent('[raise_error, write_state, lookup]'),
  ])('may be that of %s', (node) => expect(problems(node, KNOWN)).toEqual([]));

  it('may be anything where the host has not said what it has', () => {
    expect(problems('type: call, function: whatever')).toEqual([]);
    expect(problems(agent('[whatever]'))).toEqual([]);
  });

  it.each([
    [
      'type: call, function: fetchOrders',
      'unknown-function /nodes/0/function: There is no function called `fetchOrders` (fetchOrder)',
    ],
    [
      'type: call, function: print',
      'unknown-function /nodes/0/function: There is no function called `print` (Name a module with `workflow.module`, and export `print` from it)',
    ],
    [
      'type: tool, tool: lokup',
      'unknown-tool /nodes/0/tool: There is no tool called `lokup` (lookup)',
    ],
    [
      agent('[write_state, refnd]'),
      'unknown-tool /nodes/0/tools/1: There is no tool called `refnd` (refund)',
    ],
    [
      'type: tool, tool: files/raed',
      'unknown-tool /nodes/0/tool: The `tools` of the MCP server `files` do not list `raed` (files/read)',
    ],
    [
      'type: tool, tool: file/read',
      'unknown-server /nodes/0/tool: The file names no MCP server called `file` (files/read)',
    ],
  ])('is refused in %s', (node, told) => expect(problems(node, KNOWN)).toEqual([told]));

  it('is to be exported where the file has a module', () => {
    expect(problems('type: call, function: print', KNOWN, 'module: ./m.ts')).toEqual([
      'unknown-function /nodes/0/function: There is no function called `print` (Export `print` from the module of the file)',
    ]);
  });
});
