import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEngine, type Engine } from '../../engine/errand.ts';
import { keepCheckpoint } from '../../engine/run/checkpoints/keep-checkpoint.ts';
import { viewToJson } from '../../history/run-view/sent-view.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { watchedStore } from '../../stores/watched-store.cases.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { RunFolds } from './run-folds.ts';

/** Steps, then a question. */
const ASKING = workflow({
  name: 'asking',
  entryPoint: 'a',
  nodes: [
    { name: 'a', type: 'set', values: { n: 1 }, routes: [{ to: 'b' }] },
    { name: 'b', type: 'set', values: { n: 2 }, routes: [{ to: 'gate' }] },
    {
      name: 'gate',
      type: 'human_gate',
      prompt: 'Go?',
      options: [{ label: 'Yes', value: 'yes' }],
      routes: [{ to: '$end' }],
    },
  ],
});

let store: RunStore;
let engine: Engine;
let run: string;
/** Where each reading of the log began. */
let reads: number[];

beforeEach(async () => {
  store = openMemoryStore({ now: Date.now });
  reads = [];
  const watched = watchedStore(store, (name, [, fromSeq]) => {
    if (name === 'read') reads.push(Number(fromSeq ?? 1));
  });
  engine = await openEngine({ store: watched });
  const leg = await engine.start(ASKING);
  await leg.result();
  run = leg.id;
});

afterEach(() => engine.close());

/** As a leg that ends does, with a view for a run of any length. */
async function saveView(): Promise<void> {
  const owner = { id: 'o', host: 'h', pid: 1, processStartedAt: '' };
  const claim = await store.claim({ run, owner, leaseMs: 1000, isAlive: () => false });
  await keepCheckpoint(store, claim, 'view');
  await store.release(claim);
}

describe('the page of a run', () => {
  it('is what was saved of a run that rests, and of the log only its end is read', async () => {
    const whole = await new RunFolds(async () => engine).viewOf(run);
    await saveView();
    reads = [];
    const page = await new RunFolds(async () => engine).pageOf(run);
    // the question that is open, and the pause
    expect(reads.toSorted((a, b) => a - b)).toEqual([whole.view.seq - 1, whole.view.seq]);
    expect(viewToJson(page.view)).toEqual(viewToJson(whole.view));
    expect(page.fold.questions()).toEqual(whole.fold.questions());
  });

  it('is read from the log again when anything was added since', async () => {
    await saveView();
    const folds = new RunFolds(async () => engine);
    const before = await folds.pageOf(run);
    await (await engine.resume(run, { answer: { value: 'yes', by: 'ann' } })).result();
    const after = await folds.pageOf(run);
    expect([before.view.status, after.view.status]).toEqual(['paused', 'completed']);
    const fresh = await new RunFolds(async () => engine).pageOf(run);
    const whole = await new RunFolds(async () => engine).viewOf(run);
    expect(viewToJson(fresh.view)).toEqual(viewToJson(whole.view));
    expect(viewToJson(after.view)).toEqual(viewToJson(whole.view));
  });

  it('has every step where the whole view is asked for', async () => {
    await saveView();
    const folds = new RunFolds(async () => engine);
    await folds.pageOf(run);
    reads = [];
    expect((await folds.viewOf(run)).view.steps.length).toBe(3);
    expect(reads).toContain(1);
  });
});
