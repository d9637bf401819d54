/** Clients with bad intentions or odd habits: nothing but a refusal comes of it, and no secret leaves. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { embedded, folderWith, type Connected, type Embedded, type Json } from './clients.ts';
import { ALL } from './workflows.ts';

const SECRET = 'sk-planted-0123456789abcdef';

const LEAKS = `
workflow: {name: leaks, entry_point: say, description: "Uses \${PLANTED_KEY}", input: {who: {type: string, default: "\${PLANTED_KEY}"}}}
nodes:
  - {name: say, type: set, value: "{{ workflow.input.who }}", routes: [{to: broken}]}
  - name: broken
    type: script
    command: bash
    args: ["-c", "echo $1 >&2; exit 4", "x", "\${PLANTED_KEY}"]
`;

let server: Embedded;
let agent: Connected;

beforeAll(async () => {
  const folder = folderWith({ ...ALL, 'leaks.yaml': LEAKS });
  server = embedded(folder, { env: { PLANTED_KEY: SECRET, PATH: process.env['PATH'] ?? '' } });
  agent = await server.connect();
});

function kindOf({ isError, structuredContent }: Json): unknown {
  return [isError, structuredContent?.error?.kind];
}

const INVALID = [true, 'request.invalid'];
const REFUSED_INPUT = [true, 'validation.input'];

describe('arguments', () => {
  test.each<[string, unknown, unknown]>([
    ['get_run', {}, INVALID],
    ['get_run', { run: 1 }, INVALID],
    ['get_run', { run: '' }, INVALID],
    ['get_run', { run: 'x', more: 1 }, INVALID],
    ['get_run', { run: 'x', wait_seconds: 'long' }, INVALID],
    ['get_run', { run: 'x', wait_seconds: -1 }, INVALID],
    ['get_run', { run: '../../etc/passwd' }, [true, 'run.not_found']],
    ['get_run', { run: '__proto__' }, [true, 'run.not_found']],
    ['list_runs', { limit: 0 }, INVALID],
    ['list_runs', { limit: 1e9 }, INVALID],
    ['list_runs', { status: 'asleep' }, INVALID],
    ['list_runs', { attention: ['failed', 'x'] }, INVALID],
    ['answer_question', { run: 'x' }, INVALID],
    ['resume_run', { run: 'x', input: [] }, INVALID],
    ['resume_run', { run: 'x', acceptDrift: true }, INVALID],
    ['resume_run', { run: 'x', now: 'yes' }, INVALID],
    ['cancel_run', { run: 'x', reason: 7 }, INVALID],
    ['explain_failure', {}, INVALID],
    ['explain_failure', { run: 'x', kind: 'y' }, INVALID],
    ['explain_failure', { kind: 'constructor' }, [true, 'request.not_found']],
    ['validate_workflow', { workflow: '../hello.yaml' }, [true, 'workflow.not_found']],
    ['validate_workflow', { workflow: 'hello', text: 1 }, INVALID],
    ['hello', { _wait_seconds: null }, INVALID],
    ['hello', { _key: '' }, INVALID],
    ['hello', { _key: 'x'.repeat(256) }, INVALID],
    ['hello', { _key: {} }, INVALID],
    ['hello', { who: 1 }, REFUSED_INPUT],
    ['hello', { whom: 'Ada' }, REFUSED_INPUT],
    ['hello', { constructor: 1 }, REFUSED_INPUT],
    ['hello', { workflow: 'fails' }, REFUSED_INPUT],
  ])('%s with %j', async (name, given, expected) => {
    expect(kindOf(await agent.call(name, given as object))).toEqual(expected);
  });

  test.each<[string, object, string]>([
    [
      'get_run',
      { run: 'x', zz: 1 },
      'There is no argument zz; the tool takes run, wait_seconds, path',
    ],
    ['explain_failure', {}, 'The call needs at least 1 of the arguments run, kind'],
    [
      'explain_failure',
      { run: 'x', kind: 'y' },
      'The call may have at most 1 of the arguments run, kind',
    ],
  ])('are refused in words: %s with %j', async (name, given, words) => {
    const { structuredContent } = await agent.call(name, given);
    expect(structuredContent.error.message).toBe(words);
  });

  test.each<[string, string, unknown]>([
    ['a key of the prototype', '{"__proto__":{"who":"Eve"}}', INVALID],
    ['a number that would change', '{"times":9007199254740993}', INVALID],
    ['a key that is there twice', '{"who":"a","who":"b"}', INVALID],
    ['deep nesting', `{"who":${'['.repeat(5000)}${']'.repeat(5000)}}`, INVALID],
    ['a list', '[]', INVALID],
    ['a text', '"x"', INVALID],
    ['nothing', 'null', INVALID],
  ])('with %s', async (_, given, expected) => {
    const { json } = await rpc(`"tools/call","params":{"name":"hello","arguments":${given}}`);
    expect(kindOf(json.result)).toEqual(expected);
  });

  test('a wait of any length is at most as long as clients wait', async () => {
    expect(await agent.data('hello', { _wait_seconds: 1e6 })).toMatchObject({
      status: 'completed',
    });
  });

  test('a body above 1 MiB is refused before it is read', async () => {
    const { status, json } = await rpc(
      `"tools/call","params":{"name":"hello","arguments":{"who":"${'x'.repeat(1024 * 1024)}"}}`,
    );
    expect([status, json.kind]).toEqual([413, 'request.too_large']);
  });

  test('a text in place of a file loads no module and reads no other file', async () => {
    const text = `workflow: {name: hello, entry_point: hi, module: ./evil.mjs}
nodes:
  - {name: hi, type: workflow, workflow: /etc/passwd}
`;
    const verdict = await agent.data('validate_workflow', { workflow: 'hello', text });
    expect([verdict.isValid, JSON.stringify(verdict).includes('root:')]).toEqual([false, false]);
  });
});

/** A message as odd clients send it: without a handshake. */
async function rpc(
  rest: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly json: Json }> {
  return answerOf(await server.post(`{"jsonrpc":"2.0","id":7,"method":${rest}}`, headers));
}

