/** Questions to executions that do not answer at once. */
import { describe, expect, it } from 'vitest';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { TemporalConnection } from './connect.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { EventsPage } from './messages.ts';
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

/** Answers questions for events; `latest` is the execution that is asked where none is named. */
function answering(page: (execution: string | undefined, from: number, part: number) => object) {
  const temporal = {
    connection: { withDeadline: (_end: number, ask: () => unknown) => ask() },
    workflows: {
      getHandle: (_run: string, execution?: string) => ({
        query: (_name: string, from: number, part = 0) =>
          Promise.resolve(page(execution, from, part)),
      }),
    },
  };
  // all that a question needs of it
  return new RunQueries(CONFIG, temporal as unknown as TemporalConnection);
}

async function seqs(queries: RunQueries): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const { events } of queries.all('r')) found.push(...events.map(({ seq }) => seq));
  return found;
}

/** All that a page needs of an event. */
const event = (seq: number): RunEvent => ({ seq }) as unknown as RunEvent;

describe('the events of a run', () => {
  it('are whole where the run continues in a new execution while they are read', async () => {
    const first = { firstSeq: 1, lastSeq: 4, events: [event(1), event(2)] };
    const rest = { firstSeq: 1, lastSeq: 4, events: [event(3), event(4)] };
    const next = { firstSeq: 5, lastSeq: 6, events: [event(5), event(6)], before: 'one' };
    let hasMoved = false;
    const queries = answering((execution, from) => {
      if (execution === 'one') return from > 2 ? rest : first;
      if (hasMoved) return next;
      hasMoved = true;
      return first;
    });
    expect(await seqs(queries)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('are read in parts where one is larger than an answer, also when it moves meanwhile', async () => {
    const [large, small] = [event(1), event(2)];
    const text = JSON.stringify(large);
    const here = { firstSeq: 1, lastSeq: 1, events: [] };
    const moved: EventsPage[] = [];
    const queries = answering((execution, from, part) => {
      const piece = { text: text.slice(part * 5, part * 5 + 5), parts: Math.ceil(text.length / 5) };
      if (execution === undefined && (part > 0 || moved.length > 0)) {
        moved.push({ firstSeq: 2, lastSeq: 2, events: [small], before: 'one', status: 'running' });
        return moved.at(-1) ?? {};
      }
      return from === 1 ? { ...here, piece } : here;
    });
    expect(await seqs(queries)).toEqual([1, 2]);
  });
});
