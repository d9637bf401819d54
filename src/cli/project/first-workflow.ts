/** The files that `errand init` writes: a workflow with a failure, a fallback, a typed raise and a route; and a test. */

export interface FirstWorkflow {
  readonly file: string;
  readonly name: string;
  /** Path of the JSON Schema, relative to the file. */
  readonly schema: string;
}

export function firstWorkflow({ file, name, schema }: FirstWorkflow): string {
  return `# yaml-language-server: $schema=${schema}
#
# Try it, no key is needed:
#   errand validate ${file}
#   errand run ${file} -i ticket="It broke"
#   errand explain RUN          what failed in it, and how it ended
workflow:
  name: ${name}
  description: Reads a ticket, labels it, and answers it.
  entry_point: classify
  input:
    ticket: { type: string, description: What the customer wrote }
  limits: { max_iterations: 20, timeout_seconds: 120, budget_usd: 0.10 }
  on_unhandled: fail
  runtime:
    # a list is a fallback chain; put a real model first when you have a key,
    # such as anthropic/claude-sonnet-5 or openai/gpt-6-mini
    default_model: [sim/busy, sim/clerk]
    simulate_price_per_mtok: { input: 3, output: 15 }
    simulate:
      busy: [{ fail: { kind: provider.rate_limited, retry_after: 2 } }]
      clerk: [{ answer: { label: bug }, usage: { input_tokens: 120, output_tokens: 8 } }]

nodes:
  - name: classify
    type: agent
    prompt: 'Label this ticket: {{ workflow.input.ticket }}'
    tools: []
    output: { label: { type: string, enum: [bug, refund, other] } }
    assert:
      - { that: "{{ output.label != 'other' }}", raise: ticket.unclear, message: No label fits. }
    routes:
      - { to: answer }
      - { on_error: ticket.unclear, to: apologise }
      - { on_error: true, to: apologise }

  - name: answer
    type: set
    values: { text: 'Thank you. We have filed this as a {{ classify.output.label }}.' }

  - name: apologise
    type: set
    values: { text: 'Sorry, a person will look at this: {{ failing.error.message }}' }

output:
  label: "{{ classify.output.label | default('none') }}"
  text: "{{ answer.output.text | default(apologise.output.text) }}"
`;
}

/** The test is written beside the workflow. */
export function firstTest(file: string): string {
  return `/** Run it with: node --test */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openErrand } from 'errand';
import { rehearse } from 'errand/testing';

test('a ticket gets its label although the first model is over its limit', async (t) => {
  const errand = await openErrand({ store: 'memory', directory: import.meta.dirname });
  t.after(() => errand.close());
  const workflow = await errand.load(${JSON.stringify(file)});
  const run = await errand.start(workflow, { input: { ticket: 'It broke' } });
  assert.deepEqual(await run.result(), {
    status: 'completed',
    output: { label: 'bug', text: 'Thank you. We have filed this as a bug.' },
  });
});

test('every failure that it can have ends as its routes say', async () => {
  const rehearsal = await rehearse(${JSON.stringify(file)}, { directory: import.meta.dirname });
  const surprises = rehearsal.scenarios.filter(({ verdict }) => verdict === 'surprise');
  assert.deepEqual(surprises, []);
  assert.equal(rehearsal.coverage.routes.covered, rehearsal.coverage.routes.total);
});
`;
}
