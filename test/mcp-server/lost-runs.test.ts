/** Once a run was started or moved, no failure loses its id or says that nothing happened. */
import { expect, test } from 'vitest';
import { ErrandError } from '../../src/errors/thrown/errand-error.ts';
import { toReport } from '../../src/errors/thrown/to-report.ts';
import { callTool } from '../../src/mcp-server/call-tool.ts';
import type { McpHost } from '../../src/mcp-server/host.ts';
import { signState } from '../../src/mcp-server/request-state.ts';

const RUN = '01JABCDEFGHJKMNPQRSTVWXYZ0';
const KEY = 'k'.repeat(64);
const caller = { by: 'mcp:ada', isReader: false, canAsk: true };
const away = (): Promise<never> =>
  Promise.reject(
    new ErrandError({ kind: 'store.unavailable', message: 'gone', outcome: 'not_started' }),
  );

/** A server whose store goes away after the run was started or moved. */
function failingAt(...methods: readonly (keyof McpHost)[]): McpHost {
  const host: McpHost = {
    workflows: async () => [{ name: 'pay', input: { type: 'object', properties: {} } }],
    start: async () => RUN,
    waitWhileRunning: async () => undefined,
    read: away,
    value: away,
    list: away,
    answer: async () => true,
    resume: async () => undefined,
    cancel: async () => undefined,
    explainRun: away,
    explainKind: () => ({}),
    validate: away,
    report: (thrown) => toReport(thrown),
    stateKey: async () => KEY,
    now: () => 0,
    after: () => () => undefined,
    over: new AbortController().signal,
  };
  return { ...host, ...Object.fromEntries(methods.map((method) => [method, away])) };
}

const CALLS: Readonly<Record<string, object>> = {
  pay: {},
  resume_run: { run: RUN },
  answer_question: { run: RUN, value: 'yes' },
  cancel_run: { run: RUN },
};

test.each(
  Object.entries(CALLS).flatMap(([name, given]) =>
    (['waitWhileRunning', 'read'] as const).map((method) => [name, method, given] as const),
  ),
)('%s, when the store is away at %s', async (name, method, given) => {
  const result = await callTool(failingAt(method), called(name, given));
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { run: RUN, error: { kind: 'store.unavailable', outcome: 'unknown' } },
    content: [{ text: expect.stringContaining(`get_run {"run":"${RUN}"}`) }],
  });
});

test('a call that brings an answer, when the store is away', async () => {
  const identity = { by: caller.by, tool: 'pay', arguments: {} };
  const asked = { run: RUN, gate: 'ok', round: 0 };
  const state = signState(asked, identity, { key: KEY, nowMs: 0 });
  const answer = { action: 'accept', content: { value: 'yes' } };
  const result = await callTool(failingAt('read'), called('pay', {}, { state, answer }));
  expect(result).toMatchObject({ isError: true, structuredContent: { run: RUN } });
});

test('a call that was refused before anything happened says so', async () => {
  const result = await callTool(failingAt('start'), called('pay', {}));
  expect(result).toMatchObject({ structuredContent: { error: { outcome: 'not_started' } } });
});

function called(
  name: string,
  given: object,
  brought?: { readonly state: string; readonly answer: object },
): Parameters<typeof callTool>[1] {
  const context = {
    mcpReq: {
      signal: new AbortController().signal,
      requestState: () => brought?.state,
      inputResponses: brought === undefined ? undefined : { answer: brought.answer },
      send: () => new Promise(() => undefined),
    },
  };
  const progress = { during: (_run: string, work: () => Promise<void>) => work() };
  return {
    name,
    arguments: given,
    caller,
    era: 'modern',
    trace: undefined,
    // the parts that a call uses
    context: context as never,
    progress: progress as never,
  };
}
