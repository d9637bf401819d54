import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rehearseFile, type FileRehearsal } from '../../src/rehearsal/rehearse-file.ts';

const WORKFLOW = `workflow:
  name: orders
  entry_point: classify
  input: {ticket: {type: string}}
nodes:
  - name: classify
    prompt: "{{ workflow.input.ticket }}"
    model: sim/clerk
    tools: []
    output: {label: {type: string, enum: [refund, other]}}
    routes:
      - {to: sure, when: "{{ output.label == 'refund' }}"}
      - {to: $end}
  - name: sure
    type: human_gate
    prompt: Sure?
    options: [{label: "Yes", value: "yes"}]
    routes: [{to: refund}]
  - name: refund
    type: script
    command: ./refund.sh
    timeout_seconds: 30
    raises: [payment.declined]
    routes:
      - {to: $end}
      - {on_error: payment.declined, ask: {options: [retry, skip, abort], timeout: 24h}}
`;

const folder = mkdtempSync(join(tmpdir(), 'errand-rehearsal-'));
beforeAll(() => writeFileSync(join(folder, 'orders.yaml'), WORKFLOW));
afterAll(() => rmSync(folder, { recursive: true }));

async function planned(plan: string): Promise<FileRehearsal> {
  const file = join(folder, 'orders.rehearsal.yaml');
  writeFileSync(file, `rehearse: ./orders.yaml\ngenerate: {kinds: none, crashes: none}\n${plan}`);
  return rehearseFile('orders.rehearsal.yaml', {
    workspace: { base: folder, env: {} },
    extensionModules: [],
    inputOf: () => ({}),
  });
}

describe('a written scenario', () => {
  it.each([
    [
      'a kind, and the answer of a person',
      '{faults: [{at: refund, fail: {kind: payment.declined, message: No funds}}], answers: {refund: skip}, expect: {status: completed, routes: ["refund payment.declined ask"], effects: {refund: 1}}}',
    ],
    [
      'the response of a provider, twice',
      '{faults: [{at: classify, try: 1-2, fail: {provider: openai, status: 429, headers: {retry-after: "2"}}}], expect: {status: completed, model_requests: 3, waited: 4s}}',
    ],
    [
      'a lost reply',
      '{faults: [{at: refund, lose: reply}], expect: {status: paused, waiting: outcome, effects: {refund: 1}}}',
    ],
    [
      'an answer that breaks off',
      '{faults: [{at: classify, try: every, stream: ["{"], cut: true}], expect: {error: {kind: provider.stream_interrupted}, at: classify}}',
    ],
    [
      'a death in the middle',
      '{faults: [{at: refund, kill: while_running}], expect: {status: paused, waiting: outcome, effects: {refund: 1}}}',
    ],
    [
      'a death after the commit of its result',
      '{faults: [{at: refund, kill: after_commit}], expect: {status: completed, effects: {refund: 1}}}',
    ],
    [
      'a death before the commit of its result',
      '{faults: [{at: refund, kill: before_commit}], expect: {status: paused, waiting: outcome, effects: {refund: 1}}}',
    ],
    [
      'a store that is away for a minute',
      '{faults: [{store: refuse, from: 0s, for: 60s}], expect: {status: completed}}',
    ],
    ['a cancellation', '{faults: [{at: refund, cancel: true}], expect: {status: cancelled}}'],
    [
      'a script that hangs',
      '{faults: [{at: refund, hang: true}], expect: {error: {kind: internal.script_timeout}, waited: 30s}}',
    ],
    [
      'a cancellation at a gate, where no process runs',
      '{faults: [{at: sure, cancel: true}], expect: {status: cancelled}}',
    ],
    [
      'a store that is away for hours',
      '{faults: [{store: refuse, from: 0s, for: 8h}], expect: {status: completed}}',
    ],
    ['a delay', '{faults: [{at: refund, delay: 10s}], expect: {status: completed, waited: 10s}}'],
    [
      'replies off the schema',
      '{faults: [{at: "model:clerk", try: every, malformed: true}], expect: {error: {kind: agent.output_invalid}}}',
    ],
  ])('has the fault %s', async (_, scenario) => {
    const played = await planned(`scenarios:\n  - {name: one, ${scenario.slice(1)}\n`);
    if (played.type === 'invalid') throw new Error(JSON.stringify(played.files));
    const one = played.rehearsed.result.scenarios.find(({ name }) => name === 'one');
    expect(one).toMatchObject({ origin: 'written' });
    expect(one?.differs).toBeUndefined();
    expect(played.exit).toBe(0);
  });

  it('says how it differs from what is expected', async () => {
    const played = await planned(
      'scenarios: [{name: one, faults: [{at: refund, lose: reply}], expect: {status: completed, effects: {refund: 2}}}]\n',
    );
    expect(played).toMatchObject({
      exit: 3,
      rehearsed: {
        result: {
          ok: false,
          surprises: 0,
          scenarios: expect.arrayContaining([
            expect.objectContaining({
              name: 'one',
              differs: [
                { field: 'status', expected: 'completed', got: 'paused' },
                { field: 'effects.refund', expected: 2, got: 1 },
              ],
            }),
          ]) as unknown,
        },
      },
    });
  });
});