async function answerOf(
  response: Response,
): Promise<{ readonly status: number; readonly json: Json }> {
  const text = await response.text();
  const data = text.split('\n').find((line) => line.startsWith('data: '));
  return {
    status: response.status,
    json: text === '' ? undefined : JSON.parse(data?.slice(6) ?? text),
  };
}

describe('the protocol', () => {
  test('a call without a handshake is answered', async () => {
    const { json } = await rpc('"tools/call","params":{"name":"hello","arguments":{}}');
    expect(json.result.structuredContent).toMatchObject({ status: 'completed' });
    expect((await rpc('"ping"')).json).toMatchObject({ id: 7, result: {} });
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '1999-01-01'])(
    'a client of %s is answered in a version that both know',
    async (protocolVersion) => {
      const info = { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } };
      const { json } = await rpc(`"initialize","params":${JSON.stringify(info)}`);
      const known = protocolVersion.startsWith('202') ? protocolVersion : '2025-11-25';
      expect(json.result).toMatchObject({ protocolVersion: known, serverInfo: { name: 'errand' } });
    },
  );

  test.each<[string, string, number]>([
    ['an unknown version', '2099-01-01', 400],
    ['no version at all', '', 200],
  ])('%s in a header', async (_, version, status) => {
    const headers = version === '' ? {} : { 'mcp-protocol-version': version };
    expect((await rpc('"tools/list"', headers)).status).toBe(status);
  });

  test('a batch of the older protocol is answered', async () => {
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const response = await server.post(JSON.stringify(batch));
    expect([response.status, (await response.text()).match(/"result"/g)?.length]).toEqual([200, 2]);
  });

  test.each([
    'null',
    '1',
    '[]',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}',
    '{"jsonrpc":"2.0","id":1,"method":"resources/list"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    'not JSON',
    '',
  ])('%s is no crash', async (body) => {
    const { status } = await server.post(body);
    expect(status).toBeLessThan(500);
  });

  test('other methods and other types are refused as everywhere', async () => {
    const url = 'http://localhost/mcp';
    const get = await server.fetch(url, { headers: { authorization: 'Bearer ada' } });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await server.post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  test('a session of another token is none', async () => {
    const forms: Json[] = [];
    const person = (form: Json) => (forms.push(form), { action: 'decline' });
    const { client } = await server.connect({ era: 'legacy', person });
    const session = client.transport.sessionId;
    expect(session).toEqual(expect.any(String));
    const call = '"tools/call","params":{"name":"ask","arguments":{}}';
    const headers = { authorization: 'Bearer eve', 'mcp-session-id': session };
    const { json } = await rpc(call, headers);
    expect([json.result.structuredContent.status, forms]).toEqual(['paused', []]);
    const unknown = await rpc(call, { 'mcp-session-id': 'never-seen' });
    expect(unknown.json.result.structuredContent.status).toBe('paused');
  });

  test('a session has the role of each request, not that of its first', async () => {
    const person = (): Json => ({ action: 'decline' });
    const cancel = '"tools/call","params":{"name":"cancel_run","arguments":{"run":"none"}}';
    const kindIn = async (token: string, role: string): Promise<string> => {
      const { client } = await server.connect({ era: 'legacy', person, token });
      const headers = { 'mcp-session-id': client.transport.sessionId };
      const { json } = await rpc(cancel, { ...headers, authorization: `Bearer ada:${role}` });
      return json.result.structuredContent.error.kind;
    };
    expect(await kindIn('ada:run', 'read')).toBe('request.forbidden');
    expect(await kindIn('ada:read', 'run')).toBe('run.not_found');
  });
});

