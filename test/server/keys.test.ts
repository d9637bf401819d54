/** One key is one run, however many ask at the same moment and whatever becomes of the server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serve, type Served } from './served.ts';
import { ALL } from './workflows.ts';

const CLIENTS = 50;
const TOKEN = 'a-token-of-the-environment';
const env = { ERRAND_TOKEN: TOKEN };

/** Asks until it gets an answer, as a client with a key may. */
async function startUntilAnswered(
  where: () => Served,
  key: string,
): Promise<{ run: string; status: number }> {
  for (;;) {
    try {
      const { json, status } = await where().ask('/v1/runs', {
        token: TOKEN,
        json: { workflow: 'ask' },
        headers: { 'idempotency-key': key },
      });
      if (status === 200 || status === 201) return { run: json.run, status };
    } catch {
      // the server is away; it will be back
    }
    await sleep(20);
  }
}

describe('a key', () => {
  it('from 50 clients at once starts one run', async () => {
    const served = await serve({ files: ALL, env });
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, () => startUntilAnswered(() => served, 'one')),
    );
    expect(new Set(answers.map(({ run }) => run)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect((await served.ask('/v1/runs', { token: TOKEN })).json.runs).toHaveLength(1);
  });

  it('from 50 clients at once starts one run though the server is killed in between', async () => {
    let served = await serve({ files: ALL, env });
    const clients = Array.from({ length: CLIENTS }, () => startUntilAnswered(() => served, 'two'));
    // killed as soon as any of them has an answer
    await Promise.race(clients);
    served.child.kill('SIGKILL');
    await served.ended;
    served = await serve({ folder: served.folder, env });
    const answers = await Promise.all(clients);
    expect(new Set(answers.map(({ run }) => run)).size).toBe(1);
    expect((await served.ask('/v1/runs', { token: TOKEN })).json.runs).toHaveLength(1);
  });

  it('gives a failed run back with its next moves, and nothing is started', async () => {
    const served = await serve({ files: ALL, env });
    const start = () =>
      served.ask('/v1/runs', {
        token: TOKEN,
        json: { workflow: 'fails' },
        headers: { 'idempotency-key': 'three', prefer: 'wait=60' },
      });
    const first = await start();
    const again = await start();
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json).toMatchObject({
      run: first.json.run,
      status: 'failed',
      error: { kind: 'order.missing' },
    });
    expect(again.json.nextMoves[0]).toMatchObject({ move: 'resume' });
  });
});
