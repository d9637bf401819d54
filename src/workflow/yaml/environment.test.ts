import { describe, expect, it } from 'vitest';
import { expandEnvironment } from './environment.ts';
import { SMALL } from './files.cases.ts';
import { loadWorkflowText, type LoadResult } from './load-workflow.ts';

const ENV = {
  A: 'one',
  B: '${A}',
  EMPTY: '',
  N: '3',
  LOOP: '${LOOP}',
  D: '${A}-${B}',
  ERRAND_STORE: 'memory',
  ERRAND_HOME: '/runs',
};

describe('${VAR}', () => {
  it.each([
    ['plain', 'plain'],
    ['${A}', 'one'],
    ['x ${A} y ${A}', 'x one y one'],
    ['${B}', 'one'],
    ['${D}', 'one-one'],
    ['${NONE:-two}', 'two'],
    ['${NONE:-}', ''],
    ['${NONE:-${A}}', 'one'],
    ['${EMPTY:-two}', ''],
    ['$${A}', '${A}'],
    ['$A ${a} ${input.x} ${1} ${#A} ${A%x} $(A)', '$A ${a} ${input.x} ${1} ${#A} ${A%x} $(A)'],
    ['N=1; echo ${N} ${A}', 'N=1; echo ${N} one'],
    [
      'for X in a b; do read -r Y; echo ${X}${Y}; done',
      'for X in a b; do read -r Y; echo ${X}${Y}; done',
    ],
    ['${ERRAND_ATTEMPT} ${CONDUCTOR_ERROR_OUT}', '${ERRAND_ATTEMPT} ${CONDUCTOR_ERROR_OUT}'],
    ['${ERRAND_STORE} ${ERRAND_HOME}', 'memory /runs'],
  ])('in %j is %j', (text, expected) => {
    expect(expandEnvironment(text, ENV)).toEqual({ text: expected, missing: [] });
  });

  it('names what is missing and fills in the others', () => {
    expect(expandEnvironment('${X} ${A} ${Y} ${X}', ENV)).toMatchObject({ missing: ['X', 'Y'] });
  });

  it('stops at variables that refer to each other endlessly', () => {
    expect(expandEnvironment('${LOOP}', ENV).unresolved).toEqual({
      name: 'LOOP',
      why: 'refer to each other more than 10 deep',
    });
    const wide = Object.fromEntries(
      Array.from({ length: 9 }, (_, n) => [`V${n}`, `\${V${n + 1}}`.repeat(20)]),
    );
    expect(expandEnvironment('${V0}', { ...wide, V9: 'x' }).unresolved).toMatchObject({
      why: 'expand to more than 100000 characters',
    });
  });

  it('does not read inherited properties', () => {
    expect(expandEnvironment('${__PROTO__}', {})).toMatchObject({ missing: ['__PROTO__'] });
  });
});

describe('variables in a file', () => {
  const load = (text: string, environment = ENV): LoadResult =>
    loadWorkflowText(text, { file: 'a.yaml', environment });

  it('are read as YAML where they are the whole unquoted value', () => {
    const text = `workflow: {name: x, entry_point: a}
nodes:
  - name: a
    type: set
    value:
      - "\${A}"
      - \${N}
      - "\${N}"
      - \${NONE:-true}
      - x\${N}
`;
    expect(load(text)).toMatchObject({ plan: { nodes: [{ value: ['one', 3, '3', true, 'x3'] }] } });
  });

  it('are refused with their location when they are not set', () => {
    expect(
      load(SMALL.replace('name: small', 'description: "${TEAM}", name: small')).diagnostics,
    ).toMatchObject([
      {
        code: 'env-missing',
        pointer: '/workflow/description',
        line: 1,
        column: 26,
        message: 'The environment variable `TEAM` is not set',
        suggestion: 'Set it, or give it a default: `${TEAM:-default}`',
      },
    ]);
    expect(
      load(SMALL.replace('name: small', 'description: "${LOOP}", name: small')).diagnostics,
    ).toMatchObject([{ code: 'env-too-deep' }]);
  });

  it('are left to the program where its node sets them', () => {
    const text = SMALL.replace(
      'type: set, value: 1',
      'type: script, command: bash, args: ["-c", "echo ${REGION} ${A}"], env: {REGION: "${A}"}',
    );
    expect(load(text)).toMatchObject({
      plan: { nodes: [{ args: ['-c', 'echo ${REGION} one'], env: { REGION: 'one' } }] },
    });
  });

  it('must be quoted inside braces', () => {
    expect(load(SMALL.replace('name: small', 'name: ${A}')).diagnostics[0]).toMatchObject({
      code: 'yaml-syntax',
      suggestion: 'Put quotes around `${VAR}` inside `{ }` and `[ ]`',
    });
  });

  it('stay out of the plan where they are keys', () => {
    const text = `workflow:
  name: x
  entry_point: a
  runtime:
    provider: {name: openai, base_url: "http://\${A}", api_key: "\${KEY}", headers: {X-Key: "\${KEY}"}}
    mcp_servers: {s: {command: "\${A}", env: {TOKEN: "\${TOKEN}"}}}
nodes: [{name: a, prompt: hi}]
`;
    const result = load(text, { ...ENV, KEY: 'sk-1234567890', TOKEN: 'tok-1' } as never);
    expect(result).toMatchObject({
      ok: true,
      secrets: ['sk-1234567890', 'tok-1'],
      plan: {
        runtime: {
          provider: { baseUrl: 'http://${A}', apiKey: '${KEY}', headers: { 'X-Key': '${KEY}' } },
          mcpServers: { s: { command: '${A}', env: { TOKEN: '${TOKEN}' } } },
        },
      },
    });
    expect(load(text).diagnostics.map(({ code }) => code)).toEqual([
      'env-missing',
      'env-missing',
      'env-missing',
    ]);
  });

  it('are secrets too where a file has the key itself', () => {
    const text = SMALL.replace(
      'entry_point: a',
      'entry_point: a, runtime: {provider: {name: openai, api_key: written-out}}',
    );
    expect(load(text)).toMatchObject({ ok: true, secrets: ['written-out'] });
  });
});
