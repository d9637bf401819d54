/** The contract: people, unknown outcomes. */
import { describe, expect } from 'vitest';
import { rows, sh, workflow } from './table.ts';

const IS_LINUX = process.platform === 'linux';

const edit = (value: object): string => JSON.stringify({ edit: value });

/** Two seconds pass. */
const LATER = {
  'later.yaml': workflow('- {name: a, type: wait, duration: 2s}'),
};

describe('ask', () => {
  const asking = (more = ''): string =>
    `- ${sh('a', 'echo half; test -f go', `, routes: [{to: b}, {on_error: true, ask: {options: [retry, edit, skip, abort]}}]${more}`)}
- {name: b, type: set, value: "{{ a.output.n | default('none') }}"}`;
  const asked = {
    do: 'run t.yaml',
    exit: 5,
    says: {
      status: 'paused',
      waiting: {
        reason: 'gate',
        gate: 'a',
        node: 'a',
        options: ['retry', 'edit', 'skip', 'abort'],
      },
    },
  };
  rows([
    {
      it: 'a refusal names the answer, the question and what may be answered',
      nodes: asking(', output: {n: {type: string}}'),
      steps: [
        asked,
        {
          do: ['answer', 'RUN', '--value', 'perhaps'],
          exit: 2,
          says: {
            error: {
              message: 'The answer "perhaps" to a is not one of the options',
              action: {
                detail: 'Answer one of: retry, edit, skip, abort; an edit is {"edit": {"n": …}}',
              },
            },
          },
        },
        {
          do: ['answer', 'RUN', '--value', '{"edit": …}'],
          exit: 2,
          says: { error: { message: 'The answer {"edit": …} to a is not JSON' } },
        },
        {
          do: ['answer', 'RUN', '--value', 'edit'],
          exit: 2,
          says: { error: { action: { detail: 'Answer {"edit": {"n": …}}.' } } },
        },
      ],
    },
    {
      it: 'retry runs it again',
      nodes: asking(),
      steps: [
        asked,
        { do: 'answer RUN --value retry', exit: 5, count: 2 },
        {
          write: { go: '' },
          do: 'answer RUN a --value retry',
          says: { status: 'completed' },
          count: 3,
          events: ['gate:answered a', 'gate:answered a', 'run:completed'],
        },
      ],
    },
    {
      it: 'an answer is for one opening, which may be named',
      nodes: asking(),
      steps: [
        { ...asked, says: { waiting: { gate: 'a', opening: 7, all: [{ opening: 7 }] } } },
        {
          do: 'answer RUN a --value retry --opening 6',
          exit: 2,
          says: { status: 'refused', error: { kind: 'gate.closed' } },
          count: 1,
        },
        { do: 'answer RUN a --value retry --opening soon', exit: 2 },
        { do: 'answer RUN a --value retry --opening 7', exit: 5, count: 2 },
        { do: 'answer RUN a --value retry --opening 7', exit: 2, count: 2 },
        { do: 'show RUN', says: { status: 'paused' } },
      ],
    },
    {
      it: 'skip continues by the success routes with the partial output',
      nodes: asking().replace('a.output.n', 'a.output.stdout'),
      steps: [
        asked,
        { do: 'answer RUN --value skip', says: { output: 'half\n' }, events: ['node:skipped a'] },
      ],
    },
    {
      it: 'abort lets the failure stand',
      nodes: asking(),
      steps: [
        asked,
        {
          do: 'answer RUN --value abort',
          exit: 3,
          says: { status: 'failed', error: { kind: 'internal.script_error' } },
          errors: 1,
        },
        { do: 'show RUN', says: { nodes: [{ path: 'a', status: 'failed' }] } },
      ],
    },
    {
      it: 'an edit is the output, held to its schema; what is refused leaves the gate open',
      nodes: asking(', output: {n: {type: number}}'),
      steps: [
        asked,
        {
          do: ['answer', 'RUN', '--value', edit({ n: 'many' })],
          exit: 2,
          says: { status: 'refused' },
        },
        { do: 'answer RUN --value perhaps', exit: 2, says: { status: 'refused' } },
        { do: 'answer RUN nobody --value skip', exit: 2, says: { status: 'refused' } },
        { do: ['answer', 'RUN', '--value', edit({ n: 7 })], says: { output: 7 } },
        { do: 'answer RUN --value skip', exit: 2, says: { status: 'refused' }, count: 1 },
      ],
    },
    {
      it: 'abort in a member fails that member alone',
      file: `workflow: {name: t, entry_point: g}
nodes:
  - ${sh('a', 'exit 1', ', routes: [{to: $end}, {on_error: true, ask: {options: [retry, abort]}}]')}
  - {name: b, type: set, value: 2}
parallel: [{name: g, agents: [a, b], failure_mode: continue_on_error}]
output: {kind: "{{ g.errors.a.kind }}", b: "{{ g.outputs.b }}"}
`,
      steps: [
        { do: 'run t.yaml', exit: 5, says: { waiting: { gate: 'g[a]/a' } } },
        {
          do: 'answer RUN a --value abort',
          says: { output: { kind: 'internal.script_error', b: 2 } },
        },
      ],
    },
    {
      it: 'is passed over with --no-gates',
      nodes: `- ${sh('a', 'exit 1', ', routes: [{to: $end}, {on_error: true, ask: {options: [retry, abort]}}, {on_error: true, to: b}]')}
- {name: b, type: set, value: handled}`,
      steps: [
        { do: 'run t.yaml --no-gates', says: { output: 'handled' } },
        { do: 'retry RUN --from a', exit: 5 },
        // a choice is no answer to an ask, and nobody's output
        { do: ['answer', 'RUN', '--value', '{"selected": "retry"}'], exit: 2 },
        { do: 'resume RUN --no-gates', says: { output: 'handled' }, events: ['gate:expired a'] },
      ],
    },
    {
      it: 'that expires continues below it',
      nodes: `- ${sh('a', 'exit 1', ', routes: [{to: $end}, {on_error: true, ask: {options: [retry], timeout: 2s}}, {on_error: true, to: b}]')}
- {name: b, type: set, value: handled}`,
      files: LATER,
      steps: [
        { do: 'run t.yaml', exit: 5 },
        { do: 'run later.yaml' },
        { do: 'resume RUN', says: { output: 'handled' }, events: ['gate:expired a'] },
        { do: 'show RUN', says: { nodes: [{ status: 'failed' }, { status: 'completed' }] } },
      ],
    },
  ]);
});

