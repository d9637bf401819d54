/** The engine as an application holds it, on a real SQLite file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toReport } from '../src/errors/thrown/to-report.ts';
import type { InternalRecord } from '../src/errors/thrown/internal-record.ts';
import type { JsonObject, JsonValue } from '../src/errors/support/safe-json.ts';
import { isKind, openErrand, raise, workflow, type Errand, type RunEvent } from '../src/index.ts';
import { startSlowRun } from './slow-run.ts';

let folder = '';
const opened: Errand[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-library-'));
});

afterEach(async () => {
  for (const errand of opened.splice(0)) await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: Parameters<typeof openErrand>[0] = {}): Promise<Errand> {
  const errand = await openErrand({ store: `sqlite:${join(folder, 'errand.db')}`, ...options });
  opened.push(errand);
  return errand;
}

const gate = workflow({
  name: 'gate',
  entryPoint: 'ask',
  nodes: [
    { name: 'ask', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
  ],
});

describe('openErrand', () => {
  it.each([
    [{ functons: {} }, 'openErrand: `functons` is not an option', 'Write `functions`.'],
    [{ store: 5 }, 'openErrand: `store` is not a store', 'Use `memory`, `sqlite:` and a path'],
    ['memory', 'openErrand: `options` are not an object', 'Give it { store, … }.'],
  ])('refuses %j, and says what to write', async (options, message, detail) => {
    const refused = openErrand(options as Parameters<typeof openErrand>[0]);
    await expect(refused).rejects.toMatchObject({
      kind: 'validation.input',
      message,
      report: { action: { detail: expect.stringContaining(detail) as string } },
    });
  });

  it('starts nothing any more once it is closed, and says so at once', async () => {
    for (const store of ['memory', `sqlite:${join(folder, 'errand.db')}`]) {
      const errand = await openErrand({ store });
      await errand.close();
      await expect(errand.start(gate)).rejects.toMatchObject({ kind: 'store.unavailable' });
    }
  });

  it.each([
    ['the path of a file', 'flow.yaml', 'a string'],
    ['a definition', { name: 'flow', nodes: [] }, 'an unrecognised object'],
    ['nothing', undefined, 'undefined'],
  ])('refuses %s in place of a workflow', async (_, given, form) => {
    const errand = await open();
    // as a program without types would call it
    const wrong = given as unknown as typeof gate;
    await expect(errand.start(wrong)).rejects.toMatchObject({
      kind: 'validation.input',
      message: `Expected a workflow, but got ${form}`,
    });
  });

  it.each([
    [null, 'The id of a run cannot be null'],
    [{}, 'The id of a run cannot be an object'],
    ['', 'The id of a run cannot be ""'],
  ])('refuses %j as the id of a run', async (given, message) => {
    const errand = await open();
    const id = given as unknown as string;
    await expect(errand.start(gate, { id })).rejects.toMatchObject({ message });
  });

  it.each([5, true, null, 'text', [[1]]])('refuses %j as the input of a run', async (given) => {
    const errand = await open();
    const input = given as unknown as Record<string, never>;
    const refusal = { kind: 'validation.input', message: 'The input is not an object' };
    await expect(errand.start(gate, { input })).rejects.toMatchObject(refusal);
    expect(await errand.list()).toEqual([]);
    const run = await errand.start(gate);
    await run.result();
    await expect(errand.resume(run.id, { input })).rejects.toMatchObject(refusal);
  });

  it.each([undefined, null, 5, ['a']])(
    'refuses %j in place of an answer or a file',
    async (given) => {
      const errand = await open();
      const run = await errand.start(gate);
      await run.result();
      const refused = (message: RegExp): object => ({
        kind: 'validation.input',
        message: expect.stringMatching(message),
      });
      // true of no type: what a caller without types may hand over
      const answer = given as unknown as { readonly value: JsonValue };
      await expect(errand.answer(run.id, answer)).rejects.toMatchObject(
        refused(/^Expected an answer/),
      );
      const file = given as unknown as string;
      await expect(errand.load(file)).rejects.toMatchObject(refused(/^Expected the path/));
      await expect(errand.validate(file)).rejects.toMatchObject(refused(/^Expected a workflow/));
      expect(await errand.get(run.id)).toMatchObject({ status: 'paused' });
    },
  );

  it.each([undefined, null, 5, {}])('refuses %j in place of the id of a run', async (given) => {
    const errand = await open();
    const id = given as string;
    for (const act of [
      () => errand.get(id),
      () => errand.resume(id),
      () => errand.answer(id, { value: 1 }),
      () => errand.cancel(id),
      () => errand.attach(id),
    ])
      await expect(act()).rejects.toMatchObject({
        kind: 'validation.input',
        message: expect.stringMatching(/^Expected the id of a run, but got /),
      });
  });

  it('says of a missing input how a program and the command line give it', async () => {
    const errand = await open();
    const greet = workflow({
      name: 'greet',
      entryPoint: 'a',
      input: { who: { type: 'string' } },
      nodes: [{ name: 'a', type: 'set', value: '{{ workflow.input.who }}' }],
    });
    await expect(errand.start(greet)).rejects.toMatchObject({
      kind: 'validation.input',
      message: 'greet needs the input who',
      report: { action: { detail: 'Pass who as a string; on the command line: -i who=text' } },
    });
  });

  it('says of an empty id that it is one', async () => {
    const errand = await open();
    await expect(errand.get('')).rejects.toMatchObject({
      kind: 'run.not_found',
      message: 'There is no run with an empty id in this store',
    });
  });

  it('refuses nothing in place of the workflow of a run that is to go on', async () => {
    const errand = await open();
    const run = await errand.start(gate);
    await run.result();
    const wrong = { workflow: null as unknown as typeof gate };
    await expect(errand.resume(run.id, wrong)).rejects.toMatchObject({
      kind: 'validation.input',
      message: 'Expected a workflow, but got null',
    });
  });

  it('tells every event of a run once, to a late listener too, and gives its result', async () => {
    const errand = await open({ functions: { greet: (input) => input } });
    const run = await errand.start(
      workflow({
        name: 'hello',
        entryPoint: 'a',
        input: { name: { type: 'string' } },
        nodes: [
          {
            name: 'a',
            type: 'call',
            function: 'greet',
            arguments: { n: '{{ workflow.input.name }}' },
          },
        ],
      }),
      { input: { name: 'Ann' } },
    );
    expect(await run.result()).toEqual({ status: 'completed', output: { n: 'Ann' } });
    const reported: RunEvent[] = [];
    for await (const event of run.events()) reported.push(event);
    expect(reported.map(({ seq }) => seq)).toEqual(reported.map((_, index) => index + 1));
    expect(reported.at(-1)?.type).toBe('run:completed');
  });

  it('rejects when nothing could run, and never for a failed run', async () => {
    const internal: InternalRecord[] = [];
    const errand = await open({ onInternal: (record) => internal.push(record) });
    const failing = workflow({
      name: 'failing',
      entryPoint: 'a',
      input: { id: { type: 'number' } },
      nodes: [
        {
          name: 'a',
          type: 'call',
          function: () => {
            throw raise('order.missing', 'No such order', { id: 7 });
          },
        },
      ],
    });
    await expect(errand.start(failing)).rejects.toSatisfy((e) => isKind(e, 'validation.input'));
    const run = await errand.start(failing, { input: { id: 7 } });
    const result = await run.result();
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'order.missing' } });
    expect(internal.map(({ report }) => report.kind)).toEqual(['order.missing']);
    expect(internal[0]?.id).toBe(result.status === 'failed' ? result.error.id : '');
  });

  it('takes nothing but JSON, so that what runs is what is stored', async () => {
    const errand = await open();
    const any = workflow({
      name: 'any',
      entryPoint: 'a',
      input: { x: { type: 'object' }, n: { type: 'number', default: 1 } },
      nodes: [{ name: 'a', type: 'set', value: '{{ workflow.input }}' }],
    });
    const cyclic: Record<string, JsonValue> = {};
    cyclic['self'] = cyclic;
    const given = [{ n: Number.NaN }, { n: 10n }, { m: new Map() }, { f: () => 1 }, cyclic];
    for (const x of given) {
      // what a caller without types may hand over
      const input = { x } as unknown as JsonObject;
      await expect(errand.start(any, { input })).rejects.toSatisfy((e) =>
        isKind(e, 'validation.input'),
      );
    }
    expect(await errand.list()).toEqual([]);
    const dated = { x: { at: new Date(0) }, n: undefined } as unknown as JsonObject;
    const result = await (await errand.start(any, { input: dated })).result();
    expect(result).toEqual({
      status: 'completed',
      output: { x: { at: '1970-01-01T00:00:00.000Z' }, n: 1 },
    });
    const run = await errand.start(gate);
    await run.result();
    const value = 10n as unknown as JsonValue;
    await expect(errand.answer(run.id, { value })).rejects.toSatisfy((e) =>
      isKind(e, 'validation.input'),
    );
  });

  it('continues with a paused run by an answer, in another process too', async () => {
    const first = await open();
    const run = await first.start(gate);
    expect(await run.result()).toMatchObject({ status: 'paused', waiting: { reason: 'gate' } });
    const second = await open();
    const handle = await second.answer(run.id, { value: 'yes' });
    expect(await handle?.result()).toMatchObject({ status: 'completed' });
  });

  it.each([0, 1, 2, 3, 5, 8])(
    'takes one of two answers at once, whenever they come: after %i turns of promises',
    async (turns) => {
      const errand = await open();
      const run = await errand.start(gate);
      for await (const event of run.events()) if (event.type === 'gate:opened') break;
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const answers = await Promise.allSettled([
        errand.answer(run.id, { value: 'yes' }),
        errand.answer(run.id, { value: 'yes' }),
      ]);
      const taken = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer] : []));
      expect(taken).toHaveLength(1);
      expect(await taken[0]?.value?.result()).toMatchObject({ status: 'completed' });
      const types: string[] = [];
      for await (const { type } of errand.history(run.id)) types.push(type);
      expect(types.filter((type) => type === 'gate:answered')).toHaveLength(1);
      // a leg is over with its pause
      expect(types.filter((_, index) => types[index - 1] === 'run:paused')).toEqual(
        types.filter((type) => type === 'run:resumed'),
      );
    },
  );

  it('cancels a run that is at rest, for good', async () => {
    const errand = await open();
    const run = await errand.start(gate);
    await run.result();
    await errand.cancel(run.id);
    expect((await errand.list()).map(({ status }) => status)).toEqual(['cancelled']);
    await expect(errand.resume(run.id)).rejects.toSatisfy((e) => isKind(e, 'run.already_ended'));
  });
});

describe('a run whose process is gone', () => {
  it('is taken over by a process that opens the store to adopt', async () => {
    const carrier = await startSlowRun(folder);
    await carrier.kill();
    const store = `sqlite:${join(folder, '.errand', 'errand.db')}`;
    const errand = await open({ store, directory: folder, adopt: true });
    const [run] = await errand.list();
    expect(run).toMatchObject({ status: 'running', claim: { owner: { pid: process.pid } } });
    // the cancel waits for what is under way, so the log is complete then
    await errand.cancel(run?.run ?? '');
    const types: string[] = [];
    for await (const { type } of errand.history(run?.run ?? '')) types.push(type);
    expect(types.filter((type) => type === 'run:resumed')).toHaveLength(1);
    expect(types.at(-1)).toBe('run:cancelled');
  });
});

describe('a run whose workflow file is gone', () => {
  const KEY = 'house-key-0123456789';
  const text = `workflow: {name: keyed, entry_point: ask, on_unhandled: fail}
nodes:
  - {name: ask, type: human_gate, prompt: 'Mark it [redacted]?', options: [{label: Yes, value: yes}], routes: [{to: call}]}
  - {name: call, type: script, command: sh, args: ['-c', 'test "$KEY" = \${HOUSE_KEY}'], env: {KEY: '\${HOUSE_KEY}'}, routes: [{to: lastly}]}
  - {name: lastly, type: human_gate, prompt: Done?, options: [{label: Yes, value: yes}]}
`;

  it('continues where no secret is needed any more, and nowhere else', async () => {
    const file = join(folder, 'keyed.yaml');
    writeFileSync(file, text);
    const env = { PATH: process.env['PATH'], HOUSE_KEY: KEY };
    const errand = await open({ directory: folder, env, secrets: [KEY] });
    const run = await errand.start(await errand.load('keyed.yaml'));
    await run.result();
    const reported = async (): Promise<number> => {
      let events = 0;
      for await (const _event of errand.history(run.id)) events++;
      return events;
    };
    const before = await reported();

    rmSync(file);
    const refused: unknown = await errand.answer(run.id, { value: 'yes' }).catch((e: unknown) => e);
    expect(isKind(refused, 'run.resume_mismatch') && toReport(refused)).toMatchObject({
      details: {
        file: 'keyed.yaml',
        secrets: ['`args.1` of the node call', '`env.KEY` of the node call'],
      },
      action: { detail: 'Put keyed.yaml back, then resume; or start a new run.' },
    });
    expect(await reported()).toBe(before);

    writeFileSync(file, text);
    const called = await errand.answer(run.id, { value: 'yes' });
    expect(await called?.result()).toMatchObject({ status: 'paused', waiting: { node: 'lastly' } });

    rmSync(file);
    const ended = await errand.answer(run.id, { value: 'yes' });
    expect(await ended?.result()).toMatchObject({ status: 'completed' });
  });
});

describe('a run whose key was wrong', () => {
  it('continues with another one, also where a finished node had it', async () => {
    writeFileSync(
      join(folder, 'rotated.yaml'),
      `workflow: {name: rotated, entry_point: before, on_unhandled: fail}
nodes:
  - {name: before, type: script, command: 'true', env: {KEY: '\${HOUSE_KEY}'}, routes: [{to: call}]}
  - {name: call, type: script, command: sh, args: ['-c', 'test "$KEY" = second-house-key'], env: {KEY: '\${HOUSE_KEY}'}}
`,
    );
    const withKey = (key: string): Promise<Errand> =>
      open({
        directory: folder,
        env: { PATH: process.env['PATH'], HOUSE_KEY: key },
        secrets: [key],
      });
    const first = await withKey('first-house-key');
    const run = await first.start(await first.load('rotated.yaml'));
    expect(await run.result()).toMatchObject({ status: 'failed' });
    const second = await withKey('second-house-key');
    const resumed = await second.resume(run.id);
    expect(await resumed.result()).toMatchObject({ status: 'completed' });
  });
});

describe('what is streamed', () => {
  it('is sent as it comes, and retracted when its attempt no longer counts', async () => {
    const errand = await open();
    const said: unknown[] = [];
    const run = await errand.start(
      workflow({
        name: 'stream',
        entryPoint: 'a',
        runtime: { simulate: { m: [{ stream: ['The ', 'lab'], cut: true }, { answer: 'fine' }] } },
        nodes: [{ name: 'a', type: 'agent', prompt: 'hi', model: 'sim/m', onPartial: 'restart' }],
      }),
      { onProgress: ({ value }) => said.push(value) },
    );
    expect(await run.result()).toEqual({ status: 'completed', output: { result: 'fine' } });
    expect(said).toEqual([
      { type: 'text', attempt: 0, delta: 'The ' },
      { type: 'text', attempt: 0, delta: 'lab' },
      { type: 'retracted', attempt: 0 },
      { type: 'text', attempt: 1, delta: 'fine' },
    ]);
  });
});

describe('models and supervisors', () => {
  it('passes over a model that cannot answer by a schema, and says why', async () => {
    const errand = await open();
    const run = await errand.start(
      workflow({
        name: 'able',
        entryPoint: 'a',
        runtime: { simulate: { ok: [{ answer: { x: 'hi' } }] } },
        nodes: [
          {
            name: 'a',
            type: 'agent',
            prompt: 'hi',
            model: ['openai/o1-mini', 'sim/ok'],
            output: { x: { type: 'string' } },
          },
        ],
      }),
    );
    expect(await run.result()).toEqual({ status: 'completed', output: { x: 'hi' } });
    const suppressed: string[] = [];
    for await (const event of run.events())
      if (event.type === 'error:suppressed') suppressed.push(event.error.kind);
    expect(suppressed).toEqual(['provider.capability_missing']);
  });

  it('lets a supervisor choose, see failures as results, and be sent back', async () => {
    const errand = await open({ functions: { broken: () => Promise.reject(new Error('no')) } });
    const answers = [
      { next: 'nobody' },
      { next: 'a' },
      { next: 'b' },
      { next: 'done', reason: 'all' },
    ];
    const run = await errand.start(
      workflow({
        name: 'boss',
        entryPoint: 'boss',
        runtime: { simulate: { boss: answers.map((answer) => ({ answer })) } },
        nodes: [
          {
            name: 'boss',
            type: 'supervisor',
            prompt: 'Go',
            model: 'sim/boss',
            manages: ['a', 'b'],
          },
          { name: 'a', type: 'set', values: { n: 1 } },
          { name: 'b', type: 'call', function: 'broken' },
        ],
      }),
    );
    expect(await run.result()).toEqual({
      status: 'completed',
      output: { rounds: 2, last: 'b', outputs: { a: { n: 1 } }, reason: 'all' },
    });
    expect(
      (await errand.costs(run.id)).attempts.filter(({ type }) => type === 'model'),
    ).toHaveLength(4);
  });
});
