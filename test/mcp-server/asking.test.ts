/** Questions that a client shows to its person, who may answer what, and states that were not signed for it. */
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { embedded, ERAS, folderWith, type Connected, type Embedded, type Json } from './clients.ts';
import { ASK, SIGN } from './workflows.ts';

const TWICE = `
workflow: {name: twice, entry_point: first}
nodes:
  - {name: first, type: human_gate, prompt: First?, options: [{value: 1}, {value: 2}], routes: [{to: second}]}
  - {name: second, type: human_gate, prompt: Second?, options: [{value: true}, {value: false}], routes: [{to: done}]}
  - {name: done, type: set, value: "{{ first.output.selected }} {{ second.output.selected }}"}
`;

/** Asks for more than a choice: a text, or an edited value. */
const COMMENT = ASK.replace('name: ask', 'name: comment').replace(
  'value: yes}',
  'value: yes, prompt_for: why}',
);
const EDIT = `
workflow: {name: edit, entry_point: broken}
nodes:
  - name: broken
    type: script
    command: bash
    args: ["-c", "exit 3"]
    routes: [{to: $end}, {on_error: true, ask: {options: [retry, edit, abort]}}]
`;

/** Asks about a failure whose words have folders of the host. */
const LOST = EDIT.replace('name: edit', 'name: lost')
  .replace('exit 3', 'echo cannot read /home/ada/orders/key.json >&2; exit 3')
  .replace(', edit', '');

const FILES = {
  'lost.yaml': LOST,
  'ask.yaml': ASK,
  'sign.yaml': SIGN,
  'twice.yaml': TWICE,
  'comment.yaml': COMMENT,
  'edit.yaml': EDIT,
};

const accept = (value: unknown) => () => ({ action: 'accept', content: { value } });

let server: Embedded;

beforeAll(() => {
  server = embedded(folderWith(FILES));
});

async function auditOf(run: string): Promise<readonly Json[]> {
  const answer = await server.fetch(`http://localhost/v1/runs/${run}/audit`);
  return (await answer.json()) as readonly Json[];
}

async function runsOf(workflow: string): Promise<readonly Json[]> {
  const answer = await server.fetch(`http://localhost/v1/runs?workflow=${workflow}&limit=200`);
  return ((await answer.json()) as Json).runs;
}

