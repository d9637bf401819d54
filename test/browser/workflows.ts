/** Workflows for the pages of the dashboard; their models are simulated. */

/** Its model is out of quota until someone has paid; then it replies. */
export const NO_QUOTA = `
workflow:
  name: report
  entry_point: gather
  input:
    day: { type: string, default: monday }
  limits: { budget_usd: 1 }
  runtime:
    default_model: sim/writer
    simulate_price_per_mtok: { input: 3, output: 15 }
    simulate:
      writer:
        - fail: { provider: openai, status: 500, body: { error: { message: It broke } } }
          usage: { input_tokens: 1000, output_tokens: 100 }
        - fail:
            provider: openai
            status: 429
            body: { error: { code: insufficient_quota, type: insufficient_quota, message: No quota left } }
        - answer: { text: All is well }
          usage: { input_tokens: 1000, output_tokens: 200 }
nodes:
  - name: gather
    type: set
    value: 7 visits
    routes: [{ to: write }]
  - name: write
    type: agent
    prompt: Write about {{ gather.output }}
    tools: []
    output: { text: { type: string } }
    routes:
      - { to: $end }
      - { on_error: agent.output_invalid, ask: true }
output: { text: '{{ write.output.text }}' }
`;

/**
 * Its model asks for a wait of that many seconds: a run waits a minute out, and parks for an hour.
 */
export function impatient(name: string, seconds: number): string {
  return `
workflow:
  name: ${name}
  entry_point: say
  runtime:
    simulate:
      m:
        - fail:
            provider: openai
            status: 429
            headers: { retry-after: '${seconds}' }
            body: { error: { code: rate_limit_exceeded, message: Slow down } }
        - answer: Hello
nodes:
  - { name: say, type: agent, model: sim/m, prompt: Say something, tools: [] }
output: { said: '{{ say.output }}' }
`;
}

/** Its only node calls a workflow whose provider is overloaded. */
export const CALLING = `
workflow: { name: calling, entry_point: outer }
nodes:
  - { name: outer, type: workflow, workflow: ./called.yaml }
`;

export const CALLED = `
workflow:
  name: called
  entry_point: say
  runtime:
    simulate:
      m:
        - fail:
            provider: anthropic
            status: 529
            headers: { request-id: req_011CabcDEF, retry-after: '0.01' }
            body: { type: error, error: { type: overloaded_error, message: Overloaded } }
nodes:
  # the line below is the one that is shown
  - { name: say, type: agent, model: sim/m, prompt: Say something, tools: [] }
`;

/** A failure that is handled, then one that ends the run by a wrong template. */
export const BROKEN = `
workflow: { name: broken, entry_point: fetch }
nodes:
  - name: fetch
    type: script
    command: node
    args: ['-e', 'process.exit(3)']
    routes:
      - { to: $end }
      - { on_error: true, to: apologise }
  - name: apologise
    type: set
    value: Sorry
    routes: [{ to: sum_up }]
  - name: sum_up
    type: set
    value: '{{ apologise.output.missing.field }}'
    routes: [{ to: $end }]
output: { text: '{{ sum_up.output }}' }
`;

/** A question with an option of each form. */
export const REVIEW = `
workflow:
  name: review
  entry_point: draft
  input: { topic: { type: string, default: tea } }
nodes:
  - { name: draft, type: set, value: 'A text about {{ workflow.input.topic }}', routes: [{ to: decide }] }
  - name: decide
    type: human_gate
    prompt: 'Publish the text about {{ workflow.input.topic }}?'
    options:
      - { label: Publish it, value: publish, route: publish }
      - { label: Send it back, value: back, route: publish, prompt_for: reason }
      - { label: Drop it, value: drop, route: $end }
  - { name: publish, type: set, value: '{{ decide.output }}' }
output: { decision: '{{ decide.output }}' }
`;

/** A failure with a question for a person, who may type the result instead. */
export const DOUBT = `
workflow: { name: doubt, entry_point: classify }
nodes:
  - name: classify
    type: script
    command: node
    args: ['-e', 'process.exit(1)']
    output: { label: { type: string, enum: [refund, bug] }, score: { type: integer } }
    routes:
      - { to: $end }
      - { on_error: true, ask: { options: [retry, edit, skip, abort] } }
output: { label: '{{ classify.output.label }}', score: '{{ classify.output.score }}' }
`;

/** Its call does not fit into its budget, nor into twice that. */
export const ESSAY = `
workflow:
  name: essay
  entry_point: write
  limits: { budget_usd: 0.01, budget_mode: ask }
  runtime:
    simulate_price_per_mtok: { input: 3, output: 15 }
    simulate: { m: [{ answer: An essay }] }
nodes:
  - { name: write, type: agent, model: sim/m, prompt: Write, tools: [], max_tokens: 2000 }
`;

/** Its script fails with a kind of its own. */
export const RAISING = `
workflow: { name: raising, entry_point: pay }
nodes:
  - name: pay
    type: script
    command: sh
    args: ['-c', 'echo "{\\"kind\\": \\"payment.declined\\", \\"message\\": \\"No\\"}" > "$ERRAND_ERROR_OUT"; exit 1']
    raises: [payment.declined]
`;

/** Every type of field. */
export const FORM = `
workflow:
  name: form
  description: Keeps what it is given.
  entry_point: keep
  input:
    ticket: { type: string, description: What the customer wrote }
    pages: { type: integer, default: 2 }
    tone: { type: string, enum: [plain, formal], default: plain }
    send: { type: boolean, default: true }
    tags: { type: array, default: [] }
nodes:
  - { name: keep, type: set, value: '{{ workflow.input }}' }
output: { kept: '{{ keep.output }}' }
`;

/** A list of questions: one with choices, one with a default, one of several lines. */
export const DETAILS = `
workflow: { name: trip, entry_point: details }
nodes:
  - name: details
    type: questions
    prompt: 'Before I book:'
    allow_abort: true
    questions:
      - { id: region, text: Which region is it for?, choices: [eu, us], allow_free_text: false, required: true }
      - { id: when, text: When does it begin?, default: tomorrow }
      - { id: note, text: Anything else?, hint: As many lines as you like }
output: { answers: '{{ details.output.answers }}' }
`;

/** Its provider is overloaded once, then every reply of its model lacks a field. */
export const MISREAD = `
workflow:
  name: misread
  entry_point: read
  runtime:
    default_model: sim/reader
    simulate_price_per_mtok: { input: 3, output: 15 }
    simulate:
      reader:
        - fail:
            provider: anthropic
            status: 529
            headers: { retry-after: '0.01' }
            body: { type: error, error: { type: overloaded_error, message: Overloaded } }
          usage: { input_tokens: 4200, output_tokens: 100 }
        - answer: { total: 12 }
          usage: { input_tokens: 4200, output_tokens: 300 }
nodes:
  - name: read
    type: agent
    prompt: Give total and currency
    tools: []
    output: { total: { type: number }, currency: { type: string } }
`;

/** More nodes than the lists and the picture of a page show at once. */
export const LONG = `
workflow: { name: long, entry_point: step_0, limits: { max_iterations: 100 } }
nodes:
${Array.from({ length: 60 }, (_, at) => `  - { name: step_${at}, type: set, value: ${at}, routes: [{ to: ${at === 59 ? '$end' : `step_${at + 1}`} }] }`).join('\n')}
`;
