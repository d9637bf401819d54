/** Workflows that the tests of the MCP server share. */
export const HELLO = `
workflow: {name: hello, entry_point: hi, description: Greets., input: {who: {type: string, default: you}, times: {type: integer, default: 1}}}
nodes:
  - {name: hi, type: set, value: "Hello {{ workflow.input.who }}"}
`;

export const ASK = `
workflow: {name: ask, entry_point: question}
nodes:
  - name: question
    type: human_gate
    prompt: Shall it go on?
    options: [{label: Yes, value: yes}, {label: No, value: no}]
    routes: [{to: done}]
  - {name: done, type: set, value: "{{ question.output.selected }}"}
`;

export const SIGN = ASK.replace('name: ask', 'name: sign').replace(
  'routes: [{to: done}]',
  'answered_by: person\n    routes: [{to: done}]',
);

/** Fails until the file `fixed` exists. Its failure has details, which no model sees. */
export const FAILS = `
workflow: {name: fails, entry_point: before}
nodes:
  - {name: before, type: set, value: 1, routes: [{to: broken}]}
  - name: broken
    type: script
    command: bash
    args: ["-c", "test -f fixed && echo '{\\"ok\\":true}' || { printf '{\\"kind\\":\\"order.missing\\",\\"message\\":\\"No such order\\",\\"details\\":{\\"planted\\":\\"only-for-people\\"}}' > $ERRAND_ERROR_OUT; exit 1; }"]
    raises: [order.missing]
`;

/** Runs for as long as the file `go` is missing. */
export const SLOW = `
workflow: {name: slow, entry_point: work, input: {mark: {type: string, default: go}}}
nodes:
  - name: work
    type: script
    command: bash
    args: ["-c", "echo x >> began; while [ ! -f {{ workflow.input.mark }} ]; do sleep 0.02; done; echo '{}'"]
    routes: [{to: done}]
  - {name: done, type: set, value: done}
`;

const LARGE = `
workflow: {name: large, entry_point: make, input: {n: {type: integer, default: 40000}}}
nodes:
  - {name: make, type: transform, code: "'x'.repeat(input.n)", arguments: {n: "{{ workflow.input.n }}"}}
`;

export const ALL: Readonly<Record<string, string>> = {
  'hello.yaml': HELLO,
  'ask.yaml': ASK,
  'sign.yaml': SIGN,
  'fails.yaml': FAILS,
  'slow.yaml': SLOW,
  'large.yaml': LARGE,
};

/** Makes `count` workflows that do nothing. */
export function many(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `w${at}.yaml`,
      `workflow: {name: w${at}, entry_point: hi, input: {who: {type: string, default: you}}}\nnodes:\n  - {name: hi, type: set, value: "{{ workflow.input.who }} ${at}"}\n`,
    ]),
  );
}

/** The value of `PLANTED_VALUE` in the environment, a name without a hint of a secret. */
export const PLANTED = 'Zq7kX9vT2mLw4eR4uB8nYpC1d';

/** A module that prints the data of its workflow, in every way that a module can. */
export const TELLING = {
  'tell.yaml': `
workflow: {name: tell, entry_point: say, module: ./tell.mjs}
nodes:
  - {name: say, type: call, function: say, arguments: {given: "\${PLANTED_VALUE}"}}
`,
  'tell.mjs': `
export const say = ({ given }) => {
  console.log('told on stdout: ' + given);
  console.error('told on stderr: ' + given);
  process.emitWarning('told as a warning: ' + given);
  return new Promise((resolve) => setImmediate(resolve, 'told'));
};
export const stray = ({ given }) => {
  setImmediate(() => { throw new Error('told by a stray failure: ' + given); });
  return new Promise(() => undefined);
};
`,
  'stray.yaml': `
workflow: {name: stray, entry_point: say, module: ./tell.mjs}
nodes:
  - {name: say, type: call, function: stray, arguments: {given: "\${PLANTED_VALUE}"}}
`,
};
