/** Workflows that the tests of the server share. */
export const HELLO = `
workflow: {name: hello, entry_point: hi, description: Greets., input: {who: {type: string, default: you}, times: {type: integer, default: 1}}}
nodes:
  - {name: hi, type: set, value: "Hello {{ workflow.input.who }}"}
`;

const ASK = `
workflow: {name: ask, entry_point: question}
nodes:
  - name: question
    type: human_gate
    prompt: Shall it go on?
    options: [{label: Yes, value: yes}, {label: No, value: no}]
    routes: [{to: done}]
  - {name: done, type: set, value: "{{ question.output.selected }}"}
`;

const FAILS = `
workflow: {name: fails, entry_point: broken}
nodes:
  - name: broken
    type: script
    command: bash
    args: ["-c", "printf '{\\"kind\\":\\"order.missing\\",\\"message\\":\\"No such order\\"}' > $ERRAND_ERROR_OUT; exit 1"]
    raises: [order.missing]
`;

/** Takes as many seconds as its input says. */
const SLOW = `
workflow: {name: slow, entry_point: wait, input: {seconds: {type: string, default: "1"}}}
nodes:
  - {name: wait, type: wait, duration: "{{ workflow.input.seconds }}s", routes: [{to: done}]}
  - {name: done, type: set, value: done}
`;

const TALK = `
workflow:
  name: talk
  entry_point: ready
  runtime:
    simulate:
      voice:
        - {stream: ["One, ", "two"], cut: true}
        - {answer: "One, two, three", delay: 50ms}
nodes:
  - {name: ready, type: human_gate, prompt: Ready?, options: [{label: Yes, value: yes}], routes: [{to: speak}]}
  - {name: speak, type: agent, model: sim/voice, prompt: Count., on_partial: restart}
`;

const CUT = `
workflow: {name: cut, entry_point: speak, runtime: {simulate: {voice: [{stream: ["One, "], cut: true}]}}}
nodes:
  - {name: speak, type: agent, model: sim/voice, prompt: Count.}
`;

const PARKS = `
workflow: {name: parks, entry_point: busy}
nodes:
  - name: busy
    type: script
    command: bash
    args: ["-c", "exit 3"]
    routes: [{to: $end}, {on_error: true, park: {for: 1h}}]
`;

const WAITS_FOR_PERSON = `
workflow: {name: waits, entry_point: busy}
nodes:
  - name: busy
    type: script
    command: bash
    args: ["-c", "test -f fixed && echo '{}'"]
    routes: [{to: $end}, {on_error: true, park: true}]
`;

const BACKS_OFF = `
workflow: {name: backs_off, entry_point: busy}
nodes:
  - name: busy
    type: script
    command: bash
    args: ["-c", "exit 3"]
    routes: [{to: $end}, {on_error: true, retry: {max: 3, backoff: fixed, initial_seconds: 60, jitter: 0}}]
`;

const LARGE = `
workflow: {name: large, entry_point: make, input: {n: {type: integer, default: 100000}}}
nodes:
  - {name: make, type: transform, code: "'x'.repeat(input.n)", arguments: {n: "{{ workflow.input.n }}"}}
`;

export const ALL: Readonly<Record<string, string>> = {
  'hello.yaml': HELLO,
  'ask.yaml': ASK,
  'fails.yaml': FAILS,
  'slow.yaml': SLOW,
  'talk.yaml': TALK,
  'cut.yaml': CUT,
  'parks.yaml': PARKS,
  'waits.yaml': WAITS_FOR_PERSON,
  'backs-off.yaml': BACKS_OFF,
  'large.yaml': LARGE,
};
