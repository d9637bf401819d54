/** The tools that a client lists: names, hints, schemas, roles, and how many. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { embedded, ERAS, folderWith, type Connected } from './clients.ts';
import { ALL, HELLO, many } from './workflows.ts';

const READING = ['get_run', 'list_runs', 'explain_failure', 'validate_workflow'];
const MOVING = ['answer_question', 'resume_run', 'cancel_run'];

async function toolsOf({ client }: Connected) {
  const { tools } = await client.listTools();
  return tools as readonly { name: string; annotations?: object; inputSchema: never }[];
}

async function namesOf(agent: Connected): Promise<readonly string[]> {
  return (await toolsOf(agent)).map(({ name }) => name);
}

function named(name: string): string {
  return HELLO.replace('name: hello', `name: ${JSON.stringify(name)}`);
}

test.each(ERAS)(
  '%s: a tool for each workflow and one for each move, with their hints',
  async (era) => {
    const server = embedded(folderWith(ALL));
    const tools = await toolsOf(await server.connect({ era }));
    const hints = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations]));
    expect(hints).toEqual({
      ...Object.fromEntries(Object.keys(ALL).map((file) => [file.slice(0, -5), DESTRUCTIVE])),
      ...Object.fromEntries(READING.map((name) => [name, { readOnlyHint: true }])),
      answer_question: undefined,
      resume_run: DESTRUCTIVE,
      cancel_run: { ...DESTRUCTIVE, idempotentHint: true },
    });
    expect(tools.find(({ name }) => name === 'hello')).toMatchObject({
      description: expect.stringContaining('Greets.'),
      inputSchema: {
        type: 'object',
        properties: {
          who: { type: 'string', default: 'you' },
          _wait_seconds: { type: 'number', default: 20 },
          _key: { type: 'string', maxLength: 255 },
        },
        additionalProperties: false,
      },
    });
  },
);

const DESTRUCTIVE = { destructiveHint: true };

test('20 workflows are 20 tools, 21 are one', async () => {
  const twenty = await namesOf(await embedded(folderWith(many(20))).connect());
  expect(twenty).toHaveLength(20 + READING.length + MOVING.length);
  expect(twenty).not.toContain('start_run');
  const agent = await embedded(folderWith(many(21))).connect();
  expect(await namesOf(agent)).toEqual(['start_run', ...READING, ...MOVING]);
  const input = { who: 'Ada' };
  const first = await agent.data('start_run', { workflow: 'w20', input, _key: 'k' });
  expect(first.output).toBe('Ada 20');
  const again = await agent.data('start_run', { workflow: 'w20', input, _key: 'k' });
  expect(again.run).toBe(first.run);
  const refused = await agent.call('start_run', { workflow: 'w21' });
  expect(refused.structuredContent.error.kind).toBe('workflow.not_found');
  await expect(agent.call('w20')).rejects.toMatchObject({ code: -32_602 });
});

test('a workflow is called by its own name, as far as tools can have it', async () => {
  const files = {
    'a.yaml': named('get_run'),
    'b.yaml': named('a b'),
    'c.yaml': named('a_b'),
    'd.yaml': named('größe.2'),
    'e.yaml': named('run_a_b'),
  };
  const agent = await embedded(folderWith(files)).connect();
  const names = (await namesOf(agent)).slice(0, 5);
  expect(names).toEqual(['run_get_run', 'run_run_a_b', 'a_b', 'gr__e_2', 'run_a_b']);
  for (const [at, workflow] of ['get_run', 'a b', 'a_b', 'größe.2', 'run_a_b'].entries())
    expect(await agent.data(names[at] ?? '')).toMatchObject({ workflow, status: 'completed' });
});

test('an input that has the name of an argument is the input', async () => {
  const taken = `workflow: {name: taken, entry_point: hi, input: {_key: {type: integer}}}
nodes:
  - {name: hi, type: set, value: "{{ workflow.input._key }}"}
`;
  const agent = await embedded(folderWith({ 'taken.yaml': taken })).connect();
  const runs = [await agent.data('taken', { _key: 1 }), await agent.data('taken', { _key: 1 })];
  expect(runs[0]).toMatchObject({ status: 'completed', output: 1 });
  expect(runs[1].run).not.toBe(runs[0].run);
});

test('a file that is not valid is a tool that says so', async () => {
  const files = {
    'a.yaml': named('twice'),
    'b.yaml': named('twice'),
    'c.yaml': 'workflow: {name: c}',
  };
  const agent = await embedded(folderWith(files)).connect();
  expect((await namesOf(agent)).slice(0, 3)).toEqual(['twice', 'c', 'get_run']);
  for (const name of ['twice', 'c']) {
    const { isError, structuredContent } = await agent.call(name);
    expect([isError, structuredContent.error.kind]).toEqual([true, 'validation.workflow']);
    expect(await agent.data('validate_workflow', { workflow: name })).toMatchObject({
      isValid: false,
    });
  }
});

test('with the role read only what reads is listed, and everything else is refused', async () => {
  const server = embedded(folderWith({ 'hello.yaml': HELLO }));
  const [reader, writer] = [await server.connect({ token: 'bob:read' }), await server.connect()];
  expect(await namesOf(reader)).toEqual(READING);
  const { run } = await writer.data('hello');
  expect(await reader.data('get_run', { run })).toMatchObject({ run, status: 'completed' });
  for (const [name, given] of [
    ['hello', {}],
    ['resume_run', { run, from: 'hi' }],
    ['cancel_run', { run }],
    ['answer_question', { run, value: 1 }],
  ] as const) {
    const { isError, structuredContent } = await reader.call(name, given);
    expect([name, isError, structuredContent.error.kind]).toEqual([
      name,
      true,
      'request.forbidden',
    ]);
  }
  expect((await reader.data('list_runs')).runs).toHaveLength(1);
  const everyoneReads = embedded(folderWith({ 'hello.yaml': HELLO }), { readOnly: true });
  expect(await namesOf(await everyoneReads.connect())).toEqual(READING);
});

test('a kind is explained as by the command, and an unknown one is not found', async () => {
  const agent = await embedded(folderWith({ 'hello.yaml': HELLO })).connect();
  expect(await agent.data('explain_failure', { kind: 'provider.rate_limited' })).toMatchObject({
    kind: 'provider.rate_limited',
    category: 'transient',
    exitCode: 3,
  });
  const { structuredContent } = await agent.call('explain_failure', {
    kind: 'provider.rate_limitd',
  });
  expect(structuredContent.error).toMatchObject({
    kind: 'request.not_found',
    action: { detail: expect.stringContaining('provider.rate_limited') },
  });
});

test('without the package there is nothing at /mcp', async () => {
  const server = embedded(folderWith({ 'hello.yaml': HELLO }, false));
  const refused = await server.post('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  expect([refused.status, await refused.json()]).toMatchObject([
    404,
    { kind: 'request.not_found', detail: expect.stringContaining('@modelcontextprotocol/server') },
  ]);
});

test('the guide lists every tool with its arguments, and its settings can be read', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/guide/mcp.md'), 'utf8');
  const tools = await toolsOf(await embedded(folderWith(many(21))).connect());
  for (const { name, inputSchema } of tools) {
    const [, , given = ''] =
      page
        .split('\n')
        .find((line) => line.startsWith(`| \`${name}\``))
        ?.split('|') ?? [];
    const named = Array.from(given.matchAll(/`(\w+)`/g), ([, word]) => word);
    expect([name, ...named]).toEqual([name, ...Object.keys(inputSchema['properties'])]);
  }
  const settings = Array.from(page.matchAll(/```json\n(.*?)```/gs), ([, json = '']) =>
    JSON.parse(json),
  );
  for (const setting of settings)
    expect(JSON.stringify(setting)).toMatch(/errand mcp|"errand","mcp"|\/mcp"/);
  expect(settings.length).toBeGreaterThan(5);
});
