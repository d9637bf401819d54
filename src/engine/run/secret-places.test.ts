/**
 * A value that a file takes from a secret variable reaches the effects, and nothing else: not the
 * log, the state, the store, results or listeners, whichever node or key of the file has it.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REDACTED } from '../../errors/report/bounded-text.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { failure } from '../../errors/thrown/errand-error.ts';
import { partial } from '../../workflow/authoring/partial.ts';
import { createErrand, type Errand } from '../errand.ts';
import type { RunResult } from '../backend.ts';

const SECRET = 'Zk7Qp2Xw9LmR4tVb8NcY';
const NUMBER = 4_111_111_111_111_111;
/** Fits the grammar of kinds. */
const LOWER = 'wh_deadbeef0123456789ab';

const CHILD = `workflow: {name: child, entry_point: c, input: {pw: {type: string, default: "\${DB_PASSWORD}"}}}
nodes: [{name: c, type: set, value: "{{ workflow.input.pw }}"}]
output: {said: "{{ c.output }}"}
`;

interface Place {
  readonly nodes: string;
  /** Lines of the workflow. */
  readonly workflow?: string;
  readonly input?: JsonObject;
  readonly answers?: readonly { readonly gate: string; readonly value: string | JsonObject }[];
  readonly ends?: RunResult['status'];
  /** No event contains it. */
  readonly isUnsaid?: true;
}

const SIM = 'runtime: {simulate: {c: [{answer: hi}]}}';
const FALSE = "type: script, command: 'false'";

