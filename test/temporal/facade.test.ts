/** `openErrand({temporal})`: the same interface as over a store, for runs that workers execute. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openErrand, workflow, type Errand, type RunEvent } from '../../src/index.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { recordTelemetry, traceparentOf, tree } from '../telemetry/otel.ts';
import { historyText } from './read-history.ts';
import { openStage, PATIENCE_MS, whyNot, type Stage } from './stage.ts';

const skipped = whyNot('an Errand that is opened on Temporal');

const FILE = `workflow: {name: review, entry_point: draft, input: {about: {type: string}}}
nodes:
  - {name: draft, type: call, function: shout, arguments: {text: '{{ workflow.input.about }}'}, routes: [{to: ask}]}
  - {name: ask, type: human_gate, prompt: Publish it?, options: [{value: 'yes'}, {value: 'no'}], routes: [{to: $end}]}
output: {draft: '{{ draft.output.text }}', said: '{{ ask.output.selected }}'}
`;

const LEG = 'invoke_workflow review';

const KEYS = {
  ARG_TOKEN: 'Gq8kP2vT9xLm4RsW7yNa',
  ENV_TOKEN: 'Gq8kP2vT9xLm4RsW7yNb',
  STDIN_TOKEN: 'Gq8kP2vT9xLm4RsW7yNc "quoted"',
};

const SECRETS = `workflow:
  name: secrets
  entry_point: set
  on_unhandled: fail
  input: {note: {type: string}}
  runtime: {simulate: {forger: [{answer: 'use $\${ARG_TOKEN} or <secret 00 ARG_TOKEN>'}]}}
nodes:
  - {name: set, type: set, value: '\${ARG_TOKEN}', routes: [{to: echo}]}
  - {name: echo, type: agent, model: sim/echo, prompt: 'the key is \${ARG_TOKEN}', tools: [], routes: [{to: forge}]}
  - {name: forge, type: agent, model: sim/forger, prompt: go, tools: [], routes: [{to: forged}]}
  - {name: forged, type: call, function: shout, arguments: {text: '{{ forge.output.result }}', key: '\${ARG_TOKEN}'}, routes: [{to: script}]}
  - name: script
    type: script
    command: sh
    args: ['-c', 'printf "%s %s " "$0" "$PLAIN" > got; cat >> got; printf "%s" "$0" > kept', '\${ARG_TOKEN}']
    env: {PLAIN: '\${ENV_TOKEN}'}
    stdin: 'in \${STDIN_TOKEN}'
    routes: [{to: call}]
  - {name: call, type: call, function: check, arguments: {key: '\${ARG_TOKEN}'}, routes: [{to: later}]}
  - {name: later, type: script, command: cat, args: [kept], routes: [{to: ask}]}
  - {name: ask, type: human_gate, prompt: 'with \${ARG_TOKEN}?', options: [{value: 'yes', prompt_for: why}], routes: [{to: $end}]}
output:
  set: '{{ set.output }}'
  echoed: '{{ echo.output.result }}'
  forged: '{{ forged.output.text }}'
  note: '{{ workflow.input.note }}'
  called: '{{ call.output }}'
  later: '{{ later.output.stdout }}'
`;

const MISSING = `workflow: {name: missing, entry_point: a, on_unhandled: fail}
nodes: [{name: a, type: call, function: check, arguments: {key: '\${HERE_TOKEN}'}, routes: [{to: $end}, {on_error: true, to: $end}]}]
`;

const functions = {
  shout: (input: unknown) => ({ text: String((input as { text: string }).text).toUpperCase() }),
  check: ({ key }: { key: string }) => ({ key, isTrue: key === KEYS.ARG_TOKEN }),
};

async function typesOf(events: AsyncIterable<RunEvent>): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

describe('openErrand({temporal})', () => {
  it.each(['store', 'guard', 'credentials'])(
    'refuses `%s`, which would do nothing',
    async (name) => {
      const options = { temporal: { address: '127.0.0.1:1' }, [name]: () => undefined };
      await expect(openErrand(options as never)).rejects.toMatchObject({
        kind: 'validation.input',
        report: { details: { option: name } },
      });
    },
  );
});

describe.skipIf(skipped !== undefined)('an Errand on Temporal', () => {
  let stage: Stage;
  let folder = '';
  let errand: Errand;
  const open = (): Promise<Errand> =>
    openErrand({
      temporal: { ...stage.config, heartbeatMs: PATIENCE_MS, queryMs: PATIENCE_MS },
      functions,
      directory: folder,
    });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'errand-on-temporal-'));
    writeFileSync(join(folder, 'review.yaml'), FILE);
    stage = await openStage('facade');
    await stage.worker({ functions, base: folder, telemetry: createTelemetry() });
    errand = await open();
  }, 300_000);

  afterAll(async () => {
    await errand?.close();
    await stage?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('gives the spans of a local run, once, with the leg linked to the one before', async () => {
    const recorded = recordTelemetry();
    try {
      const review = await errand.load('review.yaml');
      const run = await recorded.inSpan('host', () =>
        errand.start(review, { input: { about: 'cats' } }),
      );
      expect(await run.result()).toMatchObject({ status: 'paused' });
      const next = await errand.answer(run.id, { value: 'yes' });
      expect(await next?.result()).toMatchObject({ status: 'completed' });
      await expect
        .poll(async () => (await recorded.spans()).filter(({ name }) => name === LEG).length)
        .toBe(2);
      const spans = await recorded.spans();
      expect(tree(spans, ['errand.leg', 'errand.leg.cause', 'errand.run.status'])).toBe(
        [
          'host',
          '  invoke_workflow review leg=1 leg.cause=start run.status=paused',
          '    errand.node draft',
          '    errand.node ask',
          'invoke_workflow review leg=2 leg.cause=answer run.status=completed',
          '  errand.node ask',
        ].join('\n'),
      );
      const [first, second] = spans.filter(({ name }) => name === LEG);
      expect(second?.links.map(({ context }) => context.spanId)).toEqual([
        first?.spanContext().spanId,
      ]);
      const stored: (string | undefined)[] = [];
      for await (const event of errand.history(run.id))
        if (event.type === 'run:started' || event.type === 'run:resumed')
          stored.push(event.traceparent);
      expect(stored).toEqual([first, second].map((span) => traceparentOf(span)));
    } finally {
      await recorded.close();
    }
  });

  it('makes each span once when another worker takes the workflow over', async () => {
    const recorded = recordTelemetry();
    const begun = Promise.withResolvers<void>();
    let calls = 0;
    const slow = (_input: unknown, { signal }: { signal: AbortSignal }): unknown => {
      if (calls++ > 0) return { done: true };
      begun.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    };
    const functions = { quick: () => ({}), slow };
    const moved = await openStage('moved', stage);
    const options = { functions, base: folder, telemetry: createTelemetry() };
    const first = await moved.worker(options);
    const host = await openErrand({
      temporal: { ...moved.config, heartbeatMs: 5000, queryMs: PATIENCE_MS },
      functions,
      directory: folder,
    });
    try {
      writeFileSync(
        join(folder, 'moves.yaml'),
        `workflow: { name: moves, entry_point: one }
nodes:
  - { name: one, type: call, function: quick, routes: [{ to: two }] }
  - { name: two, type: call, function: slow, idempotent: true }
`,
      );
      const run = await recorded.inSpan('host', async () =>
        host.start(await host.load('moves.yaml')),
      );
      await begun.promise;
      await first.stop();
      await moved.worker({ ...options, telemetry: createTelemetry() });
      expect(await run.result()).toMatchObject({ status: 'completed' });
      await expect
        .poll(async () =>
          (await recorded.spans()).some(({ name }) => name === 'invoke_workflow moves'),
        )
        .toBe(true);
      const spans = await recorded.spans();
      expect(spans.map(({ name }) => name).toSorted()).toEqual([
        'errand.node one',
        'errand.node two',
        'host',
        'invoke_workflow moves',
      ]);
    } finally {
      await host.close();
      await moved.close();
      await recorded.close();
    }
  });

  it('starts a file, shows it, and answers it from another client', async () => {
    const review = await errand.load('review.yaml');
    const run = await errand.start(review, { input: { about: 'cats' } });
    expect(await run.result()).toMatchObject({ status: 'paused', waiting: { gate: 'ask' } });
    const other = await open();
    expect(await other.get(run.id)).toMatchObject({
      run: run.id,
      workflow: 'review',
      file: 'review.yaml',
      status: 'paused',
      input: { about: 'cats' },
      nodes: [
        { path: 'draft', status: 'completed' },
        { path: 'ask', status: 'waiting' },
      ],
    });
    const answered = await other.answer(run.id, { value: 'yes', by: 'ada' });
    const output = { draft: 'CATS', said: 'yes' };
    expect(await answered?.result()).toEqual({ status: 'completed', output });
    const attached = await errand.attach(run.id);
    expect(await attached.result()).toEqual({ status: 'completed', output });
    const leg = await typesOf(attached.events());
    expect([leg[0], leg.at(-1)]).toEqual(['run:resumed', 'run:completed']);
    const all = await typesOf(errand.history(run.id));
    expect(all.slice(-leg.length)).toEqual(leg);
    expect(all[0]).toBe('run:started');
    expect(await errand.costs(run.id)).toMatchObject({ attempts: [{ node: 'draft' }] });
    await other.close();
  });

  it('takes over a file that was changed in a folder of its own', async () => {
    const review = await errand.load('review.yaml');
    const run = await errand.start(review, { input: { about: 'dogs' } });
    await run.result();
    writeFileSync(join(folder, 'review.yaml'), FILE.replace('said:', 'answer:'));
    const resumed = await errand.answer(run.id, { value: 'no' });
    expect(await resumed?.result()).toEqual({
      status: 'completed',
      output: { draft: 'DOGS', answer: 'no' },
    });
    writeFileSync(join(folder, 'review.yaml'), FILE);
  });

  it('runs a workflow that was made in code, and cancels it', async () => {
    const asking = workflow({
      name: 'asking',
      entryPoint: 'ask',
      nodes: [{ name: 'ask', type: 'human_gate', prompt: 'Go?', options: [{ value: 'yes' }] }],
    });
    const run = await errand.start(asking);
    expect(await run.result()).toMatchObject({ status: 'paused' });
    await errand.cancel(run.id, 'ada');
    expect(await errand.get(run.id)).toMatchObject({ status: 'cancelled', file: 'code:asking' });
    await expect(errand.resume(run.id)).rejects.toMatchObject({ kind: 'run.already_ended' });
  });

  describe('a secret of the file', () => {
    let apart: Stage;
    let host: Errand;

    beforeAll(async () => {
      writeFileSync(join(folder, 'secrets.yaml'), SECRETS);
      writeFileSync(join(folder, 'missing.yaml'), MISSING);
      apart = await openStage('secrets', stage);
      await apart.worker({ functions, base: folder, env: { ...process.env, ...KEYS } });
      host = await openErrand({
        temporal: { ...apart.config, heartbeatMs: PATIENCE_MS, queryMs: PATIENCE_MS },
        functions,
        directory: folder,
        env: { ...process.env, ...KEYS, HERE_TOKEN: 'Gq8kP2vT9xLm4RsW7yHere' },
      });
    }, 300_000);

    afterAll(async () => {
      await host?.close();
      await apart?.close();
    });

    const everything = async (run: string): Promise<string> => {
      const history: unknown[] = [];
      for await (const event of host.history(run)) history.push(event);
      const kept = await historyText(apart.config, run);
      expect(kept).toMatch(/<secret [\da-f]{32} \w+>/);
      const read = JSON.stringify([history, await host.get(run)]);
      expect(read).not.toMatch(/<secret [\da-f]{32}/);
      return kept + read;
    };

    it('gets to what a worker executes, and to nothing else', async () => {
      const run = await host.start(await host.load('secrets.yaml'), {
        input: { note: `it is ${KEYS.ARG_TOKEN}` },
        answers: [{ gate: 'ask', value: { selected: 'yes', additional_input: KEYS.ARG_TOKEN } }],
      });
      const result = await run.result();
      expect(result).toMatchObject({
        status: 'completed',
        output: {
          set: '[redacted]',
          echoed: 'the key is [redacted]',
          forged: expect.stringContaining('ARG_TOKEN'),
          note: 'it is [redacted]',
          called: { isTrue: true, key: '[redacted]' },
          later: '[redacted]',
        },
      });
      // each as the file gives it
      expect(readFileSync(join(folder, 'got'), 'utf8')).toBe(
        `${KEYS.ARG_TOKEN} ${KEYS.ENV_TOKEN} in ${KEYS.STDIN_TOKEN}`,
      );
      const seen = `${JSON.stringify(result)}\n${await everything(run.id)}`;
      for (const value of Object.values(KEYS)) expect(seen).not.toContain(value);
    });

    it('is not in the plan of a file that was repaired either', async () => {
      const run = await host.start(await host.load('missing.yaml'));
      expect(await run.result()).toMatchObject({
        status: 'failed',
        error: {
          kind: 'run.resume_mismatch',
          outcome: 'not_started',
          message: expect.stringContaining('HERE_TOKEN is not set at the worker'),
        },
      });
      writeFileSync(join(folder, 'missing.yaml'), MISSING.replaceAll('HERE_TOKEN', 'ARG_TOKEN'));
      const resumed = await host.resume(run.id);
      expect(await resumed.result()).toMatchObject({
        status: 'completed',
        output: { isTrue: true },
      });
      const seen = await everything(run.id);
      for (const value of Object.values(KEYS)) expect(seen).not.toContain(value);
      expect(seen).not.toContain('7yHere');
    });
  });

  it('refuses what it refuses over a store', async () => {
    await expect(errand.attach('nobody')).rejects.toMatchObject({ kind: 'run.not_found' });
    await expect(errand.start({} as never)).rejects.toMatchObject({ kind: 'validation.input' });
    const review = await errand.load('review.yaml');
    await expect(errand.start(review)).rejects.toMatchObject({ kind: 'validation.input' });
  });
});
