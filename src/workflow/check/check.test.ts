import { describe, expect, it } from 'vitest';
import { memoryFiles } from '../yaml/files.cases.ts';
import { validateWorkflow, type Validation } from './validate-workflow.ts';
import { found, validate } from './cases/small-file.cases.ts';

describe('the handling of a failure', () => {
  const { files } = validate(
    `
  - name: a
    type: script
    command: "true"
    args: ["{{ attempt }}"]
    timeout_seconds: 5
    raises: [order.missing]
    idempotent: true
    routes:
      - {to: $end}
      - {on_error: order.missing, retry: {max: 2}}
      - {on_error: internal.script_error, halt: {message: no}, when: "{{ error.message == 'x' }}"}
      - {on_error: "internal.*", to: b}
  - {name: b, type: set, value: 1}
`,
    { header: '  on_error:\n    - {on_error: order.missing, park: {for: 1m}}\n' },
  );
  const report = files[0]?.nodes['a'];

  it('covers exactly the kinds that the node can fail with', () => {
    expect(report?.raises).toEqual([
      'internal.envelope_invalid',
      'internal.output_too_large',
      'internal.script_error',
      'internal.script_timeout',
      'internal.script_unspawnable',
      'order.missing',
      'route.guard_failed',
      'validation.template',
    ]);
  });

  it('is reported for each kind, through both tables and past guards', () => {
    expect(report?.routes).toMatchObject({
      'order.missing': 'retry #1, then park #0 of the workflow',
      'internal.script_error': 'halt #2 if its guard holds, then to b',
      'internal.script_timeout': 'to b',
      'validation.template': 'the default',
    });
  });

  it('lists the kinds that no route handles', () => {
    expect(report?.unhandled).toEqual(['route.guard_failed', 'validation.template']);
  });

  it('asks a person by default after an unknown outcome', () => {
    const { files: other } = validate('  - {name: a, type: script, command: "true"}\n');
    expect(other[0]?.nodes['a']?.routes['effect.outcome_unknown']).toBe('ask by default');
    expect(other[0]?.nodes['a']?.unhandled).not.toContain('effect.outcome_unknown');
  });

  it('skips a retry whose schedule is used up', () => {
    const { files: other } = validate(`
  - name: a
    prompt: Hi
    model: sim/x
    routes: [{to: $end}, {on_error: "provider.*", retry: {max: 2}}, {on_error: true, to: $end}]
`);
    expect(other[0]?.nodes['a']?.routes).toMatchObject({
      'provider.exhausted': 'to $end',
      'provider.auth': 'retry #1, then to $end',
    });
  });

  it('ends a node with a transient kind only where a route names it', () => {
    const kinds = (routes: string): readonly string[] =>
      validate(`  - {name: a, prompt: Hi, model: sim/x, routes: [{to: $end}, ${routes}]}\n`)
        .files[0]?.nodes['a']?.raises ?? [];
    expect(kinds('{on_error: true, to: $end}')).not.toContain('provider.rate_limited');
    expect(kinds('{on_error: provider.rate_limited, to: $end}')).toContain('provider.rate_limited');
  });
});

describe('children', () => {
  const child = (routes: string): string => `
workflow: {name: c, entry_point: x}
nodes: [{name: x, type: script, command: "true", raises: [order.missing], routes: [{to: $end}, ${routes}]}]
`;

  it('propagate what they do not handle', () => {
    const { files } = validate('  - {name: a, type: workflow, workflow: ./c.yaml}\n', {
      files: { 'c.yaml': child('{on_error: order.missing, to: $end}') },
    });
    expect(files[0]?.nodes['a']?.raises).toContain('internal.script_error');
    expect(files[0]?.nodes['a']?.raises).not.toContain('order.missing');
  });

  it('are listed after the file that calls them', () => {
    const { files } = validate('  - {name: a, type: workflow, workflow: ./c.yaml}\n', {
      files: { 'c.yaml': child('{on_error: true, propagate: true}') },
    });
    expect(files.map(({ file }) => file)).toEqual(['main.yaml', 'c.yaml']);
    expect(files[1]?.diagnostics).toEqual([]);
  });

  it('may propagate, the top-level file may not', () => {
    const node =
      '  - {name: a, type: set, value: 1, routes: [{to: $end}, {on_error: true, propagate: true}]}\n';
    expect(found(validate(node))).toEqual([
      'info propagate-at-top: `propagate` needs a caller; this file cannot run on its own',
    ]);
    const asTop = validate(node, { options: { asTop: true } });
    expect(asTop.isValid).toBe(false);
  });
});

