import { expect, test } from 'vitest';
import { HURRIED } from '../../effects/hurried-clock.cases.ts';
import type { RunCore } from '../core.ts';
import { answerGate } from './move-run.ts';

test('an answer that a store holds up is one that has yet to be stored', async () => {
  const core = {
    clock: HURRIED,
    carryOn: () => ({ hasRoom: () => true }),
    workflows: { find: () => Promise.resolve(undefined) },
    engine: () =>
      Promise.resolve({
        record: () => Promise.resolve({ head: { nextSeq: 4 } }),
        // its store is away
        answer: () => new Promise(() => undefined),
      }),
    reader: {
      summary: () => Promise.resolve({ workflow: 'asks', status: 'running' }),
      digest: () => Promise.resolve({ questions: [{ gate: 'ask', path: 'ask', node: 'ask' }] }),
      eventAfter: () => Promise.resolve(undefined),
    },
  } as unknown as RunCore;
  const given = { gate: 'ask', value: 'yes', by: 'http:ada', isByProgram: false };
  expect(await answerGate(core, 'a-run', given)).toEqual({ gate: 'ask' });
});