/** Where a value of the file becomes part of what happens, by the type of the node. */
const PLACES: Readonly<Record<string, Place>> = {
  'the value of a set': { nodes: "{name: a, type: set, value: '${DB_PASSWORD}'}" },
  'a part of a value': {
    nodes: "{name: a, type: set, value: {url: 'postgres://u:${DB_PASSWORD}@h/db'}}",
  },
  'the values of a set': { nodes: "{name: a, type: set, values: {x: '${DB_PASSWORD}'}}" },
  'a key of a value': { nodes: '{name: a, type: set, value: \'{{ {"${DB_PASSWORD}": 1} }}\'}' },
  'what a set writes to the state': {
    workflow: "state: {pw: {type: string, default: ''}}",
    nodes: "{name: a, type: set, state: {pw: '${DB_PASSWORD}'}}",
  },
  'the default of a state': {
    workflow: "state: {pw: {type: string, default: '${DB_PASSWORD}'}}",
    nodes: "{name: a, type: set, value: '{{ state.pw }}'}",
  },
  'the default of an input': {
    workflow: "input: {pw: {type: string, default: '${DB_PASSWORD}'}}",
    nodes: "{name: a, type: set, value: '{{ workflow.input.pw }}'}",
  },
  'an input that is given': {
    workflow: 'input: {pw: {type: string}}',
    input: { pw: SECRET },
    nodes:
      "{name: a, type: script, command: 'true', args: ['${DB_PASSWORD}', '{{ workflow.input.pw }}']}",
  },
  'the prompt of an agent': {
    workflow: SIM,
    nodes:
      "{name: a, model: sim/c, tools: [], system_prompt: 'use ${DB_PASSWORD}', prompt: 'log in with ${DB_PASSWORD}'}",
  },
  'the instructions': {
    workflow: `${SIM}\n  instructions: ['use \${DB_PASSWORD}']`,
    nodes: '{name: a, model: sim/c, tools: [], prompt: go}',
  },
  'the prompt of a supervisor': {
    workflow: 'runtime: {simulate: {c: [{answer: {next: done}}]}}',
    nodes:
      "{name: a, type: supervisor, model: sim/c, prompt: 'pw ${DB_PASSWORD}', manages: [b]}\n  - {name: b, type: set, value: 1, description: 'has ${DB_PASSWORD}'}",
  },
  'the prompt of a gate': {
    nodes: "{name: a, type: human_gate, prompt: 'pw ${DB_PASSWORD}', options: [{value: y}]}",
    ends: 'paused',
  },
  'an option of a gate': {
    nodes: "{name: a, type: human_gate, prompt: x, options: [{value: '${DB_PASSWORD}'}]}",
    answers: [{ gate: 'a', value: SECRET }],
  },
  'the answer at a gate': {
    nodes:
      "{name: a, type: human_gate, prompt: 'pw ${DB_PASSWORD}', options: [{value: y, prompt_for: why}]}",
    answers: [{ gate: 'a', value: { selected: 'y', additional_input: `it is ${SECRET}` } }],
  },
  'the message of a halt': {
    nodes: `{name: a, ${FALSE}, routes: [{to: $end}, {on_error: true, halt: {message: 'pw \${DB_PASSWORD}'}}]}`,
    ends: 'failed',
  },
  'the reason of a termination': {
    nodes: "{name: a, type: terminate, status: failed, reason: 'pw ${DB_PASSWORD}'}",
    ends: 'failed',
  },
  'the output of a termination': {
    nodes: "{name: a, type: terminate, status: success, output_template: {pw: '${DB_PASSWORD}'}}",
  },
  'the reason of a wait': {
    nodes: "{name: a, type: wait, duration: 1h, reason: 'pw ${DB_PASSWORD}'}",
    ends: 'paused',
    isUnsaid: true,
  },
  'an assertion': {
    nodes:
      "{name: a, type: set, value: 1, assert: [{that: '{{ output == \"${DB_PASSWORD}\" }}', message: 'no ${DB_PASSWORD}'}]}",
    ends: 'failed',
  },
  'a command that is not there': {
    nodes: "{name: a, type: script, command: 'tool-${DB_PASSWORD}'}",
    ends: 'failed',
  },
  'the arguments of a function': {
    nodes: "{name: a, type: call, function: echo, arguments: {pw: '${DB_PASSWORD}'}}",
  },
  'the arguments of a function that fails': {
    nodes: "{name: a, type: call, function: fail, arguments: {pw: '${DB_PASSWORD}'}}",
    ends: 'failed',
  },
  'the arguments of a tool in doubt': {
    nodes: "{name: a, type: tool, tool: doubt, arguments: {pw: '${DB_PASSWORD}'}}",
    ends: 'paused',
  },
  'the code and the arguments of a transform': {
    nodes:
      "{name: a, type: transform, code: 'return {both: [\"${DB_PASSWORD}\", input.pw]}', arguments: {pw: '${DB_PASSWORD}'}}",
  },
  'the input of a child': {
    nodes:
      "{name: a, type: workflow, workflow: ./child.yaml, input_mapping: {pw: '${DB_PASSWORD}'}}",
  },
  'the default of an input of a child': {
    nodes: '{name: a, type: workflow, workflow: ./child.yaml, input_mapping: {}}',
  },
  'the items and keys of a list': {
    nodes:
      '{name: a, type: for_each, source: \'{{ [{"id": "${DB_PASSWORD}"}] }}\', as: it, key_by: it.id, agent: {name: m, type: set, value: \'{{ it.id }}\'}}',
  },
  'a member of a group': {
    nodes:
      "{name: a, type: parallel, agents: [b, c]}\n  - {name: b, type: set, value: '${DB_PASSWORD}'}\n  - {name: c, type: set, value: '${DB_PASSWORD}'}",
  },
  'the output of the file': {
    nodes: "{name: a, type: set, value: 1}\noutput: {pw: '${DB_PASSWORD}'}",
  },
};

let folder = '';
let errand: Errand;
let told: unknown[] = [];