describe('strict', () => {
  const node = '  - {name: a, type: set, value: "{{ attempt }}"}\n';

  it('requires routes or an explicit `on_unhandled`', () => {
    expect(validate(node).isValid).toBe(true);
    expect(found(validate(node, { options: { strict: true } }))).toEqual([
      'error unhandled-kind: `a` has no route for the failure `validation.template`',
    ]);
    expect(
      validate(node, { header: '  on_unhandled: fail\n', options: { strict: true } }).isValid,
    ).toBe(true);
  });

  it('turns warnings into refusals', () => {
    const nodes = `${node}  - {name: b, type: set, value: 1}\n`;
    const header = '  on_unhandled: fail\n';
    expect(validate(nodes, { header }).isValid).toBe(true);
    expect(validate(nodes, { header, options: { strict: true } }).isValid).toBe(false);
  });
});

describe('the flow', () => {
  it.each([
    [
      'a node that nothing leads to',
      '  - {name: a, type: set, value: 1}\n  - {name: b, type: set, value: 1}\n',
      'warning unreachable-node: No route leads to `b`',
    ],
    [
      'a loop that only the default bounds',
      '  - {name: a, type: set, value: 1, routes: [{to: a, when: "{{ false }}"}, {to: $end}]}\n',
      'warning endless-loop: Only the default `max_iterations` of 1000 bounds the loop of a to itself',
    ],
    [
      'a node without a way out',
      '  - {name: a, type: set, value: 1, routes: [{to: a}]}\n',
      'warning no-way-out: From `a` the workflow can never end',
    ],
    [
      'a success route behind one that is always taken',
      '  - {name: a, type: set, value: 1, routes: [{to: $end}, {to: a}]}\n',
      'warning never-matches: This route can never match: an earlier route without a guard is always taken first',
    ],
    [
      'a route for what the node cannot fail with',
      '  - {name: a, type: set, value: 1, routes: [{to: $end}, {on_error: provider.auth, to: $end}]}\n',
      'warning never-matches: This route can never match: `a` cannot fail with that',
    ],
    [
      'a route for a kind that an earlier prefix takes',
      '  - {name: a, type: script, command: "true", routes: [{to: $end}, {on_error: "order.*", to: $end}, {on_error: order.missing, to: $end}]}\n',
      'warning never-matches: This route can never match: earlier routes take all of its kinds',
    ],
    [
      'a route for a prefix that an earlier prefix takes',
      '  - {name: a, type: call, function: f, routes: [{to: $end}, {on_error: [my.own, "order.*"], to: $end}, {on_error: ["order.line.*", my.own], park: true}]}\n',
      'warning never-matches: This route can never match: earlier routes take all of its kinds',
    ],
    [
      'a retry around tools',
      '  - {name: a, prompt: Hi, model: sim/x, tools: [lookup], routes: [{to: $end}, {on_error: agent.output_invalid, retry: {max: 1}}]}\n',
      'warning retry-around-tools: A retry restarts `a`: repeated tool calls return their logged results, but new calls run whatever was done before; not all of its tools are known to be idempotent',
    ],
  ])('warns of %s', (_, nodes, warning) => {
    const validation = validate(nodes);
    expect(found(validation)).toContain(warning);
    expect(validation.isValid).toBe(true);
  });

  it.each([
    [
      'that cannot fail with what leads to it',
      'provider.exhausted',
      '{name: h, type: script, command: "true", routes: [{to: $end}]}',
    ],
    ['that cannot fail', 'true', '{name: h, type: set, value: 1}'],
    [
      'that handles its own failures',
      'true',
      '{name: h, type: script, command: "true", routes: [{to: $end}, {on_error: true, halt: {message: no}}]}',
    ],
  ])('sees no loop in a handler of the whole file %s', (_, kind, handler) => {
    const nodes = `  - {name: a, prompt: Hi, model: sim/x, tools: []}\n  - ${handler}\n`;
    const header = `  on_error: [{on_error: ${kind}, to: h}]\n`;
    expect(found(validate(nodes, { header }))).toEqual([]);
  });

  it.each([
    ['kind', 'internal.script_error', ''],
    ['guard', 'true', ', when: "{{ output.exit_code == 0 }}"'],
  ])('warns of a handler of the whole file whose own %s leads back to it', (_, kind, guard) => {
    const nodes = `  - {name: a, prompt: Hi, model: sim/x, tools: []}
  - {name: h, type: script, command: "true", routes: [{to: $end${guard}}, {on_error: route.no_match, halt: {message: no}}]}
`;
    const header = `  on_error: [{on_error: ${kind}, to: h}]\n`;
    expect(found(validate(nodes, { header }))).toContain(
      'warning endless-loop: Only the default `max_iterations` of 1000 bounds the loop of h to itself',
    );
  });

  it('advises to handle a failure at the handler itself, and so says what ends the loop', () => {
    const nodes = (routes: string) =>
      `  - {name: a, prompt: Hi, model: sim/x, tools: []}\n  - {name: h, type: script, command: "true"${routes}}\n`;
    const header = '  on_error: [{on_error: true, to: h}]\n';
    const loop = validate(nodes(''), { header })
      .files.flatMap(({ diagnostics }) => diagnostics)
      .find(({ code }) => code === 'endless-loop');
    expect(loop?.suggestion).toBe(
      'Handle the failures of `h` at the node itself, as with `{on_error: true, halt: true}` in its routes, or set `workflow.limits.max_iterations` explicitly',
    );
    const cured = nodes(', routes: [{to: $end}, {on_error: true, halt: true}]');
    expect(found(validate(cured, { header }))).toEqual([]);
  });

  it('accepts a loop that the file bounds itself', () => {
    const nodes =
      '  - {name: a, type: set, value: 1, routes: [{to: a, when: "{{ false }}"}, {to: $end}]}\n';
    expect(found(validate(nodes, { header: '  limits: {max_iterations: 5}\n' }))).toEqual([]);
  });
});

