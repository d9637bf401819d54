import { describe, expect, it } from 'vitest';
import { memoryFiles, SMALL } from './files.cases.ts';
import { loadWorkflow, type LoadResult } from './load-workflow.ts';

function load(files: Record<string, string>, environment: Record<string, string> = {}): LoadResult {
  return loadWorkflow('flows/main.yaml', memoryFiles(files), environment);
}

const WITH_PROMPT = `workflow: {name: x, entry_point: a}
nodes:
  - name: a
    prompt: !file prompts/a.md
`;

describe('!file', () => {
  it('reads a text file as text, from the folder of the including file', () => {
    const result = load({
      'flows/main.yaml': WITH_PROMPT,
      'flows/prompts/a.md': 'Note: this looks like YAML\n- and this too\n',
    });
    expect(result).toMatchObject({
      plan: { nodes: [{ prompt: 'Note: this looks like YAML\n- and this too\n' }] },
    });
  });

  it.each([
    ['x.yaml', '- {to: $end}\n', [{ move: { type: 'to' } }]],
    ['x', '- {to: $end}\n', [{ move: { type: 'to' } }]],
    ['x.json', '[{"to": "$end"}]', [{ move: { type: 'to' } }]],
  ])('splices a list from %s', (name, text, routes) => {
    const main = SMALL.replace('value: 1', `value: 1, routes: !file ${name}`);
    expect(load({ 'flows/main.yaml': main, [`flows/${name}`]: text })).toMatchObject({
      plan: { nodes: [{ routes }] },
    });
  });

  it('reads a file without an extension as text unless it is a map or a list', () => {
    const main = SMALL.replace('value: 1', 'value: !file x');
    expect(load({ 'flows/main.yaml': main, 'flows/x': 'a: b: c' })).toMatchObject({
      plan: { nodes: [{ value: 'a: b: c' }] },
    });
    expect(load({ 'flows/main.yaml': main, 'flows/x': '12' })).toMatchObject({
      plan: { nodes: [{ value: '12' }] },
    });
  });

  it('includes from an included file, relative to it', () => {
    const result = load({
      'flows/main.yaml': SMALL.replace('{name: a, type: set, value: 1}', '!file parts/node.yaml'),
      'flows/parts/node.yaml': 'name: a\nprompt: !file text.txt\n',
      'flows/parts/text.txt': 'Hello',
    });
    expect(result).toMatchObject({
      plan: {
        nodes: [
          {
            prompt: 'Hello',
            location: { file: 'flows/parts/node.yaml', pointer: '/nodes/0', line: 1, column: 1 },
          },
        ],
      },
    });
  });

  it('points into the included file', () => {
    const result = load({
      'flows/main.yaml': SMALL.replace('{name: a, type: set, value: 1}', '!file node.yaml'),
      'flows/node.yaml': 'name: a\npromt: hello\n',
    });
    expect(result).toMatchObject({
      ok: false,
      diagnostics: [
        {
          code: 'unknown-key',
          file: 'flows/node.yaml',
          pointer: '/nodes/0/promt',
          line: 2,
          column: 1,
          suggestion: 'prompt',
        },
      ],
    });
  });

  it('reports YAML errors of an included file', () => {
    const result = load({
      'flows/main.yaml': SMALL.replace('{name: a, type: set, value: 1}', '!file node.yaml'),
      'flows/node.yaml': 'name: a\n\tprompt: x\n',
    });
    expect(result).toMatchObject({
      ok: false,
      diagnostics: expect.arrayContaining([
        expect.objectContaining({ code: 'yaml-tab', file: 'flows/node.yaml', line: 2 }),
      ]),
    });
  });

  it.each([
    ['a missing file', {}, 'include-unreadable'],
    ['a file that includes itself', { 'flows/prompts/a.md': '' }, undefined],
  ])('%s', (_, files, code) => {
    const result = load({ 'flows/main.yaml': WITH_PROMPT, ...files });
    expect(result.diagnostics.map((each) => each.code)).toEqual(
      code === undefined ? ['bad-value'] : [code],
    );
  });

  it('refuses a cycle and names its files', () => {
    const result = load({
      'flows/main.yaml': SMALL.replace('{name: a, type: set, value: 1}', '!file a.yaml'),
      'flows/a.yaml': 'name: a\ntype: set\nvalue: !file b.yaml\n',
      'flows/b.yaml': '[!file a.yaml]',
    });
    expect(result.diagnostics).toMatchObject([
      {
        code: 'include-cycle',
        file: 'flows/b.yaml',
        message: 'Files include each other in a cycle: flows/a.yaml → flows/b.yaml → flows/a.yaml',
      },
    ]);
  });

  it('refuses files that multiply', () => {
    const files: Record<string, string> = { 'flows/main.yaml': 'a: [!file 0.yaml]' };
    for (let n = 0; n < 20; n++)
      files[`flows/${n}.yaml`] = `[!file ${n + 1}.yaml, !file ${n + 1}.yaml]`;
    files['flows/20.yaml'] = '[x]';
    expect(load(files).diagnostics.map(({ code }) => code)).toEqual(['include-too-many']);
  });

  it('refuses a map or an empty value as its path', () => {
    expect(
      load({ 'flows/main.yaml': 'a: !file {x: 1}' }).diagnostics.map(({ code }) => code),
    ).toContain('yaml-tag');
  });

  it('loads the replies of a simulated model from a file', () => {
    const main = `workflow: {name: x, entry_point: a, runtime: {simulate: {careful: ./careful.sim.yaml}}}
nodes: [{name: a, model: sim/careful, prompt: hi}]
`;
    const result = load({
      'flows/main.yaml': main,
      'flows/careful.sim.yaml': '- {answer: ok, usage: {input_tokens: 2}, delay: 1.5s}\n',
    });
    expect(result).toMatchObject({
      plan: {
        runtime: {
          simulate: {
            careful: [{ type: 'answer', answer: 'ok', delayMs: 1500, usage: { inputTokens: 2 } }],
          },
        },
      },
    });
    expect(load({ 'flows/main.yaml': main }).diagnostics).toMatchObject([
      { code: 'include-unreadable' },
    ]);
  });
});