describe('human_gate', () => {
  const gate = (more = ''): string =>
    `- {name: a, type: human_gate, prompt: Go?, options: [{label: Yes, value: y, route: b}, {label: No, value: n}], routes: [{to: c}]${more}}
- {name: b, type: set, value: "by the option {{ a.output.selected }} {{ a.output.additional_input }}"}
- {name: c, type: set, value: "by the table {{ a.output.selected }}"}`;
  const open = {
    do: 'run t.yaml',
    exit: 5,
    says: { waiting: { reason: 'gate', options: ['y', 'n'] } },
    events: ['gate:opened a', 'run:paused'],
  };
  rows([
    {
      it: "an option's route wins over routes",
      nodes: gate(),
      steps: [
        open,
        {
          do: ['answer', 'RUN', '--value', '{"selected": "y", "additional_input": "soon"}'],
          says: { output: 'by the option y soon' },
        },
      ],
    },
    {
      it: 'else routes decide; --answer answers as it opens, at run and at resume',
      nodes: gate(),
      steps: [
        { do: 'run t.yaml --answer a=n', says: { output: 'by the table n' } },
        { do: 'retry RUN --from a', exit: 5 },
        { do: 'resume RUN', exit: 5 },
        { do: 'resume RUN --answer a=n', says: { output: 'by the table n' } },
      ],
    },
    {
      it: 'gives the value of its option, as it is in the file, and nothing that it does not have',
      nodes: '- {name: a, type: human_gate, prompt: Go?, options: [{label: No, value: 0}]}',
      steps: [
        { do: 'run t.yaml', exit: 5, says: { waiting: { options: [0] } } },
        { do: ['answer', 'RUN', '--value', '{"selected": "0", "more": 1}'], exit: 2 },
        {
          do: ['answer', 'RUN', '--value', '{"selected": "0"}'],
          says: { output: { selected: 0, additional_input: null } },
        },
      ],
    },
    {
      it: 'an option that wants a text is not taken without one',
      nodes: `- {name: a, type: human_gate, prompt: Go?, options: [{value: y}, {value: change, prompt_for: text}]}`,
      steps: [
        {
          do: 'run t.yaml',
          exit: 5,
          says: {
            waiting: {
              options: ['y', 'change'],
              promptFor: [{ value: 'change', name: 'text' }],
              all: [{ promptFor: [{ value: 'change', name: 'text' }] }],
            },
          },
        },
        ...[
          'change',
          '{"selected": "change"}',
          '{"selected": "change", "additional_input": ""}',
          '{"selected": "change", "additional_input": "  "}',
          '{"selected": "change", "additional_input": {"text": "x"}}',
          '{"selected": "y", "additional_input": 7}',
        ].map((value) => ({
          do: ['answer', 'RUN', 'a', '--value', value],
          exit: 2,
          says: { status: 'refused', error: { kind: 'validation.input' } },
        })),
        { do: 'resume RUN --answer a=change', exit: 5, events: ['error:suppressed'] },
        {
          do: ['answer', 'RUN', '--value', '{"selected": "change", "additional_input": "softer"}'],
          says: { output: { selected: 'change', additional_input: 'softer' } },
        },
        { do: 'retry RUN --from a', exit: 5 },
        { do: 'answer RUN --value y', says: { output: { selected: 'y', additional_input: null } } },
      ],
    },
    {
      it: 'a prepared answer that does not fit leaves it open, and that is reported',
      nodes: gate(),
      steps: [
        { do: 'run t.yaml --answer a=maybe', exit: 5, events: ['error:suppressed'] },
        // for a gate that nobody could ever open it is a slip of the hand
        {
          do: 'run t.yaml --answer aa=maybe',
          exit: 2,
          says: { status: 'refused', error: { kind: 'validation.input' } },
        },
      ],
    },
    {
      it: 'without anyone to ask it fails, also when it was open before',
      nodes: gate(', default: n'),
      steps: [
        { do: 'run t.yaml --no-gates', exit: 3, says: { error: { kind: 'gate.no_one_to_ask' } } },
        { do: 'resume RUN', exit: 5 },
        {
          do: 'resume RUN --no-gates',
          exit: 3,
          says: { error: { kind: 'gate.no_one_to_ask' } },
        },
      ],
    },
    {
      it: 'expired, it takes its default; an answer after that is refused',
      nodes: gate(', timeout: 2s, default: n'),
      files: LATER,
      steps: [
        open,
        { do: 'run later.yaml' },
        { do: 'answer RUN --value y', exit: 2, says: { status: 'refused' } },
        { do: 'resume RUN', says: { output: 'by the table n' }, events: ['gate:expired a'] },
      ],
    },
    {
      it: 'expired without a default it fails',
      nodes: gate(', timeout: 2s'),
      files: LATER,
      steps: [
        open,
        { do: 'run later.yaml' },
        { do: 'resume RUN', exit: 3, says: { error: { kind: 'gate.expired' } } },
      ],
    },
    {
      it: 'of two gates with one name, the path says which',
      nodes: `- {name: a, type: workflow, workflow: ./child.yaml}`,
      files: {
        'child.yaml': `workflow: {name: c, entry_point: g}
nodes: [{name: ask, type: human_gate, prompt: Go?, options: [{label: y, value: y}]}]
for_each: [{name: g, source: "{{ [1, 2] }}", as: n, agent: {name: one, type: human_gate, prompt: Go?, options: [{label: y, value: y}]}, routes: [{to: ask}]}]
`,
      },
      steps: [
        { do: 'run t.yaml', exit: 5, says: { waiting: { all: [{}, {}] } } },
        { do: 'answer RUN --value y', exit: 2 },
        { do: 'answer RUN one --value y', exit: 2 },
        { do: 'answer RUN a/g[1]/one --value y', exit: 5 },
        { do: 'answer RUN one --value y', exit: 5, says: { waiting: { gate: 'a/ask' } } },
        { do: 'answer RUN --value y', says: { status: 'completed' } },
      ],
    },
  ]);
});