describe('names', () => {
  const two = (second: string, header = ''): string[] =>
    found(
      validate(`  - {name: a, type: set, values: {n: 1}, routes: [{to: b}]}\n  - ${second}\n`, {
        header,
      }),
    );
  const set = (template: string): string => `{name: b, type: set, value: "${template}"}`;

  it.each([
    ['{{ nope.x }}', 'error unknown-name: Nothing is called `nope` here'],
    ['{{ a.output.m }}', 'error unknown-field: `a.output` has no `m`'],
    ['{{ a.outptu.n }}', 'error unknown-name: `a` has no `outptu`'],
    ['{{ workflow.input.x }}', 'error unknown-input: `workflow.input` has no `x`'],
    ['{{ state.tags }}', 'error unknown-name: `state` has no `tags`'],
    [
      '{{ failing.error.kind }}',
      'error never-failing: No error route leads to `b`, so `failing` never exists',
    ],
    ['{{ b.output }}', 'error never-ran: `b` can never have run before `b`'],
    ['{{ output.n }}', 'error unknown-name: Nothing is called `output` here'],
    ['{{ a.output.n', 'error template-syntax'],
  ])('refuses %s', (template, diagnostic) => {
    expect(two(set(template))[0]).toMatch(
      diagnostic.endsWith('syntax') ? /template-syntax/ : diagnostic,
    );
  });

  it.each([
    '{{ a.output.n }}',
    '{{ b.output.x | default(1) }}',
    '{{ workflow.name }}',
    '{{ attempt }}',
    "{{ failing.error.kind | default('none') }}",
    '{% for x in [1] %}{{ x }}{% endfor %}',
    '{{ a.output.n if a.error is defined else 1 }}',
  ])('accepts %s', (template) => {
    expect(two(set(template))).toEqual([]);
  });

  it('sees loop names inside the branch only, and members through their group', () => {
    const header = '  input: {xs: {type: array}}\n';
    const group = `
for_each:
  - {name: g, source: workflow.input.xs, as: x, agent: {name: m, type: set, value: "{{ x }}{{ _index }}"}, routes: [{to: b}]}
`;
    const nodes = (template: string): string => `  - {name: b, type: set, value: "${template}"}\n`;
    const of = (template: string): string[] => {
      const main = `workflow:\n  name: t\n  entry_point: g\n${header}agents:\n${nodes(template)}${group}`;
      return found(validateWorkflow('main.yaml', memoryFiles({ 'main.yaml': main }), {}));
    };
    expect(of('{{ g.outputs }}')).toEqual([]);
    expect(of('{{ x }}')).toEqual(['error unknown-name: Nothing is called `x` here']);
    expect(of('{{ m.output }}')).toEqual(['error never-ran: `m` can never have run before `b`']);
    expect(of('{{ g.count }}')).toEqual(['error unknown-name: `g` has no `count`']);
  });

  it.each([
    ['source: workflow.input.ys', 'unknown-input: `workflow.input` has no `ys`'],
    ['source: ys', 'unknown-name: Nothing is called `ys` here'],
    ['source: workflow.input.xs, key_by: y.id', 'unknown-name: Nothing is called `y` here'],
    ['source: workflow.input.xs, id: _key', 'unknown-name: Nothing is called `_key` here'],
    ['source: workflow.input.xs, key_by: x.id, id: _key', undefined],
    ['source: "workflow.input.xs | default([])"', undefined],
  ])('of a list are checked as in a template: %s', (fields, problem) => {
    const [group = '', id = 'x'] = fields.split(', id: ');
    const main = `workflow: {name: t, entry_point: g, input: {xs: {type: array}}}
for_each:
  - {name: g, ${group}, as: x, agent: {name: m, type: set, value: "{{ ${id} }}"}}
`;
    const validation = validateWorkflow('main.yaml', memoryFiles({ 'main.yaml': main }), {});
    expect(found(validation)).toEqual(problem === undefined ? [] : [`error ${problem}`]);
  });

  it('are checked in the `input` list of a node', () => {
    const listing = (item: string): string[] =>
      two(`{name: b, type: set, input: [${item}], value: 1}`, '  context: {mode: explicit}\n');
    expect(listing('a.output.n, b.output?, workflow.name')).toEqual([]);
    expect(listing('nope.output')).toEqual(['error unknown-name: Nothing is called `nope` here']);
    expect(listing('a.output.m?')).toEqual(['error unknown-field: `a.output` has no `m`']);
  });

  it('knows the fields of an answer at a gate', () => {
    const gate =
      '{name: a, type: human_gate, prompt: ok?, options: [{value: x, prompt_for: text}], routes: [{to: b}]}';
    const problemsOf = (text: string): readonly string[] =>
      found(validate(`  - ${gate}\n  - ${set(text)}\n`));
    const wrong = 'error unknown-field: `a.output.additional_input` is text, so it has no `text`';
    expect(problemsOf('{{ a.output.additional_input.text }}')).toEqual([wrong]);
    expect(problemsOf("{{ a.output.additional_input.text | default('') }}")).toEqual([wrong]);
    expect(problemsOf('{{ a.output.selected.value }}')).toEqual([
      'error unknown-field: `a.output.selected` is the value of an option, so it has no `value`',
    ]);
    expect(problemsOf('{{ a.output.additional_input.strip() }} {{ a.output.selected }}')).toEqual(
      [],
    );
    expect(problemsOf('{{ a.output.additional_input[0] }}')).toEqual([]);
    const own = gate.replace(
      '{to: b}',
      '{to: b, when: "{{ output.additional_input.text }}"}, {to: b}',
    );
    expect(found(validate(`  - ${own}\n  - ${set('done')}\n`))).toEqual([
      'error unknown-field: `output.additional_input` is text, so it has no `text`',
    ]);
  });

  it('knows that a declared text, number or boolean has no fields', () => {
    const call =
      '{name: a, type: call, function: f, output: {n: {type: number}, o: {type: object}}, routes: [{to: b}]}';
    const problemsOf = (text: string): readonly string[] =>
      found(validate(`  - ${call}\n  - ${set(text)}\n`));
    expect(problemsOf("{{ a.output.n.x | default('none') }}")).toEqual([
      'error unknown-field: `a.output.n` is a number, so it has no `x`',
    ]);
    expect(problemsOf('{{ a.output.o.x }}')).toEqual([]);
  });

  describe('in `output` of the node itself', () => {
    const problemsOf = (table: string): readonly string[] => {
      const node = `{name: a, type: call, function: f, output: {n: {type: number}}, ${table}}`;
      return found(validate(`  - ${node}\n  - ${set('done')}\n`)).filter((line) =>
        line.startsWith('error'),
      );
    };
    const wrong = 'error unknown-field: `output` has no `m`';

    it.each([
      'routes: [{to: b, when: "{{ output.m == 1 }}"}, {to: b}]',
      'routes: [{to: b, when: output.m == 1}, {to: b}]',
      'routes: [{to: b, when: "{{ output.m | default(1) }}"}, {to: b}]',
      'assert: [{that: "{{ output.m == 1 }}"}], routes: [{to: b}]',
      'assert: [{that: output.n == 1, message: "got {{ output.m }}"}], routes: [{to: b}]',
      'routes: [{halt: {message: "{{ output.m }}"}, when: output.n == 1}, {to: b}]',
    ])('refuses a field that it lacks after a success: %s', (table) => {
      expect(problemsOf(table)).toEqual([wrong]);
    });

    it.each([
      'assert: [{that: output.n == 1}], routes: [{to: b, when: output.n == 1}, {to: b}]',
      // what a failed node leaves behind need not have the declared form
      'routes: [{to: b}, {on_error: true, when: output.m == 1, to: b}]',
      'routes: [{to: b}, {on_error: true, halt: {message: "{{ output.m }}"}}]',
    ])('accepts %s', (table) => {
      expect(problemsOf(table)).toEqual([]);
    });
  });

  it('knows that a fixed list has items', () => {
    const list = (when: string): string =>
      `{name: a, type: set, value: [1, 2], routes: [{to: b, when: "${when}"}, {to: b}]}`;
    const problemsOf = (text: string): readonly string[] =>
      found(validate(`  - ${list(text)}\n  - ${set(text.replace('output', 'a.output'))}\n`));
    expect(problemsOf('{{ output[0] }}')).toEqual([]);
    expect(problemsOf('{{ output | length }}')).toEqual([]);
  });

  it('knows that a termination in a child gives an output of its own', () => {
    const problemsOf = (nodes: string, field: string): readonly string[] => {
      const files = {
        'c.yaml': `workflow: {name: c, entry_point: x}\n${nodes}\noutput: {a: 1}\n`,
      };
      const call = '{name: a, type: workflow, workflow: ./c.yaml, routes: [{to: b}]}';
      const text = set(`{{ a.output.${field} }}`);
      return found(validate(`  - ${call}\n  - ${text}\n`, { files }));
    };
    const end = 'type: terminate, status: success, output_template: {b: 5}';
    const member = `for_each:\n  - {name: x, source: "{{ [1] }}", as: i, agent: {name: m, ${end}}}`;
    for (const nodes of [`nodes:\n  - {name: x, ${end}}`, member]) {
      expect(problemsOf(nodes, 'b')).toEqual([]);
      expect(problemsOf(nodes, 'a')).toEqual([]);
      expect(problemsOf(nodes, 'd')).toEqual(['error unknown-field: `a.output` has no `d`']);
    }
    const plain = 'nodes:\n  - {name: x, type: terminate, status: success}';
    expect(problemsOf(plain, 'b')).toEqual(['error unknown-field: `a.output` has no `b`']);
  });

  it('shows the output of the file nothing of branches', () => {
    const of = (name: string, more = ''): readonly string[] =>
      found(
        validate(`  - {name: a, type: set, value: 1, routes: [{to: g}]}
  - {name: two, type: set, value: 2}
  - {name: s, type: supervisor, model: sim/m, prompt: go, manages: [held]}
  - {name: held, type: set, value: 3}
for_each:
  - name: g
    source: "{{ [1] }}"
    as: x
    agent: {name: one, type: set, value: 1, routes: [{to: two}]}
    routes: [{to: s}${more}]
output: {o: "{{ ${name} }}"}
`),
      );
    const only = (name: string): string =>
      `error never-ran: \`${name}\` runs in a branch only, and the \`output\` of the file sees nothing of branches`;
    for (const name of ['one', 'two', 'held']) expect(of(`${name}.output`)).toEqual([only(name)]);
    expect(of("two.output | default('')")).toEqual([]);
    expect(of('g.outputs')).toEqual([]);
    // it can run outside the branch too
    expect(of('two.output', ', {on_error: true, to: two}')).toEqual([]);
  });

  it('allows only names of the node before in last_only mode', () => {
    const header = '  context: {mode: last_only}\n';
    const hidden = (last: string, more = ''): string[] =>
      two(`{name: b, type: set, value: 2, routes: [{to: c}]}\n  - ${last}${more}`, header);
    expect(hidden('{name: c, type: set, value: "{{ b.output }}"}')).toEqual([]);
    expect(hidden('{name: c, type: set, value: "{{ a.output.n | default(0) }}"}')).toEqual([]);
    const reading = '{name: c, type: set, value: "{{ a.output.n }}"}';
    expect(hidden(reading)).toEqual([
      'error not-in-input: `c` sees only the node before it, because the context mode is last_only, and that is never `a`',
    ]);
    // routes see everything, and a member sees the node before its group
    expect(
      hidden(
        '{name: c, type: set, value: 1, routes: [{to: $end, when: "{{ a.output.n == 1 }}"}, {to: $end}]}',
      ),
    ).toEqual([]);
    expect(
      two(
        '{name: m, type: set, value: "{{ a.output.n }}"}\nparallel: [{name: b, agents: [m]}]',
        header,
      ),
    ).toEqual([]);
  });

  it('allows only listed names in explicit mode', () => {
    const header = '  context: {mode: explicit}\n';
    expect(two(set('{{ a.output.n }}'), header)).toEqual([
      'error not-in-input: `b` must list `a` in its `input`, because the context mode is explicit',
    ]);
    expect(
      two('{name: b, type: set, input: [a.output.n], value: "{{ a.output.n }}"}', header),
    ).toEqual([]);
    const listing = (item: string, text: string): readonly string[] =>
      two(`{name: b, type: set, input: [${item}], value: "${text}"}`, header);
    expect(listing('a.output.n?', '{{ a.output }} {{ a.output.items() }}')).toEqual([]);
    expect(listing('a', '{{ a.output.n }} {{ a.error.kind }}')).toEqual([]);
    expect(listing('a.error', '{{ a.output.n }}')).toEqual([
      'error not-in-input: `b` must list `a.output.n` in its `input`, because the context mode is explicit',
    ]);
  });

  it.each([
    // the output of a script is undeclared, so only names of other engines get a warning
    ['type: script, command: x', 'context.iteration < 4', undefined],
    ['type: script, command: x', 'context.turn < 4', 'error unknown-name'],
    ['type: script, command: x', 'inputs.n > 1', 'warning doubtful-name'],
    ['type: script, command: x', 'inputs.other > 1', undefined],
    ['type: script, command: x', 'output.context.iteration < 4', undefined],
    ['type: script, command: x', 'context', undefined],
    ['type: script, command: x', 'total > 1', undefined],
    // a declared output without that field is an error
    ['type: set, value: 1', 'total > 1', 'error unknown-name'],
    ['type: set, value: {total: 1}', 'total > 1', undefined],
    ['type: set, value: "{{ workflow.input.n }}"', 'total > 1', undefined],
    ['type: wait, duration: 1s', 'context.iteration < 4', undefined],
  ])('checks the names in a bare guard of {%s}: %s', (node, when, wanted) => {
    const nodes = `  - {name: a, ${node}, routes: [{to: $end, when: '${when}'}, {to: $end}]}\n`;
    const codes = found(validate(nodes, { header: '  input: {n: {type: number}}\n' }))
      .map((text) => text.replace(/:.*/, ''))
      .filter((text) => text.endsWith('-name'));
    expect(codes).toEqual(wanted === undefined ? [] : [wanted]);
  });

  it('knows the outputs of a group', () => {
    const group = (when: string): string[] =>
      found(
        validate(
          `  - {name: b, type: set, value: 1}\nparallel:\n  - {name: a, agents: [b], routes: [{to: $end, when: '${when}'}, {to: $end}]}\n`,
        ),
      );
    expect(group('outputs.b == 1')).toEqual([]);
    expect(group('errors | length == 0')).toEqual([]);
    expect(group('results.b == 1')).toEqual([
      'error unknown-name: Nothing is called `results` here',
    ]);
  });

  it('reads names in a bare guard as fields of the output', () => {
    const guard = (when: string): string[] =>
      found(
        validate(
          `  - {name: a, type: set, values: {n: 1}, routes: [{to: $end, when: "${when}"}, {to: $end}]}\n`,
        ),
      );
    expect(guard('n == 1')).toEqual([]);
    expect(guard('m == 1')).toEqual(['error unknown-name: Nothing is called `m` here']);
  });
});

