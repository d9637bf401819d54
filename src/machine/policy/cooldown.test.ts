import { describe, expect, it } from 'vitest';
import { Stage, START_MS } from '../conversation/conversation.cases.ts';

const LIMITED = { fail: { kind: 'provider.rate_limited', retry_after: 60 } };

/** Three branches: p calls m; q and s call something else first and then m, as r. */
function group(models: object, first: { readonly q: string; readonly s: string }): Stage {
  const node = (name: string, model: string, more: object = {}): object => ({
    name,
    model,
    prompt: 'hi',
    ...more,
  });
  return new Stage({
    workflow: { name: 't', entry_point: 'g', runtime: { simulate: models } },
    nodes: [
      node('p', 'sim/m'),
      node('q', first.q, { routes: [{ to: 'r' }] }),
      node('s', first.s, { routes: [{ to: 'r' }] }),
      node('r', 'sim/m'),
    ],
    parallel: [{ name: 'g', agents: ['p', 'q', 's'], failure_mode: 'continue_on_error' }],
  });
}

/** The branches with running calls. */
function underWay(stage: Stage): readonly string[] {
  return stage.pending().map(({ scope }) => scope);
}

function answer(stage: Stage, branch: string): void {
  for (const pending of stage.pending()) if (pending.scope === branch) stage.answer(pending);
}

describe('a cooldown', () => {
  it('applies to every call of the run, and when it ends one call probes first', () => {
    const stage = group({ m: [LIMITED, { answer: 'ok' }] }, { q: 'sim/n', s: 'sim/n' });
    answer(stage, 'g[p]');
    answer(stage, 'g[q]');
    answer(stage, 'g[s]');
    expect(underWay(stage)).toEqual([]);
    stage.wait();
    expect(stage.nowMs).toBe(START_MS + 60_000);
    expect(underWay(stage)).toEqual(['g[p]']);
    answer(stage, 'g[p]');
    // the model is healthy: the others run together, each with the first entry of its own script
    expect(underWay(stage)).toEqual(['g[q]', 'g[s]']);
  });

  it('is not ended by a call that was made before it started', () => {
    const stage = group({ m: [LIMITED, { answer: 'ok' }] }, { q: 'sim/m', s: 'sim/n' });
    answer(stage, 'g[p]');
    expect(underWay(stage)).toEqual(['g[q]', 'g[s]']);
    answer(stage, 'g[s]');
    expect(underWay(stage)).toEqual(['g[q]']);
    answer(stage, 'g[q]');
    expect(underWay(stage)).toEqual([]);
  });

  it('makes a call that comes during the probe wait for it', () => {
    const stage = group({ m: [LIMITED, { answer: 'ok' }] }, { q: 'sim/n', s: 'sim/n' });
    answer(stage, 'g[p]');
    stage.wait();
    expect(underWay(stage)).toEqual(['g[q]', 'g[s]', 'g[p]']);
    answer(stage, 'g[q]');
    answer(stage, 'g[s]');
    expect(underWay(stage)).toEqual(['g[p]']);
    answer(stage, 'g[p]');
    expect(underWay(stage)).toEqual(['g[q]', 'g[s]']);
  });

  it('starts again when the probe fails', () => {
    const stage = group({ m: [LIMITED] }, { q: 'sim/n', s: 'sim/n' });
    for (const branch of ['g[p]', 'g[q]', 'g[s]']) answer(stage, branch);
    stage.wait();
    answer(stage, 'g[p]');
    expect(underWay(stage)).toEqual([]);
    stage.wait();
    expect(stage.nowMs).toBe(START_MS + 120_000);
    expect(underWay(stage).length).toBe(1);
    stage.play();
    expect(stage.state.status).toBe('failed');
  });

  it('ends with a resume that does not wait', () => {
    const stage = group({ m: [LIMITED, { answer: 'ok' }] }, { q: 'sim/n', s: 'sim/n' });
    for (const branch of ['g[p]', 'g[q]', 'g[s]']) answer(stage, branch);
    stage.take({ type: 'run:resumed', by: 'test', now: true });
    expect(underWay(stage)).toEqual(['g[p]', 'g[q]', 'g[s]']);
  });
});