describe('a client that goes away', () => {
  test.each(['legacy', 'modern'] as const)('%s: the run continues', async (era) => {
    const mark = join(server.directory, `gone-${era}`);
    const other = await server.connect({ era });
    const cancelled = new AbortController();
    const calling = other.client.callTool(
      { name: 'slow', arguments: { mark } },
      { signal: cancelled.signal, onprogress: () => undefined },
    );
    await expect
      .poll(async () => (await agent.data('list_runs', { status: 'running' })).runs.length)
      .toBe(1);
    cancelled.abort();
    await expect(calling).rejects.toThrow();
    const [{ run }] = (await agent.data('list_runs', { status: 'running' })).runs;
    expect(await agent.data('cancel_run', { run })).toMatchObject({ status: 'cancelled' });
  });
});

test('two clients at once have runs of their own, and one key is of one caller', async () => {
  const clients = [agent, await server.connect({ token: 'bob', era: 'legacy' })];
  const runs = await Promise.all(
    clients.flatMap((client) => [1, 2].map(() => client.data('hello', { _key: 'same' }))),
  );
  expect(new Set(runs.map(({ run }) => run)).size).toBe(2);
});

test('no planted secret leaves by any tool', async () => {
  const seen: unknown[] = [await agent.client.listTools()];
  const failed = await agent.call('leaks');
  const { run } = failed.structuredContent;
  const wrong = SECRET.slice(0, -1);
  seen.push(
    failed,
    await agent.call('get_run', { run }),
    await agent.call('get_run', { run, path: 'say' }),
    await agent.call('get_run', { run, path: '$input' }),
    await agent.call('explain_failure', { run }),
    await agent.call('validate_workflow', { workflow: 'leaks' }),
    await agent.call('validate_workflow', { workflow: 'leaks', text: LEAKS.replace('say', 'sag') }),
    await agent.call('leaks', { who: 1 }),
    await agent.call('resume_run', { run, from: SECRET }),
    await agent.call('answer_question', { run, gate: SECRET, value: wrong }),
    await agent.call('get_run', { run: SECRET }),
  );
  expect(failed.isError).toBe(true);
  expect(JSON.stringify(seen)).not.toContain(SECRET);
});
