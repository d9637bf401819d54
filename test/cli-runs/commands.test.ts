/** The contract: the commands over runs. */
import { describe, expect } from 'vitest';
import { rows, sh, workflow } from './table.ts';

const REFUSED = (kind: string): object => ({ status: 'refused', error: { kind } });

describe('run', () => {
  const input = 'input: {s: {type: string}, n: {type: number, default: 3}}';
  rows([
    {
      it: 'reads inputs from -i and from a file, by their declared types; defaults are filled in',
      header: input,
      nodes: '- {name: a, type: set, value: "{{ workflow.input }}"}',
      files: { 'in.json': '\uFEFF{"s": "x", "n": 9}', 'list.json': '[1]', 'bad.json': '{' },
      steps: [
        { do: 'run t.yaml -i s=12', says: { output: { s: '12', n: 3 } } },
        { do: 'run t.yaml --input in.json -i n=4', says: { output: { s: 'x', n: 4 } } },
        { do: 'run t.yaml', exit: 2, says: REFUSED('validation.input') },
        { do: 'run t.yaml -i s=x -i n=many', exit: 2, says: REFUSED('validation.input') },
        { do: 'run t.yaml -i s', exit: 2, says: REFUSED('validation.input') },
        { do: 'run t.yaml --input list.json', exit: 2, says: REFUSED('validation.input') },
        { do: 'run t.yaml --input bad.json', exit: 2, says: REFUSED('validation.input') },
        { do: 'run t.yaml --input none.json', exit: 2, says: REFUSED('validation.input') },
        { do: 'run none.yaml', exit: 2, says: REFUSED('validation.workflow') },
      ],
    },
    {
      it: 'does not advise the type of an input that has it',
      header: 'input: {s: {type: string, pattern: "^a"}}',
      nodes: '- {name: a, type: set, value: 1}',
      steps: [
        {
          do: 'run t.yaml -i s=b',
          exit: 2,
          says: {
            error: {
              kind: 'validation.input',
              action: {
                detail:
                  'Pass another value for s; its schema is in the file, under `workflow.input`.',
              },
            },
          },
        },
      ],
    },
    {
      it: 'refuses a number that would lose digits, wherever it is typed, and keeps it as text',
      header:
        'input: {s: {type: string}, n: {type: integer, default: 3}, o: {type: object, default: {}}}',
      nodes: '- {name: a, type: set, value: "{{ workflow.input }}"}',
      files: { 'in.json': '{"s": "x", "o": {"id": 9007199254740993}}' },
      steps: [
        { do: 'run t.yaml -i s=9007199254740993', says: { output: { s: '9007199254740993' } } },
        {
          do: 'run t.yaml -i s=x -i n=-9007199254740991',
          says: { output: { n: -9007199254740991 } },
        },
        ...[
          'n=9007199254740993',
          'n=-9007199254740993',
          'n=1e400',
          'o={"a":[12345678901234567890]}',
        ].map((typed) => ({
          do: `run t.yaml -i s=x -i ${typed}`,
          exit: 2,
          says: REFUSED('validation.input'),
        })),
        { do: 'run t.yaml --input in.json', exit: 2, says: REFUSED('validation.input') },
        { do: 'run t.yaml -i s=x -i o={"a":1e300,"b":0.1}', says: { output: { o: { a: 1e300 } } } },
      ],
    },
    {
      it: '--json prints the events of this leg, to the last',
      nodes: `- ${sh('a', 'test -f go', ', routes: [{to: $end}, {on_error: true, park: true}]')}`,
      steps: [
        {
          do: 'run t.yaml --json',
          exit: 5,
          says: [
            { seq: 1, type: 'run:started', workflow: 't', input: {} },
            { seq: 2, type: 'node:started', node: 'a', path: 'a', attempt: 0 },
            { type: 'effect:requested', effect: { type: 'script', target: 'sh' }, attempt: 0 },
            { type: 'effect:failed', error: { kind: 'internal.script_error' } },
            { type: 'node:failed' },
            { type: 'route:taken', move: 'park', rule: 1, bucket: 'error' },
            { seq: 7, type: 'run:paused', waiting: { reason: 'person' } },
          ],
        },
        {
          write: { go: '' },
          do: 'resume RUN --json',
          says: [
            { seq: 8, type: 'run:resumed' },
            { type: 'node:started', attempt: 1 },
            { type: 'effect:requested', attempt: 1 },
            { type: 'effect:succeeded' },
            { type: 'node:completed' },
            { type: 'route:taken', bucket: 'success' },
            { seq: 14, type: 'run:completed' },
          ],
          events: ['run:started', 'run:paused', 'run:completed'],
        },
      ],
    },
  ]);
});