async function open(): Promise<Errand> {
  return createErrand({
    directory: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      DB_PASSWORD: SECRET,
      CODE_TOKEN: LOWER,
      CARD: String(NUMBER),
    },
    functions: {
      echo: ({ pw }: { pw: string }) => ({ got: pw, isTrue: pw === SECRET }),
      named: ({ pw }: { pw: string }) => {
        throw Object.assign(new Error('no'), { kind: `order.${pw}` });
      },
      wrapped: ({ pw }: { pw: string }) => {
        throw failure('order.missing', 'no', {}, { cause: failure(`order.${pw}`, 'deep') });
      },
      beside: ({ pw }: { pw: string }) => partial([1], [failure(`order.${pw}`, 'no')]),
      fail: ({ pw }: { pw: string }) => {
        throw new Error(`refused ${pw}`);
      },
    },
    tools: {
      doubt: ({ pw }: { pw: string }) => {
        throw Object.assign(new Error(`lost ${pw}`), { code: 'ECONNRESET' });
      },
    },
    onInternal: (record) => told.push(record),
    onWarning: (warning) => told.push(warning),
  });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'errand-secrets-'));
  told = [];
  writeFileSync(join(folder, 'child.yaml'), CHILD);
  errand = await open();
});
afterEach(async () => {
  await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

function write({ nodes, workflow = '' }: Pick<Place, 'nodes' | 'workflow'>): string {
  const file = join(folder, 'main.yaml');
  const text = `workflow:\n  name: t\n  entry_point: a\n  on_unhandled: fail\n  ${workflow}\nnodes:\n  - ${nodes}\n`;
  writeFileSync(file, text);
  return file;
}

async function play(place: Place): Promise<{ readonly id: string; readonly result: RunResult }> {
  const workflow = await errand.load(write(place));
  const { input = {}, answers = [] } = place;
  const options = { input, answers, onEvent: (event: unknown) => told.push(event) };
  const run = await errand.start(workflow, options);
  return { id: run.id, result: await run.result() };
}

async function seen(id: string): Promise<readonly unknown[]> {
  const history: unknown[] = [];
  for await (const event of errand.history(id)) history.push(event);
  return [history, await errand.get(id), await errand.list(), await errand.costs(id)];
}

function stored(): readonly string[] {
  return globSync('.errand/**', { cwd: folder })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'));
}

describe('a secret of the file', () => {
  it.each(Object.entries(PLACES))('is not kept as %s', async (_name, place) => {
    const { id, result } = await play(place);
    expect(result.status, JSON.stringify(result)).toBe(place.ends ?? 'completed');
    const heard = JSON.stringify([result, told, await seen(id)]);
    expect(heard.includes(REDACTED)).toBe(place.isUnsaid !== true);
    expect(heard).not.toContain(SECRET);
    for (const text of stored()) expect(text).not.toContain(SECRET);
  });

  it('is not kept as a number', async () => {
    const card = 'arguments:\n      pw: ${CARD}';
    const { id, result } = await play({
      nodes: `name: a\n    type: call\n    function: echo\n    ${card}`,
    });
    expect(result).toMatchObject({ status: 'completed', output: { got: REDACTED } });
    const heard = JSON.stringify([result, told, await seen(id)]);
    for (const text of [heard, ...stored()]) expect(text).not.toContain(String(NUMBER));
  });

  it('gets to what is run', async () => {
    const script = `type: script, command: sh, args: ['-c', 'printf "%s" "$0 $PW" > got', '\${DB_PASSWORD}'], env: {PW: '\${DB_PASSWORD}'}`;
    await play({ nodes: `{name: a, ${script}}` });
    expect(readFileSync(join(folder, 'got'), 'utf8')).toBe(`${SECRET} ${SECRET}`);
    const { result } = await play({
      nodes: "{name: a, type: call, function: echo, arguments: {pw: '${DB_PASSWORD}'}}",
    });
    expect(result).toMatchObject({ output: { got: REDACTED, isTrue: true } });
  });
});

describe('the kind of a failure', () => {
  const envelope = String.raw`'echo "{\"kind\": \"order.$0\", \"message\": \"no\"}" > "$ERRAND_ERROR_OUT"'`;
  const RAISED: Readonly<Record<string, string>> = {
    'of a script': `type: script, command: sh, args: ['-c', ${envelope}, '\${CODE_TOKEN}']`,
    'that a function throws': "type: call, function: named, arguments: {pw: '${CODE_TOKEN}'}",
    'of a cause': "type: call, function: wrapped, arguments: {pw: '${CODE_TOKEN}'}",
    'beside a result': "type: call, function: beside, arguments: {pw: '${CODE_TOKEN}'}",
  };

  it.each(Object.entries(RAISED))('%s has no secret', async (_name, node) => {
    const { id, result } = await play({ nodes: `{name: a, ${node}}` });
    const heard = JSON.stringify([result, told, await seen(id)]);
    expect(heard).toContain('internal.envelope_invalid');
    expect(heard).not.toContain(LOWER);
    for (const text of stored()) expect(text).not.toContain(LOWER);
  });

  it('stays as it is where the file declares it', async () => {
    const { result } = await play({
      nodes: `{name: a, ${RAISED['of a script'] ?? ''}, raises: [order.${LOWER}]}`,
    });
    expect(result).toMatchObject({ status: 'failed', error: { kind: `order.${LOWER}` } });
  });
});

describe('a refusal', () => {
  const heardOf = async (refused: Promise<unknown>): Promise<string> => {
    const thrown: unknown = await refused.then(
      () => 'nothing was refused',
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({ kind: 'validation.input' });
    return `${String(thrown)} ${JSON.stringify(thrown)}`;
  };

  const input = "input: {pw: {type: string, enum: ['${DB_PASSWORD}', other], default: other}}";

  it('of an input does not say which secret would fit', async () => {
    const workflow = await errand.load(
      write({ workflow: input, nodes: '{name: a, type: set, value: 1}' }),
    );
    const heard = await heardOf(errand.start(workflow, { input: { pw: 'guess' } }));
    expect(heard).toContain(REDACTED);
    expect(heard).not.toContain(SECRET);
  });

  it('of an input that a resume replaces does not either', async () => {
    const { id } = await play({ workflow: input, nodes: `{name: a, ${FALSE}}` });
    const heard = await heardOf(errand.resume(id, { input: { pw: 'guess' } }));
    expect(heard).toContain(REDACTED);
    expect(heard).not.toContain(SECRET);
  });

  it('of an edited result does not say which secret would fit, and takes the secret itself', async () => {
    const { id } = await play({
      nodes:
        "{name: a, type: script, command: 'false', output: {x: {type: string, enum: ['${DB_PASSWORD}']}}, routes: [{to: $end}, {on_error: true, ask: {options: [edit]}}]}",
      ends: 'paused',
    });
    const heard = await heardOf(errand.answer(id, { value: { edit: { x: 'guess' } } }));
    expect(heard).toContain(REDACTED);
    expect(heard).not.toContain(SECRET);
    const run = await errand.answer(id, { value: { edit: { x: SECRET } } });
    expect(await run?.result()).toMatchObject({ status: 'completed', output: { x: REDACTED } });
  });
});

describe('a run with a secret that is resumed', () => {
  const script = (name: string, routes: string): string =>
    `{name: ${name}, type: script, command: sh, args: ['-c', 'echo "$0 $1 $2" >> got', '\${DB_PASSWORD}', '{{ state.pw }}', '{{ a.output }}'], routes: [{to: ${routes}}]}`;

  it('resumes as it was', async () => {
    const { id, result } = await play({
      workflow: "state: {pw: {type: string, default: '${DB_PASSWORD}'}}",
      nodes: [
        "{name: a, type: set, value: '${DB_PASSWORD}', routes: [{to: b}]}",
        script('b', 'ask'),
        '{name: ask, type: human_gate, prompt: x, options: [{value: y}], routes: [{to: c}]}',
        script('c', '$end'),
      ].join('\n  - '),
    });
    expect(result).toMatchObject({ status: 'paused' });
    await errand.close();
    errand = await open();
    const run = await errand.answer(id, { value: 'y' });
    expect(await run?.result()).toMatchObject({ status: 'completed' });
    const line = `${SECRET} ${REDACTED} ${REDACTED}\n`;
    expect(readFileSync(join(folder, 'got'), 'utf8')).toBe(line + line);
  });

  it('has none in its checkpoint', async () => {
    const { id, result } = await play({
      workflow:
        "limits: {max_iterations: 400}\n  state: {n: {type: integer, default: 0, merge: sum}, pw: {type: string, default: '${DB_PASSWORD}'}}",
      nodes: [
        "{name: a, type: set, value: '${DB_PASSWORD}', state: {n: 1}, routes: [{to: ask, when: '{{ state.n >= 200 }}'}, {to: a}]}",
        "{name: ask, type: human_gate, prompt: 'pw ${DB_PASSWORD}', options: [{value: y}], routes: [{to: b}]}",
        script('b', '$end'),
      ].join('\n  - '),
    });
    expect(result).toMatchObject({ status: 'paused' });
    for (const text of stored()) expect(text).not.toContain(SECRET);
    await errand.close();
    errand = await open();
    const run = await errand.answer(id, { value: 'y' });
    expect(await run?.result()).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(folder, 'got'), 'utf8')).toBe(`${SECRET} ${REDACTED} ${REDACTED}\n`);
  });

  it('asks its model with the same words', async () => {
    const { id, result } = await play({
      workflow: `runtime: {simulate: {c: [{fail: {kind: provider.auth}}, {answer: hi}]}}`,
      nodes: "{name: a, model: sim/c, tools: [], prompt: 'log in with ${DB_PASSWORD}'}",
    });
    expect(result.status).toBe('failed');
    await errand.close();
    errand = await open();
    const run = await errand.resume(id);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(await seen(id))).not.toContain(SECRET);
    for (const text of stored()) expect(text).not.toContain(SECRET);
  });
});
