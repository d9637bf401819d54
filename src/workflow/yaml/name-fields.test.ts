import { describe, expect, it } from 'vitest';
import { isPlainObject } from '../../errors/support/safe-json.ts';
import { workflowJsonSchema } from '../schema/workflow-json-schema.ts';
import { loadWorkflowText } from './load-workflow.ts';
import { isNameField } from './secret-values.ts';

const SECRET = 'Kx9-QwErTy-7781-zzPP';
const V = '"a${TOKEN}"';

const FILES: Readonly<Record<string, string>> = {
  workflow: `workflow: {name: ${V}, entry_point: a}
nodes: [{name: a, type: set, value: 1}]`,
  'entry point': `workflow: {name: t, entry_point: ${V}}
nodes: [{name: a, type: set, value: 1}]`,
  node: `workflow: {name: t, entry_point: a}
nodes: [{name: ${V}, type: set, value: 1}]`,
  'default of a variable': `workflow: {name: t, entry_point: a}
nodes: [{name: "a\${UNSET:-b}", type: set, value: 1}]`,
  'node of `agents`': `workflow: {name: t, entry_point: a}
agents: [{name: ${V}, type: set, value: 1}]`,
  route: `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: set, value: 1, routes: [{to: ${V}}]}]`,
  kind: `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: script, command: x, raises: [${V}]}]`,
  'kind of a route': `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: script, command: x, routes: [{to: $end}, {on_error: ${V}, to: $end}]}]`,
  'kind of an assertion': `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: set, value: 1, assert: [{that: "{{ true }}", raise: ${V}}]}]`,
  function: `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: call, function: ${V}}]`,
  tool: `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: tool, tool: ${V}}]`,
  'tool of an agent': `workflow: {name: t, entry_point: a}
nodes: [{name: a, prompt: x, model: sim/m, tools: [${V}]}]`,
  'route of an option': `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: human_gate, prompt: x, options: [{value: b, route: ${V}}]}]`,
  group: `workflow: {name: t, entry_point: a}
parallel: [{name: ${V}, agents: [a]}]
nodes: [{name: a, type: set, value: 1}]`,
  member: `workflow: {name: t, entry_point: g}
for_each: [{name: g, source: "{{ [1] }}", as: i, agent: {name: ${V}, type: set, value: 1}}]`,
};

describe('a name with ${VAR} is refused, and its value is not shown:', () => {
  it.each(Object.entries(FILES))('the name of a %s', (_, text) => {
    const loaded = loadWorkflowText(text, {
      file: 'a.yaml',
      environment: { TOKEN: SECRET },
    });
    const { diagnostics } = loaded;
    expect(loaded).not.toHaveProperty('plan');
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toContainEqual([
      'env-in-name',
      'error',
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain(SECRET);
  });

  it('other fields take it', () => {
    const text = `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: set, values: {name: ${V}, to: ${V}}}]`;
    const loaded = loadWorkflowText(text, { file: 'a.yaml', environment: { TOKEN: SECRET } });
    expect(loaded.diagnostics).toEqual([]);
  });
});

it('every field whose schema is a name or a kind counts as a name', () => {
  const fields = [...namedFields(workflowJsonSchema())];
  expect(fields).toContain('entry_point');
  const places = [
    'workflow',
    'nodes',
    'nodes.routes',
    'nodes.options',
    'nodes.questions',
    'nodes.assert',
    'for_each',
  ];
  const missing = fields.filter(
    (field) => !places.some((place) => isNameField([...place.split('.'), field])),
  );
  expect(missing).toEqual([]);
});

/** The keys whose text has the pattern of a name or of a kind. */
function* namedFields(schema: unknown): Generator<string> {
  if (Array.isArray(schema)) for (const item of schema) yield* namedFields(item);
  if (!isPlainObject(schema)) return;
  const properties: unknown = Reflect.get(schema, 'properties');
  if (isPlainObject(properties))
    for (const [key, value] of Object.entries(properties)) if (isNamed(value)) yield key;
  yield* namedFields(Object.values(schema));
}

const PATTERN_OF_NAMES = /A-Za-z_\]|a-z0-9_\]/;

function isNamed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(isNamed);
  if (!isPlainObject(schema)) return false;
  const pattern: unknown = Reflect.get(schema, 'pattern');
  if (typeof pattern === 'string' && PATTERN_OF_NAMES.test(pattern)) return true;
  return ['anyOf', 'oneOf', 'allOf', 'items'].some((key) => isNamed(Reflect.get(schema, key)));
}
