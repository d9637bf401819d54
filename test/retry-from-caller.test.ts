/** `retry --from` a node that calls another workflow, after that workflow or the node itself has changed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openErrand, type Errand, type RunResult } from '../src/index.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-from-caller-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, node: object, first: readonly object[] = []): void {
  const entry = first.length === 0 ? 'c' : 'first';
  const workflow = { name: name.replace('.yaml', ''), entry_point: entry, on_unhandled: 'fail' };
  const nodes = [...first, { name: 'c', ...node }];
  writeFileSync(join(folder, name), JSON.stringify({ workflow, nodes }));
}

const CALL = { type: 'workflow', workflow: './ch.yaml' };
const OTHER = { type: 'workflow', workflow: './ch2.yaml' };
const FAILING = { type: 'script', command: 'sh', args: ['-c', 'exit 1'] };
const WORKING = { type: 'script', command: 'sh', args: ['-c', 'echo yes'] };
const GATE = { type: 'human_gate', prompt: 'Go?', options: [{ value: 'yes' }] };

async function inErrand<T>(body: (errand: Errand) => Promise<T>): Promise<T> {
  const errand = await openErrand({
    store: `sqlite:${join(folder, 'errand.db')}`,
    directory: folder,
  });
  try {
    return await body(errand);
  } finally {
    await errand.close();
  }
}

const begin = (): Promise<string> =>
  inErrand(async (errand) => {
    const run = await errand.start(await errand.load('p.yaml'));
    await run.result();
    return run.id;
  });

const retry = (id: string, acceptDrift: boolean): Promise<RunResult> =>
  inErrand(async (errand) => {
    const workflow = await errand.load('p.yaml');
    return (await errand.resume(id, { workflow, from: 'c', acceptDrift })).result();
  });

describe.each([false, true])('a caller that is run again (accepts drift: %s)', (acceptDrift) => {
  it.each([
    ['failed', FAILING, OTHER],
    ['waits for a person', GATE, OTHER],
    ['failed, and is a script now', FAILING, WORKING],
  ])('begins the changed workflow anew where the old one %s', async (_, child, now) => {
    write('p.yaml', CALL);
    write('ch.yaml', child);
    const id = await begin();
    rmSync(join(folder, 'ch.yaml'));
    write('ch2.yaml', WORKING);
    write('p.yaml', now);
    expect(await retry(id, acceptDrift)).toMatchObject({ status: 'completed' });
  });

  it('takes the new text of steps that had finished in the old workflow', async () => {
    const first = (value: number): object[] => [
      { name: 'first', type: 'set', value, routes: [{ to: 'c' }] },
    ];
    write('p.yaml', CALL);
    write('ch.yaml', FAILING, first(1));
    const id = await begin();
    write('ch.yaml', WORKING, first(2));
    expect(await retry(id, acceptDrift)).toMatchObject({ status: 'completed' });
  });
});

it.each([
  ['c/c', /^Name c instead/],
  ['c/nobody', /^Name c instead/],
  ['nobody', /^Name a finished node that no later retry has undone \(c\);/],
  ['C', /^Did you mean c\?$/],
])(
  'the path %s in a finished workflow is refused, and says what can be run again',
  async (from, detail) => {
    write('p.yaml', CALL);
    write('ch.yaml', WORKING);
    const id = await begin();
    await inErrand(async (errand) => {
      const workflow = await errand.load('p.yaml');
      const refused = await errand
        .resume(id, { workflow, from })
        .catch((thrown: unknown) => thrown);
      expect(refused).toMatchObject({
        report: { kind: 'validation.input', action: { detail: expect.stringMatching(detail) } },
      });
    });
  },
);