describe('an unknown outcome', () => {
  const stuck = (more = ''): string => `- ${sh('a', 'test -f go || sleep 60', more)}`;
  /** It takes its Errand with it and ends. */
  const gone = (more = ''): string => `- ${sh('a', 'test -f go || kill -9 $PPID', more)}`;
  const crash = { killed: ['run', 't.yaml'] };
  const doubt = {
    do: 'resume RUN',
    exit: 5,
    says: { waiting: { reason: 'outcome', node: 'a', options: ['repeat', 'edit', 'abort'] } },
    count: 1,
  };
  rows([
    {
      it: 'is asked about, by a plain resume again; abort lets it stand',
      nodes: stuck(),
      steps: [
        crash,
        doubt,
        doubt,
        {
          do: 'answer RUN --value abort',
          exit: 3,
          says: { error: { kind: 'effect.outcome_unknown', category: 'ambiguous' } },
        },
        { ...doubt, events: ['run:failed'] },
      ],
    },
    {
      it: 'of a script that outlived its Errand is reported as what it is, and no second one is started',
      nodes: `- ${sh('a', 'sleep 60')}`,
      steps: [
        crash,
        {
          ...doubt,
          says: {
            waiting: {
              reason: 'outcome',
              inDoubt: {
                type: 'script',
                target: 'sh',
                arguments: { command: 'sh' },
                ...(IS_LINUX ? { processes: expect.any(Array) } : {}),
              },
            },
          },
        },
        ...(IS_LINUX ? [{ do: 'answer RUN --value repeat', exit: 2, count: 1 }] : []),
        { do: ['answer', 'RUN', '--value', edit({ n: 5 })], says: { output: { n: 5 } }, count: 1 },
      ],
    },
    {
      it: 'repeat runs it again',
      nodes: gone(),
      steps: [
        crash,
        doubt,
        {
          write: { go: '' },
          do: 'answer RUN --value repeat',
          says: { status: 'completed' },
          count: 2,
        },
      ],
    },
    {
      it: 'edit says what came of it',
      nodes: stuck(', routes: [{to: b}]') + '\n- {name: b, type: set, value: "{{ a.output.n }}"}',
      steps: [
        crash,
        doubt,
        { do: ['answer', 'RUN', '--value', edit({ n: 5 })], says: { output: 5 }, count: 1 },
      ],
    },
    {
      it: 'is not repeated by a wider retry route',
      nodes: stuck(', routes: [{to: $end}, {on_error: true, retry: {max: 3, backoff: none}}]'),
      steps: [crash, doubt],
    },
    {
      it: 'is repeated by a route that names it',
      nodes: gone(
        ', routes: [{to: $end}, {on_error: effect.outcome_unknown, retry: {max: 3, backoff: none}}]',
      ),
      steps: [
        crash,
        { write: { go: '' }, do: 'resume RUN', says: { status: 'completed' }, count: 2 },
      ],
    },
    {
      it: 'of what is idempotent is no question: it is asked again with the same key',
      nodes: stuck(', idempotent: true'),
      steps: [
        crash,
        { write: { go: '' }, do: 'resume RUN', says: { status: 'completed' }, count: 2 },
      ],
    },
    {
      it: 'stands where nobody can be asked',
      nodes: stuck(),
      steps: [
        crash,
        {
          do: 'resume RUN --no-gates',
          exit: 3,
          says: { error: { kind: 'effect.outcome_unknown' } },
        },
      ],
    },
    {
      it: 'in a sub-workflow is asked about there',
      nodes: '- {name: a, type: workflow, workflow: ./child.yaml}',
      files: { 'child.yaml': workflow(stuck()) },
      steps: [
        crash,
        { do: 'resume RUN', exit: 5, says: { waiting: { reason: 'outcome', gate: 'a/a' } } },
      ],
    },
  ]);
});
