/** Lines of events: words that a reader takes in once. */
import { expect, it } from 'vitest';
import type { EventBody } from '../../machine/state/events.ts';
import { EventLines } from './event-line.ts';

const line = (body: EventBody): string | undefined =>
  new EventLines().of({ seq: 1, run: 'r', at: '2026-01-01T00:00:00.000Z', ...body });

it('an answer of --answer is given in advance', () => {
  const answered = { type: 'gate:answered', node: 'ok', path: 'ok', gate: 'ok', value: 'yes' };
  expect(line({ ...answered, by: 'prepared' } as EventBody)).toBe('  ok answered in advance');
  expect(line({ ...answered, by: 'cli:ada' } as EventBody)).toBe('  ok answered by cli:ada');
});

it('a failure that no route of a member takes passes to the group', () => {
  const taken = {
    type: 'route:taken',
    node: 'fetch',
    rule: 0,
    bucket: 'default',
    move: 'propagate',
  };
  const at = (path: string): string | undefined => line({ ...taken, path } as EventBody);
  expect(at('each[2]/fetch')).toBe('  each[2]/fetch: passes to each');
  expect(at('child/each[a]/b/fetch')).toBe('  child/each[a]/b/fetch: passes to child/each[a]/b');
  expect(at('fetch')).toBe('  fetch: no route matches');
});
