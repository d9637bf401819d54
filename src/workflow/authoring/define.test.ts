import { describe, expect, it } from 'vitest';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { workflow } from './define.ts';
import { loadWorkflowText } from '../yaml/load-workflow.ts';
import { refund } from '../../../examples/code-first.ts';

const child = workflow({
  name: 'child',
  entryPoint: 'double',
  input: { n: { type: 'number' } },
  nodes: [
    {
      name: 'double',
      type: 'call',
      function: ({ n }: { n: number }) => n * 2,
      arguments: { n: 1 },
    },
  ],
});

/** Removes locations, which code does not have. */
function bare(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      ['line', 'column', 'file', 'pointer', 'location'].includes(key) ? undefined : inner,
    ),
  );
}

describe('workflow()', () => {
  it('builds the plan that the same file would give', () => {
    const written = workflow({
      name: 'same',
      entryPoint: 'a',
      description: 'Both ways',
      input: { ticket: { type: 'string', minLength: 1 }, limit: { type: 'number', default: 3 } },
      context: { mode: 'last_only' },
      limits: {
        maxIterations: 9,
        timeoutSeconds: 60,
        budgetUsd: 0.5,
        budgetMode: 'ask',
        maxRetries: 4,
      },
      runtime: {
        defaultModel: ['sim/a', { model: 'sim/b', on: ['provider.auth'] }],
        mcpServers: {
          files: {
            command: 'npx',
            args: ['x'],
            toolSettings: { write_file: { timeoutSeconds: 2 } },
          },
        },
        simulatePricePerMtok: { input: 1 },
        simulate: {
          my_model: [
            { fail: { kind: 'provider.rate_limited', retryAfter: 2 } },
            {
              toolCalls: [{ name: 'look_up', arguments: { order_id: 7 } }],
              usage: { inputTokens: 3 },
            },
            { answer: { snake_key: 1 }, delay: '5ms' },
          ],
        },
      },
      state: { tags: { type: 'array', merge: 'append' } },
      onUnhandled: 'fail',
      onError: [{ onError: 'provider.exhausted', park: { for: '15m' } }],
      nodes: [
        {
          name: 'a',
          prompt: 'Hi {{ workflow.input.ticket }}',
          systemPrompt: 'Be brief',
          output: { some_field: { type: 'string' } },
          maxTurns: 3,
          onPartial: 'restart',
          routes: [
            { to: 'b', when: 'output.some_field' },
            { to: '$end' },
            {
              onError: 'provider.rate_limited',
              retry: { max: 2, initialSeconds: 0.5, maxSeconds: 4 },
            },
          ],
        },
        {
          name: 'b',
          type: 'script',
          command: 'bash',
          args: ['-c', 'true'],
          env: { MY_VAR: 'x' },
          workingDir: '.',
          exitCodes: [0, 1],
        },
        {
          name: 'g',
          type: 'human_gate',
          prompt: 'ok?',
          options: [{ value: 'yes', promptFor: 'why' }],
        },
      ],
      parallel: [
        { name: 'p', agents: ['a', 'b'], failureMode: 'continue_on_error', maxConcurrent: 2 },
      ],
      forEach: [
        {
          name: 'f',
          source: 'workflow.input.x',
          as: 'item',
          keyBy: 'item.id',
          agent: { name: 'm', prompt: 'x' },
        },
      ],
      output: { camelKey: '{{ a.output.some_field }}' },
    });
    const file = loadWorkflowText(
      `workflow:
  name: same
  entry_point: a
  description: Both ways
  input: {ticket: {type: string, minLength: 1}, limit: {type: number, default: 3}}
  context: {mode: last_only}
  limits: {max_iterations: 9, timeout_seconds: 60, budget_usd: 0.5, budget_mode: ask, max_retries: 4}
  runtime:
    default_model: [sim/a, {model: sim/b, on: [provider.auth]}]
    mcp_servers: {files: {command: npx, args: [x], tool_settings: {write_file: {timeout_seconds: 2}}}}
    simulate_price_per_mtok: {input: 1}
    simulate:
      my_model:
        - fail: {kind: provider.rate_limited, retry_after: 2}
        - tool_calls: [{name: look_up, arguments: {order_id: 7}}]
          usage: {input_tokens: 3}
        - {answer: {snake_key: 1}, delay: 5ms}
  state: {tags: {type: array, merge: append}}
  on_unhandled: fail
  on_error: [{on_error: provider.exhausted, park: {for: 15m}}]
nodes:
  - name: a
    prompt: Hi {{ workflow.input.ticket }}
    system_prompt: Be brief
    output: {some_field: {type: string}}
    max_turns: 3
    on_partial: restart
    routes:
      - {to: b, when: output.some_field}
      - {to: $end}
      - {on_error: provider.rate_limited, retry: {max: 2, initial_seconds: 0.5, max_seconds: 4}}
  - {name: b, type: script, command: bash, args: ["-c", "true"], env: {MY_VAR: x}, working_dir: ., exit_codes: [0, 1]}
  - {name: g, type: human_gate, prompt: "ok?", options: [{value: yes, prompt_for: why}]}
parallel: [{name: p, agents: [a, b], failure_mode: continue_on_error, max_concurrent: 2}]
for_each: [{name: f, source: workflow.input.x, as: item, key_by: item.id, agent: {name: m, prompt: x}}]
output: {camelKey: "{{ a.output.some_field }}"}
`,
      { file: 'same.yaml' },
    );
    if (!file.ok) throw new Error(file.diagnostics.map(({ message }) => message).join('\n'));
    expect(bare(written.plan)).toEqual(bare(file.plan));
    expect(written.plan.fingerprint).toBe(file.plan.fingerprint);
  });

  it('replaces functions by their names', () => {
    expect(Object.keys(child.functions)).toEqual(['child.double']);
    expect(child.plan.nodes).toMatchObject([{ type: 'call', function: 'child.double' }]);
    expect(child.functions['child.double']?.({ n: 4 }, undefined as never)).toBe(8);
    expect(JSON.parse(JSON.stringify(child.plan))).toEqual(child.plan);
  });

  it('accepts workflows as children, with their functions', () => {
    const parent = workflow({
      name: 'parent',
      entryPoint: 'all',
      nodes: [{ name: 'call', type: 'workflow', workflow: child, inputMapping: { n: 2 } }],
      forEach: [
        {
          name: 'all',
          source: 'workflow.input.list',
          as: 'n',
          agent: {
            name: 'one',
            type: 'workflow',
            workflow: child.plan,
            inputMapping: { n: '{{ n }}' },
          },
        },
      ],
    });
    expect(Object.keys(parent.plan.children)).toEqual(['code:child']);
    expect(Object.keys(parent.functions)).toEqual(['child.double']);
    expect(parent.plan.nodes).toMatchObject([
      { workflow: 'code:child' },
      { member: { workflow: 'code:child', inputMapping: { n: '{{ n }}' } } },
    ]);
  });

  it('refuses two different children with the same name', () => {
    const other = workflow({
      name: 'child',
      entryPoint: 'x',
      nodes: [{ name: 'x', prompt: 'hi' }],
    });
    expect(() =>
      workflow({
        name: 'parent',
        entryPoint: 'a',
        nodes: [
          { name: 'a', type: 'workflow', workflow: child },
          { name: 'b', type: 'workflow', workflow: other },
        ],
      }),
    ).toThrow('Two different workflows are called child');
  });

  it('throws a report for whatever a file would be refused for', () => {
    const make = (): unknown =>
      workflow({
        name: 'bad',
        entryPoint: 'a',
        nodes: [
          { name: 'a', prompt: '', maxTurns: 0 },
          { name: 'a', type: 'wait', duration: 'soon' },
        ],
      });
    try {
      make();
      expect.unreachable();
    } catch (error) {
      expect(isKind(error, 'validation.node_config')).toBe(true);
      expect(error).toMatchObject({
        report: {
          message: expect.stringMatching(
            /^nodes\[0\]\.prompt: `prompt` must be text, .*; nodes\[0\]\.maxTurns: .*; nodes\[1\]\.duration: .*; nodes\[1\]\.name: /,
          ),
          location: { file: 'code:bad', pointer: '/nodes/0/prompt' },
          details: { code: 'bad-value', count: 4 },
        },
      });
    }
  });

  it('refuses values that are not JSON', () => {
    expect(() =>
      workflow({
        name: 'x',
        entryPoint: 'a',
        nodes: [{ name: 'a', type: 'set', value: 1n as never }],
      }),
    ).toThrow('The workflow contains a value that is not JSON');
  });

  it('builds the example', () => {
    expect(refund.plan.nodes.map(({ name }) => name)).toEqual(['find', 'write', 'apologise']);
    expect(Object.keys(refund.functions)).toEqual(['refund.find']);
  });
});