describe('sub-workflows', () => {
  const calling = (child: string, name = 'x'): string => `workflow: {name: ${name}, entry_point: a}
nodes: [{name: a, type: workflow, workflow: ${child}}]
`;

  it('are loaded once, however often they are called', () => {
    const reads: string[] = [];
    const files = memoryFiles({
      'main.yaml': `workflow: {name: m, entry_point: a}
nodes:
  - {name: a, type: workflow, workflow: sub/one.yaml}
  - {name: b, type: workflow, workflow: ./sub/one.yaml, input_mapping: {}}
for_each:
  - {name: c, source: workflow.input.x, as: x, agent: {name: d, type: workflow, workflow: sub/two.yaml}}
`,
      'sub/one.yaml': calling('two.yaml', 'one'),
      'sub/two.yaml': SMALL,
    });
    const result = loadWorkflow('main.yaml', {
      ...files,
      read: (path) => (reads.push(path), files.read(path)),
    });
    expect(reads).toEqual(['main.yaml', 'sub/one.yaml', 'sub/two.yaml']);
    if (!result.ok) throw new Error('not valid');
    expect(Object.keys(result.plan.children)).toEqual(['sub/one.yaml', 'sub/two.yaml']);
    expect(result.plan.nodes).toMatchObject([
      { workflow: 'sub/one.yaml' },
      { workflow: 'sub/one.yaml', inputMapping: {} },
      { member: { workflow: 'sub/two.yaml' } },
    ]);
    expect(result.plan.nodes[0]).not.toHaveProperty('inputMapping');
  });

  it('report their problems with their own file', () => {
    const result = load({
      'flows/main.yaml': calling('./child.yaml'),
      'flows/child.yaml': 'nodes: []',
    });
    expect(result).toMatchObject({
      ok: false,
      diagnostics: [
        { code: 'missing-key', file: 'flows/child.yaml', message: 'The file needs `workflow`' },
      ],
    });
  });

  it('are refused when they are missing', () => {
    expect(load({ 'flows/main.yaml': calling('./none.yaml') }).diagnostics).toMatchObject([
      { code: 'child-unreadable', pointer: '/nodes/0/workflow', line: 2, column: 45 },
    ]);
  });

  it('are refused when they call each other in a cycle', () => {
    const result = load({
      'flows/main.yaml': calling('./b.yaml'),
      'flows/b.yaml': calling('./c.yaml'),
      'flows/c.yaml': calling('./main.yaml'),
    });
    expect(result.diagnostics).toMatchObject([
      {
        kind: 'validation.workflow',
        code: 'workflow-cycle',
        file: 'flows/c.yaml',
        message:
          'Workflows call each other in a cycle: flows/main.yaml → flows/b.yaml → flows/c.yaml → flows/main.yaml',
      },
    ]);
    expect(load({ 'flows/main.yaml': calling('./main.yaml') }).diagnostics).toMatchObject([
      { code: 'workflow-cycle' },
    ]);
  });

  it('are loaded once when many paths lead to them', () => {
    const files: Record<string, string> = { 'flows/main.yaml': calling('./0.yaml') };
    for (let n = 0; n < 40; n++) {
      const call = (name: string): string =>
        `{name: ${name}, type: workflow, workflow: ./${n + 1}.yaml}`;
      files[`flows/${n}.yaml`] =
        `workflow: {name: n, entry_point: a}\nnodes: [${call('a')}, ${call('b')}]\n`;
    }
    files['flows/40.yaml'] = SMALL;
    expect(load(files).ok).toBe(true);
  });

  it('are refused when there are too many', () => {
    const files: Record<string, string> = {};
    for (let n = 0; n < 600; n++) files[`flows/${n}.yaml`] = calling(`./${n + 1}.yaml`);
    files['flows/main.yaml'] = calling('./0.yaml');
    expect(load(files).diagnostics.map(({ code }) => code)).toContain('child-too-many');
  });

  it('cannot be called without files', () => {
    expect(load({}).diagnostics).toMatchObject([
      { code: 'file-unreadable', file: 'flows/main.yaml', line: 1, column: 1, excerpt: '' },
    ]);
  });
});
