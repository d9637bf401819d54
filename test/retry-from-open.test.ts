/** `retry --from` a path that is not there, inside a group, a child or a supervisor that has not ended. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openErrand } from '../src/index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-from-open-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const GATE = { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ value: 'yes' }] };
const PAY = { name: 'pay', type: 'set', value: 1, routes: [{ to: 'gate' }] };
const BOSS = { type: 'supervisor', model: 'sim/boss', prompt: 'Go.', manages: ['pay'] };

it.each([
  [
    'a group',
    { type: 'parallel', agents: ['pay'] },
    'g[pay]/pya',
    /finished node of the run is called g\[pay\]\/pya/,
  ],
  [
    'a child',
    { type: 'workflow', workflow: './c.yaml' },
    'g/pya',
    /finished node of the run is called g\/pya/,
  ],
  ['a supervisor', BOSS, 'g[1]/pay', /cannot be run again by itself: g runs again as a whole/],
])('never says of %s that it has finished', async (_, node, from, message) => {
  const simulate = { boss: [{ answer: { next: 'pay', reason: 'first' } }] };
  const head = { name: 'p', entry_point: 'g', on_unhandled: 'fail', runtime: { simulate } };
  const g = { name: 'g', ...node, routes: [{ to: '$end' }] };
  const nodes = node.type === 'workflow' ? [g] : [g, PAY, GATE];
  const child = { workflow: { name: 'c', entry_point: 'pay' }, nodes: [PAY, GATE] };
  writeFileSync(join(folder, 'c.yaml'), JSON.stringify(child));
  writeFileSync(join(folder, 'p.yaml'), JSON.stringify({ workflow: head, nodes }));
  const errand = await openErrand({ store: 'memory', directory: folder });
  try {
    const run = await errand.start(await errand.load('p.yaml'));
    expect(await run.result()).toMatchObject({ status: 'paused' });
    await expect(errand.resume(run.id, { from })).rejects.toThrow(message);
  } finally {
    await errand.close();
  }
});
