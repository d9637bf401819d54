import { describe, expect, it } from 'vitest';
import { CODES, type DiagnosticCode } from '../diagnostics/diagnostic-codes.ts';
import { renderDiagnostic, type Diagnostic } from '../diagnostics/diagnostics.ts';
import { loadWorkflowText } from '../yaml/load-workflow.ts';
import { REFUSED_FILES, REFUSED_HEADERS, REFUSED_NODES } from './refused-files.cases.ts';
import {
  AGENT,
  FILE,
  HEADER,
  NODE,
  REFUSED_AGENTS,
  REFUSED_ROUTES,
  REFUSED_TABLES,
  ROUTE,
  type Expected,
  type Refused,
} from './refused.cases.ts';

function rows(cases: readonly Refused[]): { written: string; expected: Expected }[] {
  return cases.map(([written, ...expected]) => ({ written, expected }));
}

function diagnose(text: string): readonly Diagnostic[] {
  return loadWorkflowText(text, { file: 'a.yaml' }).diagnostics;
}

/** The source text at the position of a diagnostic, up to the end of its word. */
function pointedAt(text: string, { line, column }: Diagnostic): string {
  const row = text.split('\n')[line - 1] ?? '';
  return /^[\w$.{["*-]+/.exec(row.slice(column - 1))?.[0] ?? '';
}

function check(template: string, written: string, [code, at, suggestion]: Expected): Diagnostic {
  const text = template.replace('«»', () => written);
  const found = diagnose(text);
  expect(found.map((each) => each.code)).toEqual([code]);
  const [diagnostic] = found;
  if (diagnostic === undefined) throw new Error('no diagnostic');
  expect(pointedAt(text, diagnostic)).toBe(at);
  expect(diagnostic.suggestion).toBe(suggestion);
  seen.add(code);
  return diagnostic;
}

const seen = new Set<DiagnosticCode>();

describe('a route', () => {
  it.each(rows(REFUSED_ROUTES))('$written', ({ written, expected }) => {
    check(ROUTE, written, expected);
  });

  it.each([
    '{on_error: true, to: b}',
    '{on_error: order.missing, to: b}',
    '{on_error: [order.odd, provider.auth, "tool.*"], halt: {message: "{{ error.message }}"}}',
    '{on_error: "order.*", ask: {options: [retry, abort], timeout: 24h}}',
    '{on_error: assert.failed, park: {for: 15m, max: 3}}',
    '{on_error: true, ask: true}',
    '{on_error: true, halt: true}',
    '{on_error: true, propagate: true, when: error.retryable}',
    '{halt: {message: done}, when: "{{ output.x }}"}',
    '{on_error: provider.rate_limited, retry: {max: 100, backoff: none, initial_seconds: 0, jitter: 1}}',
  ])('may be %s', (written) => {
    expect(diagnose(ROUTE.replace('«»', () => written))).toEqual([]);
  });
});

describe('a table of routes', () => {
  const table = (routes: string): string => AGENT.replace('«»', () => `routes: ${routes}`);

  it.each(rows(REFUSED_TABLES))('$written', ({ written, expected }) => {
    check(AGENT, `routes: ${written}`, expected);
  });

  it.each([
    '[{to: b}, {on_error: true, retry: {max: 1}}, {on_error: true, ask: true}, {on_error: true, to: b}]',
    '[{on_error: true, when: "x", to: b}, {on_error: true, to: b}, {to: b}]',
    '[{on_error: true, to: b}, {to: b}]',
    '[]',
  ])('may be %s', (routes) => {
    expect(diagnose(table(routes))).toEqual([]);
  });

  it('of the workflow handles failures only', () => {
    check(HEADER, 'on_error: [{to: a}]', [
      'error-table-route',
      '{to',
      'Add `on_error: true`, or the kinds it is for',
    ]);
    check(HEADER, 'on_error: [{on_error: true, to: a}, {on_error: provider.auth, to: a}]', [
      'catch-all-not-last',
      'true',
      'Move this route to the end of the table',
    ]);
    expect(
      diagnose(HEADER.replace('«»', 'on_error: [{on_error: my.own, park: {for: 15m}}]')),
    ).toEqual([]);
  });
});

describe('an agent', () => {
  it.each(rows(REFUSED_AGENTS))('with $written', ({ written, expected }) => {
    check(AGENT, written, expected);
  });
});

describe('a node', () => {
  it.each(rows(REFUSED_NODES))('$written', ({ written, expected }) => {
    check(NODE, written, expected);
  });

  it('refuses a default that asks for text, which nobody can enter when a gate expires', () => {
    const gate = (option: string): string =>
      `{name: a, type: human_gate, prompt: x, timeout: 1h, options: [${option}], default: late}`;
    expect(diagnose(NODE.replace('«»', gate('{value: late}')))).toEqual([]);
    check(NODE, gate('{value: late, prompt_for: why}'), [
      'bad-value',
      'late',
      'Add an option without `prompt_for` for this, or remove `default` and route `gate.expired`',
    ]);
  });

  it('needs no success route where every option of a gate has a route', () => {
    const gate = (option: string): string =>
      `{name: a, type: human_gate, prompt: x, options: [${option}], routes: [{on_error: gate.expired, to: b}]}`;
    expect(diagnose(NODE.replace('«»', gate('{value: x, route: b}')))).toEqual([]);
    check(NODE, gate('{value: x}'), [
      'no-success-route',
      'routes',
      'Add `{to: $end}`, or a route to the next node',
    ]);
  });

  it.each([
    'exit_code == 0',
    '{{ output.exit_code in [0, 1] }}',
    "{{ a.output['exit_code'] }}",
    'a.output.exit_code == 0',
  ])('a script whose guard is %s accepts every exit code as a result', (guard) => {
    const text = NODE.replace(
      '«»',
      () => `{name: a, type: script, command: x, routes: [{to: b, when: "${guard}"}]}`,
    );
    expect(loadWorkflowText(text, { file: 'a.yaml' })).toMatchObject({
      plan: { nodes: [{}, { exitCodes: 'any' }] },
      diagnostics: [{ code: 'exit-codes-any', severity: 'info' }],
    });
  });

  it('a script may list the exit codes that are results', () => {
    const text = NODE.replace(
      '«»',
      '{name: a, type: script, command: x, exit_codes: [0, 7], routes: [{to: b, when: "exit_code == 7"}, {to: b}]}',
    );
    expect(loadWorkflowText(text, { file: 'a.yaml' })).toMatchObject({
      plan: { nodes: [{}, { exitCodes: [0, 7] }] },
      diagnostics: [],
    });
  });

  it.each(['my_exit_code == 0', "{{ output.text == 'exit_code' }}", '{{ b.output.exit_code }}'])(
    'a script whose guard is %s does not',
    (guard) => {
      const text = NODE.replace(
        '«»',
        () => `{name: a, type: script, command: x, routes: [{to: b, when: "${guard}"}]}`,
      );
      expect(diagnose(text)).toEqual([]);
    },
  );
});

describe('a file', () => {
  it.each(rows(REFUSED_FILES))('with $written', ({ written, expected }) => {
    check(FILE, written, expected);
  });

  it('may have groups of groups', () => {
    const written = `parallel: [{name: p, agents: [a, f], max_concurrent: 2}]
for_each: [{name: f, source: "{{ x }}", as: i, agent: {name: g, type: parallel, agents: [b]}}]`;
    expect(diagnose(FILE.replace('«»', written))).toEqual([]);
  });
});

describe('the header', () => {
  it.each(rows(REFUSED_HEADERS))('with $written', ({ written, expected }) => {
    check(HEADER, written, expected);
  });

  it('accepts keys of Conductor’s files that are meant for readers', () => {
    const written = `description: x
  version: 1.10
  metadata: {team: [a]}
  instructions: [Be brief.]
  cost: {show_per_agent: true, show_summary: false, pricing: {openai/x: {input_per_mtok: 1, output_per_mtok: 2.5}}}
  runtime: {provider: claude, default_model: sonnet}`;
    expect(loadWorkflowText(HEADER.replace('«»', written), { file: 'a.yaml' })).toMatchObject({
      plan: {
        version: '1.10',
        instructions: ['Be brief.'],
        prices: {
          'openai/x': { inputUsdMicrosPerMtok: 1_000_000, outputUsdMicrosPerMtok: 2_500_000 },
        },
        runtime: { provider: { name: 'anthropic' }, defaultModel: [{ model: 'anthropic/sonnet' }] },
      },
    });
  });
});

describe('kinds of diagnostics', () => {
  it.each([
    [FILE.replace('«»', 'ouput: {}'), 'validation.workflow'],
    [HEADER.replace('«»', 'inputs: {}'), 'validation.workflow'],
    [AGENT.replace('«»', 'promt: {}'), 'validation.node_config'],
    [AGENT.replace('«»', 'sandbox: {}'), 'validation.unsupported'],
    [ROUTE.replace('«»', '{on_error: true, to: c}'), 'validation.workflow'],
    [ROUTE.replace('«»', '{to: b, halt: true}'), 'validation.node_config'],
    ['a: b: c', 'validation.workflow'],
  ])('%j is %s', (text, kind) => {
    expect(diagnose(text)[0]).toMatchObject({ kind, severity: 'error' });
  });

  it('are shown with their position, the line and a caret', () => {
    const diagnostic = check(ROUTE, '{on_error: provider.rate_limitd, to: b}', [
      'unknown-kind',
      'provider.rate_limitd',
      'provider.rate_limited',
    ]);
    expect(diagnostic.pointer).toBe('/nodes/1/routes/1/on_error');
    expect(renderDiagnostic(diagnostic)).toBe(
      `a.yaml:10:20 error: The catalog has no kind \`provider.rate_limitd\`, and its prefix is reserved for Errand [unknown-kind]
   9 |       - {to: $end}
  10 |       - {on_error: provider.rate_limitd, to: b}
     |                    ^^^^^^^^^^^^^^^^^^^^
  did you mean \`provider.rate_limited\`?`,
    );
  });

  it('each have a case in these tables, except those of YAML and files', () => {
    const testedByLoader = /^(file|yaml|include|env|child|workflow)-|^duplicate-key$/;
    const own = Object.keys(CODES).slice(0, Object.keys(CODES).indexOf('workflow-cycle') + 1);
    expect(
      own.filter((code) => !testedByLoader.test(code) && !seen.has(code as DiagnosticCode)),
    ).toEqual([]);
  });
});

describe('a mistake that others follow from', () => {
  const codes = (text: string): readonly string[] =>
    diagnose(text).map(({ code, suggestion }) => `${code}: ${suggestion ?? ''}`);
  const head = 'workflow: {name: x, entry_point: a}';

  it.each([
    `nodes: [{name: a, typ: script, command: bash, args: [-c, x], routes: [{to: $end}]}]`,
    `nodes: [{name: a, typ: human_gate, prompt: Pay, options: [yes, no]}]`,
    `nodes: [{name: a, typ: terminate, status: failed}]`,
    `nodes: [{name: a, tpye: agnt, command: bash}]`,
    `for_each: [{name: a, source: x, as: i, agent: {name: b, typ: script, command: bash}}]`,
  ])('is the misspelt type of a node: %s', (nodes) => {
    expect(codes(`${head}\n${nodes}\n`)).toEqual(['unknown-key: type']);
  });

  it('leaves the mistakes of other nodes', () => {
    const nodes = '{name: a, typ: script, command: bash}, {name: b, type: script, comand: bash}';
    expect(codes(`${head}\nnodes: [${nodes}]\n`)).toEqual([
      'unknown-key: type',
      'unknown-key: command',
    ]);
  });

  it('leaves a key like `type` beside a type', () => {
    expect(codes(`${head}\nnodes: [{name: a, type: script, typ: x}]\n`)).toEqual([
      'missing-key: Add `command`, for example `command: bash`',
      'unknown-key: type',
    ]);
  });

  it.each([
    ['node: [{name: a, type: set, value: 1, routes: [{to: b}]}]', 'unknown-key: nodes'],
    ['nodes:', 'wrong-type: '],
    [
      'nodes: {name: a, type: set, value: 1}',
      'wrong-type: Begin each node with `- `, for example `- name: a`',
    ],
    [
      'nodes: {a: {type: set, value: 1}}',
      'wrong-type: Begin each node with `- `, for example `- name: a`',
    ],
    ['nodes: [{nme: a, type: set, value: 1}]', 'unknown-key: name'],
  ])('is a list of nodes that cannot be read: %s', (nodes, problem) => {
    expect(codes(`${head}\n${nodes}\n`)).toEqual([problem]);
  });
});

describe('a short form', () => {
  const suggested = (header: string, node: string): string | undefined => {
    const text = `workflow: {name: x, entry_point: a${header}}\nnodes: [{name: a${node}}]\n`;
    return diagnose(text)[0]?.suggestion;
  };

  it.each([
    [', prompt: x, tools: none', '[]'],
    [', prompt: x, tools: http_fetch', '[http_fetch]'],
    [', type: script, command: bash, args: -c', '["-c"]'],
    [', type: script, command: bash, raises: order.odd', '[order.odd]'],
    [', prompt: x, output: {n: {type: str}}', 'string'],
    [', prompt: x, output: {n: {type: int}}', 'integer'],
    [', prompt: x, budget: {usd: $0.5}', '0.5'],
  ])('in a node gets the long one: %s', (node, form) => {
    expect(suggested('', node)).toBe(form);
  });

  it('of an amount gets the number', () => {
    expect(suggested(', limits: {budget_usd: $0.5}', ', type: set, value: 1')).toBe('0.5');
    expect(suggested(', limits: {budget_tokens: $5}', ', type: set, value: 1')).toBeUndefined();
  });

  it('of a gate is none of a route that asks', () => {
    expect(
      suggested(
        '',
        ', prompt: x, routes: [{to: $end}, {on_error: true, ask: {options: [retry, cancel]}}]',
      ),
    ).toBeUndefined();
    expect(suggested('', ', type: human_gate, prompt: x, options: [yes, no]')).toBe(
      '{value: "yes"}',
    );
  });

  it('of the header gets an example', () => {
    const nodes = 'nodes: [{name: a, type: set, value: 1}]\n';
    expect(diagnose(nodes)[0]?.suggestion).toBe(
      'Add `workflow`, for example `workflow: {name: hello, entry_point: a}`',
    );
    expect(diagnose(`workflow: hello\n${nodes}`)[0]?.suggestion).toBe(
      '{name: hello, entry_point: a}',
    );
  });
});