describe('models and tools', () => {
  it.each([
    [
      '{name: a, prompt: Hi}',
      'error no-model: `a` has no model, and the file has no default model',
    ],
    [
      '{name: a, prompt: Hi, model: opneai/gpt}',
      'error unknown-model: No provider is called `opneai`',
    ],
    ['{name: a, prompt: Hi, model: gpt}', 'error unknown-model: The model `gpt` names no provider'],
    [
      '{name: a, prompt: Hi, model: [sim/x, sim/]}',
      'error unknown-model: `sim/` names a provider, but no model of it',
    ],
    [
      '{name: a, prompt: Hi, model: sim/x, tools: [files/read]}',
      'error unknown-server: The file declares no MCP server called `files`',
    ],
    [
      '{name: a, prompt: Hi, model: openai/o1-mini, tools: [x]}',
      'warning capability-missing: `openai/o1-mini` cannot call tools, which `a` needs',
    ],
  ])('checks %s', (node, diagnostic) => {
    expect(found(validate(`  - ${node}\n`))).toContain(diagnostic);
  });
});

describe('a for_each inside of a for_each', () => {
  const nested = (prompt: string): Validation =>
    validate('  - {name: a, type: set, value: [[1]], routes: [{to: g}]}\n', {
      header: `  runtime: {default_model: sim/x}
for_each:
  - name: g
    source: a.output
    as: row
    agent:
      name: inner
      type: for_each
      source: row
      as: cell
      agent: {name: leaf, tools: [], timeout_seconds: 1, prompt: "${prompt}"}
`,
    });

  it('is checked to its innermost node', () => {
    expect(found(nested('{{ row }} {{ cell }}'))).toEqual([]);
    expect(found(nested('{{ cel }}'))).toEqual([
      'error unknown-name: Nothing is called `cel` here',
    ]);
  });

  it('costs what its innermost node costs', () => {
    const { files } = nested('hi');
    expect(Object.keys(files[0]?.nodes ?? {})).toContain('leaf');
    expect(files[0]?.worstCase?.modelRequests).not.toBe(0);
  });
});

it('a member of a parallel group puts out what the last node of its branch does', () => {
  const verdict = validate(
    `  - {name: ask, type: set, values: {x: 1}, routes: [{to: tell}]}
  - {name: tell, type: script, command: bash, routes: [{to: $end}]}
  - {name: other, type: set, value: 1}
  - {name: end, type: set, value: "{{ a.outputs.ask.stdout }}"}
parallel:
  - {name: a, agents: [ask, other], routes: [{to: end}]}
`,
  );
  expect(found(verdict).filter((line) => line.includes('unknown'))).toEqual([]);
});

it('advises state to a node that reads itself', () => {
  const { files } = validate('  - {name: a, type: set, value: "{{ a.output }}"}\n');
  expect(files[0]?.diagnostics[0]?.suggestion).toBe(
    'A node cannot read its own output while it makes it; keep an earlier value in `state`',
  );
});