describe.each(ERAS)('%s', (era) => {
  test('a person is asked, and the run continues with the answer', async () => {
    const forms: Json[] = [];
    const agent = await server.connect({
      era,
      person: (form) => {
        forms.push(form);
        return accept(forms.length === 1 ? '2' : 'false')();
      },
    });
    const before = (await runsOf('twice')).length;
    const { run, status, output } = await agent.data('twice');
    expect([status, output]).toEqual(['completed', '2 false']);
    expect(forms).toMatchObject([
      {
        message: 'twice: First?',
        requestedSchema: { properties: { value: { enum: ['1', '2'] } } },
      },
      { message: 'twice: Second?' },
    ]);
    expect((await runsOf('twice')).length).toBe(before + 1);
    const by = { who: 'mcp:ada/elicited', what: 'answer' };
    expect(await auditOf(run)).toMatchObject([by, by]);
  });

  test('the person may answer what only people may; the agent may not', async () => {
    const alone = await server.connect({ era });
    const { run, status, nextMoves } = await alone.data('sign');
    expect([status, nextMoves.map(({ move }: Json) => move)]).toEqual(['paused', ['cancel']]);
    const tried = await alone.call('answer_question', { run, value: 'yes' });
    expect([tried.isError, tried.structuredContent.error.kind]).toEqual([
      true,
      'request.forbidden',
    ]);
    const withPerson = await server.connect({ era, person: accept('yes') });
    const again = await withPerson.call('answer_question', { run, value: 'yes' });
    expect(again.structuredContent.error.kind).toBe('request.forbidden');
    expect(await withPerson.data('sign')).toMatchObject({ status: 'completed', output: 'yes' });
    // a run that waits already asks again when it is resumed
    expect(await withPerson.data('resume_run', { run })).toMatchObject({
      run,
      status: 'completed',
      output: 'yes',
    });
  });

  test.each([
    ['declines', () => ({ action: 'decline' })],
    ['goes away', () => ({ action: 'cancel' })],
    ['has no answer', () => ({ action: 'accept', content: {} })],
    [
      'cannot be reached',
      () => {
        throw new Error('no window');
      },
    ],
  ])('a person who %s leaves the run paused, with its options', async (_, person) => {
    const agent = await server.connect({ era, person });
    const asked = await agent.call('ask').catch((thrown: unknown) => thrown);
    // the client of the newer protocol fails the call where its own person cannot be reached
    if (asked instanceof Error) return expect(era).toBe('modern');
    expect([asked.isError, asked.structuredContent]).toMatchObject([
      undefined,
      { status: 'paused', waiting: { options: ['yes', 'no'] } },
    ]);
  });

  test.each(['comment', 'edit'])('what is more than a choice is only shown: %s', async (name) => {
    const agent = await server.connect({ era, person: () => expect.fail('asked') });
    const { structuredContent, content } = await agent.call(name);
    expect(structuredContent).toMatchObject({
      status: 'paused',
      nextMoves: [{ move: 'answer' }, {}],
    });
    // the failure behind the question is what the agent has to know
    const isAboutFailure = /^internal\.script_error: /m.test(content[0].text);
    expect(isAboutFailure).toBe(name === 'edit');
  });

  test('a question about a failure shows no folder of the host to anybody', async () => {
    const forms: Json[] = [];
    const agent = await server.connect({
      era,
      person: (form) => (forms.push(form), { action: 'decline' }),
    });
    const { structuredContent, content } = await agent.call('lost');
    const gates = await server.fetch('http://localhost/v1/gates?workflow=lost');
    const events = await server.fetch(
      `http://localhost/v1/runs/${structuredContent.run}/events?type=gate:opened`,
    );
    const shown = [forms, content, structuredContent, await gates.json(), await events.json()];
    for (const view of shown) expect(JSON.stringify(view)).not.toContain('/home/ada');
    expect(forms).toMatchObject([{ message: expect.stringContaining('…/key.json') }]);
  });

  test.each(['perhaps', 'Yes', '', '\u001b[2J'])(
    'an answer that is none of the options leaves the run paused, with its id: %j',
    async (value) => {
      const agent = await server.connect({ era, person: accept(value) });
      const before = (await runsOf('ask')).length;
      const { isError, structuredContent, content } = await agent.call('ask');
      expect([isError, structuredContent]).toMatchObject([
        undefined,
        { run: expect.any(String), status: 'paused', waiting: { options: ['yes', 'no'] } },
      ]);
      expect(content[0].text).toContain('The answer was not taken: ');
      expect((await runsOf('ask')).length).toBe(before + 1);
      const { run } = structuredContent;
      expect(await agent.data('answer_question', { run, value: 'yes' })).toMatchObject({
        status: 'completed',
      });
    },
  );

  test('a run that somebody else has ended while the person was asked shows its output', async () => {
    const other = await server.connect({ era });
    const agent = await server.connect({
      era,
      person: async () => {
        const [{ run }] = await runsOf('ask');
        await other.data('answer_question', { run, value: 'no' });
        return accept('yes')();
      },
    });
    const { isError, structuredContent } = await agent.call('ask');
    expect([isError, structuredContent]).toMatchObject([
      undefined,
      { status: 'completed', output: 'no' },
    ]);
  });
});

test('a server that stops answers the call whose question is open', async () => {
  const stopping = embedded(folderWith({ 'ask.yaml': ASK }));
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  const never = Promise.withResolvers<object>().promise;
  const agent = await stopping.connect({ era: 'legacy', person: () => (resolve(), never) });
  const calling = agent.data('ask');
  await isAsked;
  await stopping.server.close();
  expect(await calling).toMatchObject({ status: 'paused', waiting: { options: ['yes', 'no'] } });
});