describe('a plan', () => {
  it.each([
    ['a key that it does not have', 'gven: {}\n', 'unknown-key', 3],
    ['a node', 'given: {refnd: {}}\n', 'unknown-node', 3],
    ['a gate', 'answers: {classify2: x}\n', 'unknown-node', 3],
    ['an option', 'answers: {refund: maybe}\n', 'bad-value', 3],
    ['a figure', 'thresholds: {rotes: 100}\n', 'unknown-key', 3],
    ['a kind of the runtime', 'details: {provider.nonsense: {}}\n', 'unknown-kind', 3],
    [
      'a kind outside of the grammar',
      'scenarios:\n  - {name: a, faults: [{at: refund, fail: {kind: Refund No}}]}\n',
      'bad-kind',
      4,
    ],
    ['details of a kind outside of the grammar', 'details: {refused: {}}\n', 'bad-kind', 3],
    ['a value off its declared output', 'given: {classify: {label: nonsense}}\n', 'bad-value', 3],
    ['a name twice', 'scenarios:\n  - {name: a}\n  - {name: a}\n', 'duplicate-name', 5],
    [
      'a try',
      'scenarios:\n  - {name: a, faults: [{at: refund, try: two, hang: true}]}\n',
      'bad-value',
      4,
    ],
    [
      'tries that end before they begin',
      'scenarios:\n  - {name: a, faults: [{at: refund, try: 2-1, hang: true}]}\n',
      'bad-value',
      4,
    ],
    ['a name that a generated scenario has', 'scenarios:\n  - {name: calm}\n', 'duplicate-name', 4],
    [
      'a node of an expected route',
      'scenarios:\n  - {name: a, expect: {routes: ["refnd pay.no to"]}}\n',
      'unknown-node',
      4,
    ],
    [
      'an expected route that is none',
      'scenarios:\n  - {name: a, expect: {routes: ["refund pay.no"]}}\n',
      'bad-value',
      4,
    ],
    ['no fault', 'scenarios:\n  - {name: a, faults: [{at: refund}]}\n', 'either-or', 4],
    [
      'two faults',
      'scenarios:\n  - {name: a, faults: [{at: refund, hang: true, lose: reply}]}\n',
      'either-or',
      4,
    ],
  ])('is refused with its line for %s', async (_, plan, code, line) => {
    const refused = await planned(plan);
    if (refused.type !== 'invalid') throw new Error('It was accepted');
    expect(refused.files[0]?.diagnostics[0]).toMatchObject({
      severity: 'error',
      code,
      line,
      file: 'orders.rehearsal.yaml',
    });
  });
});
