/** A run that needs functions, tools or a workflow in code that are not here is not continued. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../src/cli/run-errand.cases.ts';
import { hasOwnProcess, sharedErrandSync } from './cli/shared/command.ts';
import { toReport } from '../src/errors/thrown/to-report.ts';
import type { ErrorReport } from '../src/errors/report/report.ts';
import { isKind, openErrand, tool, workflow, type Errand, type RunHandle } from '../src/index.ts';

let folder = '';
const opened: Errand[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-without-'));
});

afterEach(async () => {
  for (const errand of opened.splice(0)) await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: Parameters<typeof openErrand>[0] = {}): Promise<Errand> {
  const store = `sqlite:${join(folder, '.errand', 'errand.db')}`;
  const errand = await openErrand({ store, directory: folder, ...options });
  opened.push(errand);
  return errand;
}

interface Command {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const environment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  ERRAND_HOME: join(folder, '.errand'),
});

/** In a process of its own, which loads a module as it is now. */
function command(...args: string[]): Command {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: environment(),
  });
  return { status, stdout, stderr };
}

let commands = 0;

/** For a command that loads no module. */
function anyCommand(...args: string[]): Command {
  if (hasOwnProcess(`${++commands} ${args[0]}`)) return command(...args);
  const { exit, ...said } = sharedErrandSync(args, { cwd: folder, env: environment() });
  return { status: exit, ...said };
}

async function typesOf(errand: Errand, run: string): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of errand.history(run)) types.push(type);
  return types;
}

async function refusalOf(work: Promise<unknown>): Promise<ErrorReport> {
  return toReport(
    await work.then(
      () => new Error('it went on'),
      (thrown: unknown) => thrown,
    ),
  );
}

/** Its error route would take a missing function for an answer of the bank. */
function refundFlow(pay: () => unknown, prompt = 'Pay?') {
  return workflow({
    name: 'refund',
    entryPoint: 'ask',
    onUnhandled: 'fail',
    nodes: [
      {
        name: 'ask',
        type: 'human_gate',
        prompt,
        options: [{ value: 'yes' }],
        routes: [{ to: 'pay' }],
      },
      {
        name: 'pay',
        type: 'call',
        function: () => pay(),
        routes: [{ to: 'lastly' }, { onError: true, to: 'apologise' }],
      },
      { name: 'lastly', type: 'human_gate', prompt: 'Done?', options: [{ value: 'yes' }] },
      { name: 'apologise', type: 'set', value: 'no refund' },
    ],
  });
}

/** Paused at its first gate, in a process that is gone. */
async function pausedRun(flow = refundFlow(() => 'paid')): Promise<string> {
  const errand = await openErrand({
    store: `sqlite:${join(folder, '.errand', 'errand.db')}`,
    directory: folder,
  });
  const run = await errand.start(flow);
  await run.result();
  await errand.close();
  return run.id;
}