describe('a run that is there', () => {
  const two = (value: string, script = 'true'): string =>
    workflow(`- ${sh('a', 'true', ', routes: [{to: b}]')}
- {name: b, type: set, value: ${value}, routes: [{to: c}]}
- ${sh('c', script, ', routes: [{to: d}]')}
- {name: d, type: set, value: "{{ b.output }}"}`);
  const gate = (prompt: string, no: string): string =>
    workflow(
      `- {name: a, type: human_gate, prompt: "${prompt}", options: [{value: y}, {value: ${no}}]}`,
    );
  const FAILED = { do: 'run t.yaml', exit: 3, says: { status: 'failed' }, count: 2 };
  rows([
    {
      it: 'is not found, or has ended: exit 2 and nothing was run',
      nodes: `- ${sh('a', 'true')}`,
      steps: [
        { do: 'run t.yaml' },
        ...['resume', 'retry', 'answer --value x', 'cancel', 'show'].map((command) => {
          const [verb = '', ...more] = command.split(' ');
          const said = { error: { kind: 'run.not_found' } };
          return { do: [verb, 'none', ...more], exit: 2, says: said };
        }),
        { do: 'resume RUN', exit: 2, says: REFUSED('run.already_ended') },
        { do: 'retry RUN', exit: 2, says: REFUSED('run.already_ended') },
        { do: 'cancel RUN', exit: 2, says: { error: { kind: 'run.already_ended' } } },
        { do: 'answer RUN --value x', exit: 2, says: { status: 'refused' }, count: 1 },
      ],
    },
    {
      it: 'has ended also when it needed nothing of the world; a refusal has the form of a result',
      nodes: '- {name: a, type: set, value: 1}',
      steps: [
        { do: 'run t.yaml', says: { output: 1 } },
        { do: 'show RUN', says: { status: 'completed', output: 1 } },
        { do: 'runs', says: [{ status: 'completed', endedAt: expect.any(String) }] },
        {
          do: 'resume RUN',
          exit: 2,
          says: {
            run: expect.stringMatching(/./),
            workflow: 't',
            ...REFUSED('run.already_ended'),
            costs: { totalUsdMicros: 0, attempts: [] },
          },
          events: ['run:started', 'run:completed'],
        },
        {
          do: 'resume none',
          exit: 2,
          says: { run: 'none', workflow: null, status: 'refused', costs: { attempts: [] } },
        },
        {
          do: 'run t.yaml -i x=1',
          exit: 2,
          says: { run: null, workflow: 't', status: 'refused', costs: { attempts: [] } },
        },
      ],
    },
    {
      it: 'retry --from runs a finished node and what follows again, in a completed run too',
      file: two('1'),
      steps: [
        { do: 'run t.yaml', says: { output: 1 }, count: 2 },
        { do: 'retry RUN --from c', says: { status: 'completed', output: 1 }, count: 3 },
        { do: 'retry RUN --from a', says: { status: 'completed' }, count: 5 },
        { do: 'retry RUN --from nobody', exit: 2, says: { status: 'refused' }, count: 5 },
        {
          do: 'show RUN',
          says: { status: 'completed' },
          events: ['run:started', 'run:completed', 'run:completed', 'run:completed'],
        },
      ],
    },
    {
      it: 'continues with the new text of nodes that have not finished; errors.jsonl has a line a leg',
      file: two('1', 'exit 1'),
      steps: [
        FAILED,
        { do: 'resume RUN', exit: 3, count: 3, errors: 2 },
        {
          write: { 't.yaml': two('1').replace('{{ b.output }}', 'new {{ b.output }}') },
          do: 'resume RUN',
          says: { status: 'completed', output: 'new 1' },
          count: 4,
          errors: 2,
        },
      ],
    },
    {
      it: 'has drifted when a finished node changed; --accept-drift keeps its result',
      file: two('1', 'exit 1'),
      steps: [
        FAILED,
        {
          write: { 't.yaml': two('2') },
          do: 'resume RUN',
          exit: 2,
          says: { status: 'refused', error: { kind: 'run.drifted' } },
          count: 2,
        },
        { do: 'resume RUN --accept-drift', says: { status: 'completed', output: 1 }, count: 3 },
      ],
    },
    {
      it: 'takes no answer to a question that the file no longer asks; retry --from asks the new one',
      file: gate('Delete nothing?', 'n'),
      steps: [
        { do: 'run t.yaml', exit: 5 },
        {
          write: { 't.yaml': gate('Delete all?', 'never') },
          do: 'answer RUN --value y',
          exit: 2,
          says: REFUSED('run.drifted'),
        },
        { do: 'retry RUN --from a', exit: 5, says: { waiting: { options: ['y', 'never'] } } },
        { do: 'answer RUN --value y', says: { status: 'completed' } },
      ],
    },
    {
      it: 'takes new inputs; what finished and read them counts as changed',
      header: 'input: {x: {type: number, default: 1}, y: {type: number, default: 1}}',
      nodes: `- {name: a, type: set, value: "{{ workflow.input.x }}", routes: [{to: b}]}
- ${sh('b', 'test {{ workflow.input.y }} -gt 1', ', routes: [{to: c}]')}
- {name: c, type: set, value: "{{ a.output }} {{ workflow.input.x }} {{ workflow.input.y }}"}`,
      steps: [
        { do: 'run t.yaml', exit: 3 },
        {
          do: 'resume RUN -i x=5',
          exit: 2,
          says: {
            error: {
              kind: 'run.drifted',
              message: 'The input x changed after these nodes had read it: a',
            },
          },
          count: 1,
        },
        { do: 'resume RUN -i x=5 -i y=2', exit: 2, says: REFUSED('run.drifted'), count: 1 },
        { do: 'resume RUN -i z=5', exit: 2, says: { status: 'refused' }, count: 1 },
        { do: 'resume RUN -i y=[2]', exit: 2, says: REFUSED('validation.input'), count: 1 },
        { do: 'resume RUN -i y=2', says: { output: '1 1 2' }, count: 2 },
      ],
    },
    {
      it: 'counts a list that a finished group went through as read',
      file: `workflow: {name: t, entry_point: g, input: {xs: {type: array, default: [1]}}}
for_each:
  - {name: g, source: workflow.input.xs, as: x, agent: {name: m, type: set, value: 1}, routes: [{to: b}]}
nodes: [${sh('b', 'exit 1')}]
`,
      steps: [
        { do: 'run t.yaml', exit: 3 },
        { do: 'resume RUN -i xs=[1,2]', exit: 2, says: REFUSED('run.drifted'), count: 1 },
      ],
    },
    {
      it: 'can be cancelled while it waits, and stays so',
      nodes: '- {name: a, type: human_gate, prompt: Go?, options: [{label: y, value: y}]}',
      steps: [
        { do: 'run t.yaml', exit: 5 },
        {
          do: 'cancel RUN',
          says: { status: 'cancelled' },
          events: ['run:paused', 'run:cancelled'],
        },
        {
          do: 'show RUN',
          says: { status: 'cancelled', nodes: [{ path: 'a', status: 'cancelled' }] },
        },
        { do: 'runs', says: [expect.not.objectContaining({ waiting: expect.anything() })] },
        { do: 'resume RUN', exit: 2, says: REFUSED('run.already_ended') },
        { do: 'retry RUN --from a', exit: 2, says: REFUSED('run.already_ended') },
        { do: 'answer RUN --value y', exit: 2, says: { status: 'refused' } },
        { do: 'cancel RUN', exit: 2 },
      ],
    },
    {
      it: 'is listed and shown',
      file: `${workflow(`- ${sh('a', 'exit 1', ', routes: [{to: $end}, {on_error: true, retry: {max: 1, backoff: none}}, {on_error: true, to: b}]')}
- {name: b, type: human_gate, prompt: Go?, options: [{label: y, value: y}]}`)}output: {answer: "{{ b.output.selected }}"}
`,
      steps: [
        { do: 'run t.yaml', exit: 5 },
        {
          do: 'runs',
          says: [
            {
              run: expect.any(String),
              workflow: 't',
              status: 'paused',
              startedAt: expect.stringMatching(/Z$/),
              waiting: { reason: 'gate', gate: 'b' },
              costUsdMicros: 0,
            },
          ],
        },
        {
          do: 'show RUN',
          says: {
            workflow: 't',
            file: expect.stringContaining('t.yaml'),
            status: 'paused',
            input: {},
            waiting: { gate: 'b', all: [{ gate: 'b', options: ['y'] }] },
            nodes: [
              {
                path: 'a',
                status: 'failed',
                attempts: 2,
                error: { kind: 'internal.script_error' },
              },
              { path: 'b', status: 'waiting', attempts: 1 },
            ],
            costs: {
              attempts: [
                { node: 'a', attempt: 0 },
                { node: 'a', attempt: 1 },
              ],
            },
          },
        },
        { do: 'answer RUN --value y', says: { output: { answer: 'y' } } },
        { do: 'show RUN', says: { status: 'completed', output: { answer: 'y' } } },
        { do: 'runs', says: [{ status: 'completed', endedAt: expect.any(String) }] },
      ],
    },
  ]);
});
