/** Questions to executions that do not answer at once. */
import { describe, expect, it } from 'vitest';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { TemporalConnection } from './connect.ts';
import { RunQueries } from './run-queries.ts';

const CONFIG = { address: 'a:1', namespace: 'n', taskQueue: 'q', directory: '.' };

/** Answers when it has been asked so often, as an execution that is still loading its state. */
function loading(times: number): {
  readonly temporal: TemporalConnection;
  readonly asked: () => number;
} {
  let asked = 0;
  const query = (): Promise<string> =>
    ++asked > times
      ? Promise.resolve('facts')
      : Promise.reject(Object.assign(new Error(), { name: 'QueryNotRegisteredError' }));
  const handle = { query, describe: () => Promise.resolve({}) };
  const temporal = {
    connection: { withDeadline: (_end: number, ask: () => unknown) => ask() },
    workflows: { getHandle: () => handle },
  };
  // all that a question needs of it
  return { temporal: temporal as unknown as TemporalConnection, asked: () => asked };
}

describe('a question to an execution that has just begun', () => {
  it('is asked again until it is answered', async () => {
    const { temporal, asked } = loading(2);
    expect(await new RunQueries(CONFIG, temporal).facts('r')).toBe('facts');
    expect(asked()).toBe(3);
  });

  it('fails when the time of a question is over', async () => {
    const { temporal } = loading(Infinity);
    const refusal = new RunQueries(CONFIG, temporal, 100).facts('r');
    const thrown: unknown = await refusal.catch((error: unknown) => error);
    expect(isKind(thrown, 'store.unavailable')).toBe(true);
  });
});
