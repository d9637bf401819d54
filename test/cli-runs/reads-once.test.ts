/** What a resume reads of the log of its run, seen from a store that counts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newPlace, type Place } from '../cli/errand.ts';

const SQLITE = join(import.meta.dirname, '../../src/stores/sqlite/sqlite.ts');
const ENV = { ERRAND_EXTENSIONS: './counting.ts', ERRAND_STORE: 'counting:runs' };

/** Writes a line for each event that is read, and for each commit. */
const COUNTING = `import { appendFileSync } from 'node:fs';
import { extension } from 'errand';
const { openSqliteStore } = await import(${JSON.stringify(SQLITE)});
const note = (line) => appendFileSync('calls.txt', line + '\\n');
async function open(address) {
  const store = await openSqliteStore({ path: './' + address + '.db', now: Date.now });
  return new Proxy(store, { get: (_, name) => {
    if (name === 'append') return (commit) => { note('append'); return store.append(commit); };
    if (name === 'read') return async function* (run, fromSeq) {
      for await (const commit of store.read(run, fromSeq)) {
        for (const { seq } of commit.events) note('read ' + seq);
        yield commit;
      }
    };
    return typeof store[name] === 'function' ? store[name].bind(store) : store[name];
  } });
}
export const counting = extension({ name: 'counting', contract: 1, store: open });
`;

const FILE = `workflow: {name: w, entry_point: a}
nodes:
  - {name: a, type: set, value: {x: 1}, routes: [{to: b}]}
  - {name: b, type: set, value: {x: 2}, routes: [{to: g}]}
  - {name: g, type: human_gate, prompt: Go?, options: [{label: Yes, value: 'yes'}], routes: [{to: $end}]}
`;

let place: Place;

beforeEach(() => {
  place = newPlace();
  place.write('counting.ts', COUNTING);
  place.write('w.yaml', FILE);
});

afterEach(() => place.remove());

/**
 * How often each event of earlier legs was read: before the leg wrote anything, and after. Without the
 * last one: what was exported last is compared with the log before the run is claimed.
 */
function readsOf(run: string): ReadonlyMap<number, readonly [before: number, after: number]> {
  const exported = readFileSync(join(place.folder, '.errand', 'runs', run, 'events.jsonl'), 'utf8');
  const last = exported.split('"type":"run:paused"')[0]?.split('\n').length ?? 0;
  const calls = readFileSync(join(place.folder, 'calls.txt'), 'utf8').split('\n');
  const begun = calls.indexOf('append');
  const times = (part: readonly string[], seq: number): number =>
    part.filter((call) => call === `read ${seq}`).length;
  return new Map(
    Array.from({ length: last - 1 }, (_, at) => [
      at + 1,
      [times(calls.slice(0, begun), at + 1), times(calls.slice(begun), at + 1)] as const,
    ]),
  );
}

describe('the log of a run', () => {
  it.each([
    ['resume', ['--now']],
    ['answer', ['--value', 'yes']],
    ['retry', ['--from', 'b']],
  ])('is read once by `errand %s`, also where its file has changed', (command, flags) => {
    const paused = place.run(['run', 'w.yaml', '--format', 'json'], { env: ENV });
    expect(paused.exit, paused.stderr).toBe(5);
    const { run } = JSON.parse(paused.stdout) as { run: string };
    place.write('w.yaml', FILE.replace('Go?', 'Go now?'));
    writeFileSync(join(place.folder, 'calls.txt'), '');
    const ended = place.run([command, run, ...flags, '--accept-drift', '--format', 'json'], {
      env: ENV,
    });
    expect([0, 5], ended.stdout + ended.stderr).toContain(ended.exit);
    expect(ended.stderr).toContain('Go now?');
    const reads = readsOf(run);
    expect(reads.size).toBeGreaterThan(5);
    // once for the note, the engine and the screen; and once for the result, when the leg is over
    for (const [seq, counts] of reads) expect(counts, `event ${seq}`).toEqual([1, 1]);
  });
});
