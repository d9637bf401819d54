/** `attach`: follows a run that another Errand has, to the end of its leg. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openErrand, workflow, type Errand, type RunHandle } from '../src/index.ts';

let folder = '';
let work = Promise.withResolvers<string>();
const opened: Errand[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-attach-'));
  work = Promise.withResolvers();
});

afterEach(async () => {
  work.resolve('late');
  for (const errand of opened.splice(0)) await errand.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<Errand> {
  const errand = await openErrand({ store: `sqlite:${join(folder, 'errand.db')}` });
  opened.push(errand);
  return errand;
}

const slow = workflow({
  name: 'slow',
  entryPoint: 'work',
  nodes: [{ name: 'work', type: 'call', function: () => work.promise }],
});

const asking = workflow({
  name: 'asking',
  entryPoint: 'ask',
  nodes: [{ name: 'ask', type: 'human_gate', prompt: 'Go?', options: [{ value: 'yes' }] }],
});

async function typesOf(run: RunHandle): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of run.events()) types.push(type);
  return types;
}

describe('attach', () => {
  it('gives the events and the result of a run that another Errand has', async () => {
    const [owner, other] = [await open(), await open()];
    const run = await owner.start(slow);
    const attached = await other.attach(run.id);
    expect(attached.id).toBe(run.id);
    const types = typesOf(attached);
    const result = attached.result();
    work.resolve('done');
    expect(await result).toEqual({ status: 'completed', output: 'done' });
    expect(await types).toEqual(await typesOf(run));
  });

  it('gives the handle itself where the run is here', async () => {
    const owner = await open();
    const run = await owner.start(slow);
    expect(await owner.attach(run.id)).toBe(run);
    work.resolve('done');
    await run.result();
    // and what is stored when it is over
    const ended = await owner.attach(run.id);
    expect(await ended.result()).toEqual({ status: 'completed', output: 'done' });
  });

  it('ends with the leg: at a gate it is paused, after the answer it is the next leg', async () => {
    const [owner, other] = [await open(), await open()];
    const run = await owner.start(asking);
    await run.result();
    const paused = await other.attach(run.id);
    expect(await paused.result()).toMatchObject({ status: 'paused', waiting: { gate: 'ask' } });
    await (await owner.answer(run.id, { value: 'yes', by: 'ada' }))?.result();
    const next = await other.attach(run.id);
    expect((await typesOf(next))[0]).toBe('run:resumed');
    expect(await next.result()).toMatchObject({ status: 'completed' });
  });

  it('stops following, and leaves the run to its owner', async () => {
    const [owner, other] = [await open(), await open()];
    const run = await owner.start(slow);
    const attached = await other.attach(run.id);
    const result = attached.result();
    attached.stop();
    expect(await result).toEqual({ status: 'interrupted' });
    work.resolve('done');
    expect(await run.result()).toEqual({ status: 'completed', output: 'done' });
  });

  it('stops following when its own Errand is closed', async () => {
    const [owner, other] = [await open(), await open()];
    const run = await owner.start(slow);
    const result = (await other.attach(run.id)).result();
    await other.close();
    expect(await result).toEqual({ status: 'interrupted' });
    expect(await owner.get(run.id)).toMatchObject({ status: 'running' });
  });

  it('cancels the run, whichever Errand has it', async () => {
    const [owner, other] = [await open(), await open()];
    const run = await owner.start(slow);
    const attached = await other.attach(run.id);
    attached.cancel('ada');
    expect(await attached.result()).toEqual({ status: 'cancelled' });
    expect(await run.result()).toEqual({ status: 'cancelled' });
  });

  it('rejects with run.not_found', async () => {
    const errand = await open();
    await expect(errand.attach('no-such-run')).rejects.toMatchObject({ kind: 'run.not_found' });
  });
});
