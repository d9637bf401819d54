/** Approvals: of one call with exactly its arguments, or a grant that lasts; each on the record. */
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { optionsOf } from '../../src/cli/session/gate-prompt.ts';
import { tool, workflow } from '../../src/index.ts';
import { closeAll, talk, type Talk } from './stage.ts';

afterEach(closeAll);

const paid: unknown[] = [];
const pay = tool({
  writes: true,
  run: (input) => {
    paid.push(input['id']);
    return { paid: input['id'] ?? null };
  },
});

const calling = (id: number): { name: string; arguments: { id: number } }[] => [
  { name: 'pay', arguments: { id } },
];

async function paying(node: object = {}, ...ids: readonly number[]): Promise<Talk> {
  paid.length = 0;
  const lines = [...ids.map(calling), 'done'];
  return talk(lines, { tools: ['pay'], policy: { ask: ['pay'] }, ...node }, { tools: { pay } });
}

const waiting = { status: 'paused', waiting: { reason: 'gate', options: ['approve', 'deny'] } };

describe('an approval', () => {
  it('is for one call: the same arguments later are asked about again', async () => {
    const { run, answer } = await paying({}, 1, 1);
    expect(await run.result()).toMatchObject(waiting);
    expect(await answer('approve')).toMatchObject(waiting);
    expect(paid).toEqual([1]);
    expect(await answer('deny')).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([1]);
  });

  it.each(['node', 'run'])(
    'may be a grant for the %s, and that is on the record',
    async (lasts) => {
      const { run, answer, audit } = await paying({}, 1, 2, 3);
      expect(await run.result()).toMatchObject(waiting);
      expect(await answer({ approve: { for: lasts } })).toMatchObject({ status: 'completed' });
      expect(paid).toEqual([1, 2, 3]);
      expect((await audit()).filter(({ what }) => what === 'approve')).toMatchObject([
        { who: 'ann', detail: `a/pay#1.1: {"approve":{"for":"${lasts}"}}` },
        { who: 'ann', detail: 'pay: granted earlier at a/pay#1.1' },
        { who: 'ann', detail: 'pay: granted earlier at a/pay#1.1' },
      ]);
    },
  );

  it.each([
    { approve: { for: 'ever' } },
    { approve: {} },
    { approve: true },
    { approve: { for: 'run' }, tool: 'other' },
    { for: 'run' },
    'always',
  ])('in another form is refused, and the gate stays open: %o', async (value) => {
    const { run, answer } = await paying({}, 1);
    await run.result();
    await expect(answer(value as never)).rejects.toMatchObject({ kind: 'validation.input' });
    expect(await answer('approve')).toMatchObject({ status: 'completed' });
    expect(paid).toEqual([1]);
  });

  it('does not lift what is denied', async () => {
    const { run, results } = await paying({ policy: { ask: ['pay'], deny: ['pay'] } }, 1);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(results().at(-1)?.value).toMatchObject({ error: { kind: 'tool.denied' } });
    expect(paid).toEqual([]);
  });

  it('survives the process: a grant counts when the run is folded from its log', async () => {
    const { run, errand, events } = await paying({}, 1, 2);
    await run.result();
    const handle = await errand.answer(run.id, { value: { approve: { for: 'run' } }, by: 'ann' });
    await handle?.result();
    const requested = (await events()).filter(
      (event) => event.type === 'effect:requested' && event.effect.type === 'tool',
    );
    expect(requested.map((event) => 'grant' in event && event.grant)).toEqual([
      false,
      { gate: 'a/pay#1.1', by: 'ann' },
    ]);
  });
});

describe('a person who takes too long', () => {
  it('has not approved the call, and hears so when the answer comes', async () => {
    const { run, answer, errand, results, audit } = await paying(
      { policy: { ask: ['pay'], askTimeout: '1ms' } },
      1,
    );
    const paused = await run.result();
    expect(paused).toMatchObject({
      status: 'paused',
      waiting: { reason: 'gate', until: expect.any(String) },
    });
    const { until } = paused.status === 'paused' ? paused.waiting : {};
    // an answer in the same millisecond would be in time
    while (Date.now() <= Date.parse(until ?? '')) await setImmediate();
    await expect(answer('approve')).rejects.toMatchObject({ kind: 'gate.closed' });
    // the process that runs next finds the time over
    const resumed = await errand.resume(run.id, { by: 'ann' });
    expect(await resumed.result()).toMatchObject({ status: 'completed' });
    expect(results()[0]?.value).toMatchObject({ error: { kind: 'tool.denied' } });
    expect(paid).toEqual([]);
    expect((await audit()).map(({ what, detail }) => `${what}: ${detail}`)).toEqual([
      'resume: resumed the run',
      'answer: nobody answered in time',
    ]);
  });
});

describe('at a terminal', () => {
  it('the grants are offered beside approve and deny, for calls of an agent’s tools alone', () => {
    const { plan } = workflow({
      name: 't',
      entryPoint: 'a',
      nodes: [
        { name: 'a', prompt: 'Go', model: 'sim/m' },
        {
          name: 'b',
          type: 'human_gate',
          prompt: 'Go?',
          options: [{ value: 'approve' }, { value: 'deny' }],
        },
      ],
    });
    const offered = (node: string): readonly unknown[] =>
      optionsOf(
        {
          type: 'gate:opened',
          seq: 1,
          run: 'r',
          at: '',
          node,
          path: node,
          gate: node,
          prompt: '',
          options: ['approve', 'deny'],
        },
        plan,
      ).map(({ value }) => value);
    expect(offered('a')).toEqual([
      'approve',
      'deny',
      { approve: { for: 'node' } },
      { approve: { for: 'run' } },
    ]);
    expect(offered('b')).toEqual(['approve', 'deny']);
  });
});
