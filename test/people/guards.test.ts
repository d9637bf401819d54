/** Guards can deny, or ask for a person, and allow nothing that the policy does not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ErrandError, failure, raise, tool, workflow, type Guard } from '../../src/index.ts';
import { auditIn, closeAll, open, talk, type Talk } from './stage.ts';

afterEach(closeAll);

const done: unknown[] = [];
const pay = tool({ writes: true, run: (input) => done.push(input['amount']) });

function paying(guard: Guard, node: object = {}): Promise<Talk> {
  done.length = 0;
  const call = [{ name: 'pay', arguments: { amount: 50 } }];
  return talk([call, 'said'], { tools: ['pay'], ...node }, { tools: { pay }, guard });
}

describe('a guard', () => {
  it('hears what is called with what and where, and may have no objection', async () => {
    const received: unknown[] = [];
    const { run } = await paying((call) => {
      received.push(call);
    });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    const where = { node: 'a', path: 'a', run: run.id };
    expect(received).toEqual([
      { tool: 'pay', arguments: { amount: 50 }, ...where, isApproved: false },
    ]);
    expect(done).toEqual([50]);
  });

  it.each<[string, Guard, string]>([
    ['says so', () => 'deny', 'tool.denied'],
    ['says why', () => ({ deny: 'not on Sundays' }), 'not on Sundays'],
    ['throws', () => Promise.reject(failure('rules.missing', 'No rules')), 'it failed'],
    ['says nonsense', () => 'perhaps' as never, 'neither allow, deny nor ask'],
  ])(
    'denies when it %s: the call is not made, the model hears it, the audit too',
    async (_, guard, word) => {
      const { run, results, audit } = await paying(guard);
      expect(await run.result()).toMatchObject({ status: 'completed', output: { result: 'said' } });
      expect(done).toEqual([]);
      expect(results()[0]?.value).toMatchObject({ error: { kind: 'tool.denied' } });
      expect(await audit()).toMatchObject([
        { what: 'deny', who: 'errand', node: 'a', detail: expect.stringContaining(word) },
      ]);
    },
  );

  it('is not argued with: the same call denied again ends the node', async () => {
    const { run, events } = await talk(
      [[{ name: 'pay', arguments: { amount: 50 } }]],
      { tools: ['pay'] },
      { tools: { pay }, guard: () => 'deny' },
    );
    expect(await run.result()).toMatchObject({ status: 'failed', error: { kind: 'tool.denied' } });
    const denied = (await events()).filter(({ type }) => type === 'effect:failed');
    expect(denied).toHaveLength(2);
  });

  it('keeps what it threw as the cause of the denial', async () => {
    const { run, events } = await paying(() => {
      throw raise('rules.missing', 'No rules');
    });
    await run.result();
    expect((await events()).find(({ type }) => type === 'effect:failed')).toMatchObject({
      error: { kind: 'tool.denied', outcome: 'not_started', cause: { kind: 'rules.missing' } },
    });
  });

  it.each<[string, Guard]>([
    ['in a reason', () => ({ deny: 'the key plain-words-of-a-key is not for this' })],
    ['that it threw', () => Promise.reject(failure('rules.missing', 'with plain-words-of-a-key'))],
  ])('tells no key of its host, %s', async (_, guard) => {
    const { run, events, shown } = await talk(
      [[{ name: 'pay', arguments: { amount: 50 } }], 'said'],
      { tools: ['pay'] },
      { tools: { pay }, guard, secrets: ['plain-words-of-a-key'] },
    );
    await run.result();
    expect(JSON.stringify([await events(), shown])).not.toContain('plain-words-of-a-key');
  });

  it('asks for a person, who approves exactly this call', async () => {
    const seen: boolean[] = [];
    const { run, answer, audit } = await paying(({ isApproved }) => {
      seen.push(isApproved);
      return { ask: 'it is a lot' };
    });
    expect(await run.result()).toMatchObject({
      status: 'paused',
      waiting: { reason: 'gate', node: 'a', options: ['approve', 'deny'] },
    });
    expect(done).toEqual([]);
    expect(await answer('approve')).toMatchObject({ status: 'completed' });
    expect([done, seen]).toEqual([[50], [false, true]]);
    expect((await audit()).map(({ what, who }) => `${what} by ${who}`)).toEqual([
      'deny by errand',
      'approve by ann',
    ]);
  });

  it('that asks is a denial where nobody approves', async () => {
    const { run, answer, results } = await paying(() => 'ask');
    await run.result();
    expect(await answer('deny')).toMatchObject({ status: 'completed' });
    expect(results()[0]?.value).toMatchObject({ error: { kind: 'tool.denied' } });
    expect(done).toEqual([]);
  });

  it('allows nothing: a list of the node that denies or asks still does', async () => {
    const denied = await paying(() => 'allow', { policy: { deny: ['pay'] } });
    expect(await denied.run.result()).toMatchObject({ status: 'completed' });
    const asked = await paying(() => 'allow', { policy: { ask: ['pay'] } });
    expect(await asked.run.result()).toMatchObject({ status: 'paused' });
    expect(done).toEqual([]);
  });

  it('still asks where a grant was given, because it judges each call', async () => {
    const call = [{ name: 'pay', arguments: { amount: 50 } }];
    const { run, answer } = await talk(
      [call, call, 'said'],
      { tools: ['pay'], policy: { ask: ['pay'] } },
      { tools: { pay }, guard: () => 'ask' },
    );
    done.length = 0;
    await run.result();
    expect(await answer({ approve: { for: 'run' } })).toMatchObject({ status: 'paused' });
    expect(done).toEqual([50]);
    expect(await answer('approve')).toMatchObject({ status: 'completed' });
    expect(done).toEqual([50, 50]);
  });

  it('of a tool node asks too, and its denial is a failure like any other', async () => {
    done.length = 0;
    const errand = await open({ tools: { pay }, guard: () => ({ ask: 'it is a lot' }) });
    const made = workflow({
      name: 't',
      entryPoint: 'a',
      nodes: [
        {
          name: 'a',
          type: 'tool',
          tool: 'pay',
          arguments: { amount: 7 },
          routes: [{ to: '$end' }, { onError: 'tool.denied', to: 'refused' }],
        },
        { name: 'refused', type: 'set', value: '{{ failing.error.kind }}' },
      ],
    });
    const first = await errand.start(made);
    expect(await first.result()).toMatchObject({ status: 'paused', waiting: { node: 'a' } });
    const approved = await errand.answer(first.id, { value: 'approve' });
    expect(await approved?.result()).toMatchObject({ status: 'completed', output: 1 });
    const second = await errand.start(made);
    await second.result();
    const denied = await errand.answer(second.id, { value: 'deny', by: 'ann' });
    expect(await denied?.result()).toMatchObject({ status: 'completed', output: 'tool.denied' });
    expect(done).toEqual([7]);
    expect((await auditIn(errand, second.id)).map(({ what, who }) => [what, who])).toEqual([
      ['deny', 'errand'],
      ['deny', 'ann'],
    ]);
    const alone = await errand.start(made, { gates: false });
    expect(await alone.result()).toMatchObject({ output: 'tool.denied' });
  });
});

describe('a guard of a module', () => {
  it('is asked about the tools of its file and of those that it calls', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-guard-'));
    const child = {
      workflow: { name: 'c', entry_point: 'pay' },
      nodes: [{ name: 'pay', type: 'tool', tool: 'pay', arguments: { amount: 99 } }],
    };
    const file = {
      workflow: { name: 't', entry_point: 'a', module: './tools.ts' },
      nodes: [{ name: 'a', type: 'workflow', workflow: './c.yaml' }],
    };
    writeFileSync(join(folder, 't.yaml'), JSON.stringify(file));
    writeFileSync(join(folder, 'c.yaml'), JSON.stringify(child));
    writeFileSync(
      join(folder, 'tools.ts'),
      `// what guard() makes; the test's own loader does not know where errand is
const guard = (check) => ({ [Symbol.for('errand.guard')]: check });
export const small = guard(({ tool, arguments: given }) => tool === 'pay' && given.amount > 10 ? { deny: 'too much' } : undefined);`,
    );
    done.length = 0;
    const errand = await open({ directory: folder, tools: { pay } });
    const run = await errand.start(await errand.load('t.yaml'));
    const result = await run.result();
    rmSync(folder, { recursive: true, force: true });
    expect(result).toMatchObject({
      status: 'failed',
      error: {
        kind: 'tool.denied',
        message: expect.stringContaining('too much'),
        details: { by: 'guard', guard: 'small of the module tools.ts' },
      },
    });
    expect(done).toEqual([]);
  });
});

describe('a tool that fails in the words of a guard', () => {
  it('was called, so no person is asked to let it be called again', async () => {
    let calls = 0;
    const errand = await open({
      tools: {
        pay: tool({
          description: 'Pays',
          input: { type: 'object' },
          run: () => {
            calls++;
            throw new ErrandError({
              kind: 'tool.denied',
              message: 'A person must approve pay',
              outcome: 'not_started',
              details: { by: 'guard', ask: true },
            });
          },
        }),
      },
    });
    const one = workflow({
      name: 't',
      entryPoint: 'a',
      nodes: [{ name: 'a', type: 'tool', tool: 'pay' }],
    });
    const run = await errand.start(one);
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { kind: 'tool.denied', outcome: 'failed' },
    });
    expect(calls).toBe(1);
  });
});