describe('a run of a workflow in code, where the workflow is not', () => {
  it.each([
    ['resume', async (errand: Errand, run: string) => errand.resume(run)],
    ['answer', async (errand: Errand, run: string) => errand.answer(run, { value: 'yes' })],
    [
      'resume from a node',
      async (errand: Errand, run: string) => errand.resume(run, { from: 'ask' }),
    ],
  ])('is refused by %s, which writes nothing', async (_, act) => {
    const run = await pausedRun();
    const errand = await open();
    const before = await typesOf(errand, run);
    const report = await refusalOf(act(errand, run));
    expect(report).toMatchObject({
      kind: 'run.resume_mismatch',
      details: { workflow: 'refund', missing: ['the function refund.pay'] },
    });
    expect(report.message).toContain('refund.pay');
    expect(report.action.detail).toContain('workflows');
    expect(await typesOf(errand, run)).toEqual(before);
    expect((await errand.list()).map(({ status }) => status)).toEqual(['paused']);
  });

  it('is refused by an answer also where the process died before any question', async () => {
    const begun = await open();
    const flow = workflow({
      name: 'refund',
      entryPoint: 'pay',
      nodes: [
        { name: 'pay', type: 'call', idempotent: true, function: () => new Promise(() => {}) },
      ],
    });
    const { id: run } = await begun.start(flow);
    await begun.close();
    const errand = await open();
    const before = await typesOf(errand, run);
    expect((await errand.list()).map(({ status }) => status)).toEqual(['interrupted']);
    const report = await refusalOf(errand.answer(run, { value: 'yes' }));
    expect(report).toMatchObject({
      kind: 'run.resume_mismatch',
      details: { missing: ['the function refund.pay'] },
    });
    const known = await open({ workflows: [flow] });
    expect((await refusalOf(known.answer(run, { value: 'yes' }))).kind).toBe('validation.input');
    expect(await typesOf(errand, run)).toEqual(before);
  });

  it('is refused by the command too, with exit 2, and `runs` advises nothing of the kind', async () => {
    const run = await pausedRun();
    const errand = await open();
    const before = await typesOf(errand, run);
    for (const args of [
      ['resume', run],
      ['retry', run],
      ['retry', run, '--from', 'ask'],
      ['answer', run, '--value', 'yes'],
    ]) {
      const { status, stdout } = anyCommand(...args, '--format', 'json');
      expect([args[0], status, JSON.parse(stdout)]).toMatchObject([
        args[0],
        2,
        { status: 'refused', error: { kind: 'run.resume_mismatch' } },
      ]);
    }
    expect(await typesOf(errand, run)).toEqual(before);
  });

  it('is left alone by an Errand that adopts, and reported as a warning', async () => {
    // closed, not stopped: what was stopped on purpose is left alone by everybody
    const { run } = await interrupted((errand) => errand.close());
    const warnings: ErrorReport[] = [];
    const second = await open({ adopt: true, onWarning: (error) => void warnings.push(error) });
    expect(warnings.map(({ kind }) => kind)).toEqual(['run.resume_mismatch']);
    expect(await typesOf(second, run)).not.toContain('run:resumed');
  });

  it('shows where to resume it, and no command', async () => {
    const { run } = await interrupted();
    for (const args of [['runs'], ['show', run]]) {
      const { stdout } = anyCommand(...args);
      expect(stdout).toContain('interrupted');
      expect(stdout).not.toContain('errand resume');
      expect(stdout).toContain('from that program');
    }
  });

  /** Its process lets it go in the middle of its call. */
  async function interrupted(
    letGo: (errand: Errand, run: RunHandle) => unknown = (_, run) => run.stop(),
  ): Promise<{ run: string; errand: Errand }> {
    const errand = await open();
    const run = await errand.start(
      workflow({
        name: 'slow',
        entryPoint: 'pay',
        onUnhandled: 'fail',
        nodes: [
          {
            name: 'pay',
            type: 'call',
            idempotent: true,
            function: (_input: object, { signal }) =>
              new Promise((_, reject) => {
                signal.addEventListener('abort', () => reject(new Error('stopped')));
              }),
            routes: [{ to: '$end' }, { onError: true, to: 'apologise' }],
          },
          { name: 'apologise', type: 'set', value: 'no refund' },
        ],
      }),
    );
    for await (const { type } of run.events()) if (type === 'effect:requested') break;
    void letGo(errand, run);
    await run.result();
    return { run: run.id, errand };
  }
});