describe('the state of a question', () => {
  const ACCEPT = { answer: { action: 'accept', content: { value: 'yes' } } };

  async function asked(token = 'ada'): Promise<Connected & { readonly state: string }> {
    const agent = await server.connect({ token, person: accept('yes'), isManual: true });
    const { resultType, requestState: state } = await agent.call('sign');
    expect(resultType).toBe('input_required');
    return { ...agent, state };
  }

  function kindOf({ isError, structuredContent }: Json): unknown {
    return [isError, structuredContent.error?.kind];
  }

  test('answers once, in its own call, and starts nothing', async () => {
    const { call, state } = await asked();
    const before = (await runsOf('sign')).length;
    const brought = { inputResponses: ACCEPT, requestState: state };
    const answered = await call('sign', {}, brought);
    expect(answered.structuredContent).toMatchObject({ status: 'completed', output: 'yes' });
    const again = await call('sign', {}, brought);
    expect(again.structuredContent).toEqual(answered.structuredContent);
    expect(again.content[0].text).toContain('The answer was not taken: ');
    expect(await auditOf(again.structuredContent.run)).toHaveLength(1);
    expect((await runsOf('sign')).length).toBe(before);
  });

  test('of a question that the run has left behind answers no other', async () => {
    const agent = await server.connect({ person: accept('1'), isManual: true });
    const first = await agent.call('twice');
    const one = { answer: { action: 'accept', content: { value: '1' } } };
    const brought = { inputResponses: one, requestState: first.requestState };
    expect((await agent.call('twice', {}, brought)).resultType).toBe('input_required');
    const late = await agent.call('twice', {}, brought);
    expect(late.structuredContent).toMatchObject({ status: 'paused', waiting: { node: 'second' } });
    expect(await auditOf(late.structuredContent.run)).toHaveLength(1);
  });

  test('of a question that another client answers brings nothing', async () => {
    const { call, data, state } = await asked();
    const [{ run }] = await runsOf('sign');
    const other = await server.connect({ person: accept('no') });
    expect(await other.data('resume_run', { run })).toMatchObject({ output: 'no' });
    const brought = { inputResponses: ACCEPT, requestState: state };
    const late = await call('sign', {}, brought);
    expect(late.structuredContent).toMatchObject({ run, status: 'completed', output: 'no' });
    expect(await data('get_run', { run })).toMatchObject({ output: 'no' });
  });

  test('is refused where it was forged, changed, borrowed or left out', async () => {
    const { call, state } = await asked();
    const before = (await runsOf('sign')).length;
    const [body = '', signature = ''] = state.split('.');
    const payload = JSON.parse(Buffer.from(body, 'base64url').toString());
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const forged = [
      'nonsense',
      '',
      7,
      `${body}.`,
      `${body}.${signature.toLowerCase()}`,
      `${encoded({ ...payload, run: 'another' })}.${signature}`,
      `${encoded({ ...payload, until: payload.until + 1 })}.${signature}`,
    ];
    for (const requestState of forged)
      expect(kindOf(await call('sign', {}, { inputResponses: ACCEPT, requestState }))).toEqual([
        true,
        'request.invalid',
      ]);
    const brought = { inputResponses: ACCEPT, requestState: state };
    const borrowed = await (await asked('eve')).call('sign', {}, brought);
    expect(kindOf(borrowed)).toEqual([true, 'request.invalid']);
    expect(kindOf(await call('ask', {}, brought))).toEqual([true, 'request.invalid']);
    expect(kindOf(await call('sign', { _wait_seconds: 1 }, brought))).toEqual([
      true,
      'request.invalid',
    ]);
    expect(kindOf(await call('sign', {}, { inputResponses: ACCEPT }))).toEqual([
      true,
      'request.invalid',
    ]);
    // eve was asked on her own
    expect((await runsOf('sign')).length).toBe(before + 1);
    // and the question is still open
    expect((await call('sign', {}, brought)).structuredContent).toMatchObject({ output: 'yes' });
  });

  test('is taken by another server on the same store', async () => {
    const folder = folderWith({ 'sign.yaml': SIGN });
    const store = `sqlite:${join(folder, 'runs.db')}`;
    const [first, second] = [embedded(folder, { store }), embedded(folder, { store })];
    const given = { person: accept('yes'), isManual: true };
    const { requestState } = await (await first.connect(given)).call('sign');
    await first.server.close();
    const brought = { inputResponses: ACCEPT, requestState };
    const { structuredContent } = await (await second.connect(given)).call('sign', {}, brought);
    expect(structuredContent).toMatchObject({ status: 'completed', output: 'yes' });
  });

  test('is over after an hour', async () => {
    let nowMs = Date.now();
    const clock = { now: () => nowMs, after: () => () => undefined };
    const timed = embedded(folderWith({ 'sign.yaml': SIGN }), { clock });
    const agent = await timed.connect({ person: accept('yes'), isManual: true });
    const given = { _wait_seconds: 50 };
    const { requestState } = await agent.call('sign', given);
    expect(requestState).toEqual(expect.any(String));
    nowMs += 3_600_001;
    const late = await agent.call('sign', given, { inputResponses: ACCEPT, requestState });
    expect(kindOf(late)).toEqual([true, 'request.invalid']);
  });
});