describe('a workflow in code that is registered', () => {
  it('is found by its name: by answer, resume and adoption', async () => {
    const paid: string[] = [];
    const flow = refundFlow(() => void paid.push('paid'));
    const run = await pausedRun(flow);
    const errand = await open({ workflows: [flow] });
    const answered = await errand.answer(run, { value: 'yes' });
    expect(await answered?.result()).toMatchObject({
      status: 'paused',
      waiting: { node: 'lastly' },
    });
    expect(paid).toEqual(['paid']);
    const again = await errand.resume(run, { from: 'pay', acceptDrift: true });
    expect(await again.result()).toMatchObject({ status: 'paused' });
    expect(paid).toEqual(['paid', 'paid']);
  });

  it('is the version that the run was started with, where several are registered', async () => {
    const paid: string[] = [];
    const old = refundFlow(() => void paid.push('old'), 'Pay?');
    const fresh = refundFlow(() => void paid.push('fresh'), 'Really pay?');
    const run = await pausedRun(old);
    const errand = await open({ workflows: [old, fresh] });
    await (await errand.answer(run, { value: 'yes' }))?.result();
    expect(paid).toEqual(['old']);
  });

  it('keeps the rules of drift when only another version is there', async () => {
    const old = refundFlow(() => 'paid', 'Pay?');
    const fresh = refundFlow(() => 'paid', 'Really pay?');
    const first = await open({ workflows: [old] });
    const run = await first.start(old);
    await run.result();
    await (await first.answer(run.id, { value: 'yes' }))?.result();
    const second = await open({ workflows: [fresh] });
    expect(await refusalOf(second.answer(run.id, { value: 'yes' }))).toMatchObject({
      kind: 'run.drifted',
      details: { nodes: ['ask'] },
    });
  });

  it('need not be registered where the run was started, or where its functions are', async () => {
    const flow = refundFlow(() => 'paid');
    const errand = await open();
    const run = await errand.start(flow);
    await run.result();
    const answered = await errand.answer(run.id, { value: 'yes' });
    expect(await answered?.result()).toMatchObject({ waiting: { node: 'lastly' } });

    const other = await pausedRun(flow);
    const second = await open({ functions: flow.functions });
    const going = await second.answer(other, { value: 'yes' });
    expect(await going?.result()).toMatchObject({ waiting: { node: 'lastly' } });
  });

  it('is refused when it is not one', async () => {
    const wrong = ['refund'] as unknown as [];
    expect(await refusalOf(openErrand({ store: 'memory', workflows: wrong }))).toMatchObject({
      kind: 'validation.input',
    });
  });

  it('names the tools that its agents lack', async () => {
    const flow = workflow({
      name: 'clerk',
      entryPoint: 'ask',
      onUnhandled: 'fail',
      runtime: {
        simulate: { m: [{ toolCalls: [{ name: 'pay', arguments: {} }] }, { answer: 'ok' }] },
      },
      nodes: [
        {
          name: 'ask',
          type: 'human_gate',
          prompt: 'Go?',
          options: [{ value: 'yes' }],
          routes: [{ to: 'clerk' }],
        },
        { name: 'clerk', model: 'sim/m', prompt: 'Pay', tools: ['pay'] },
      ],
    });
    const pay = tool({ description: 'Pays', writes: true, run: () => 'paid' });
    const first = await open({ tools: { pay } });
    const run = await first.start(flow);
    await run.result();
    const second = await open();
    expect(await refusalOf(second.answer(run.id, { value: 'yes' }))).toMatchObject({
      kind: 'run.resume_mismatch',
      details: { missing: ['the tool pay'] },
    });
    const third = await open({ workflows: [flow] });
    expect(
      isKind(await refusalOf(third.answer(run.id, { value: 'yes' })), 'run.resume_mismatch'),
    ).toBe(true);
    const going = await (
      await open({ workflows: [flow], tools: { pay } })
    ).answer(run.id, { value: 'yes' });
    expect(await going?.result()).toMatchObject({ status: 'completed' });
  });
});

describe('a run of a file whose module is not what it was', () => {
  const file = `workflow: {name: flow, entry_point: ask, module: ./bank.mjs, on_unhandled: fail}
nodes:
  - {name: ask, type: human_gate, prompt: 'Pay?', options: [{value: yes}], routes: [{to: pay}]}
  - {name: pay, type: call, function: pay, routes: [{to: $end}, {on_error: true, to: apologise}]}
  - {name: apologise, type: set, value: no refund}
`;

  it.each([
    [
      'an export is gone',
      (): void => writeFileSync(join(folder, 'bank.mjs'), 'export const x = () => 1;\n'),
    ],
    ['the module is gone', (): void => rmSync(join(folder, 'bank.mjs'))],
    [
      'file and module are gone',
      (): void => {
        rmSync(join(folder, 'bank.mjs'));
        rmSync(join(folder, 'flow.yaml'));
      },
    ],
  ])('is refused when %s', async (_, change) => {
    writeFileSync(join(folder, 'flow.yaml'), file);
    writeFileSync(join(folder, 'bank.mjs'), 'export const pay = () => "paid";\n');
    const paused = command('run', 'flow.yaml', '--format', 'json');
    expect(paused.status).toBe(5);
    const { run } = JSON.parse(paused.stdout) as { run: string };
    change();
    const errand = await open();
    const before = await typesOf(errand, run);
    for (const args of [
      ['resume', run],
      ['answer', run, '--value', 'yes'],
      ['retry', run, '--from', 'ask'],
    ]) {
      const { status, stdout } = command(...args, '--format', 'json');
      expect([args[0], status, JSON.parse(stdout)]).toMatchObject([
        args[0],
        2,
        { status: 'refused', error: { kind: 'run.resume_mismatch' } },
      ]);
      expect(stdout).toMatch(/`pay`|the function pay|module bank\.mjs/);
    }
    expect(await typesOf(errand, run)).toEqual(before);
  });
});
