import { describe, expect, it } from 'vitest';
import type { EffectClock } from '../../effects/clock.ts';
import type { EffectResult } from '../../effects/effect-port.ts';
import { HURRIED } from '../../effects/hurried-clock.cases.ts';
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { ROW_GAP_MS } from '../../machine/policy/breaker.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { LocalBackend } from '../local/local-backend.ts';
import { createEffectRunner, type EffectRunner } from './effect-runner.ts';

const PLAN = workflow({
  name: 'short',
  entryPoint: 'work',
  nodes: [{ name: 'work', type: 'call', function: 'work', breaker: true }],
}).plan;

type Outcome = 'ok' | 'call.failed' | 'breaker.open';

/** One store that any number of processes use, and a clock that stands still. */
class Scene {
  readonly store: RunStore = openMemoryStore({ now: Date.now });
  writes = 0;
  nowMs = Date.parse('2026-03-01T12:00:00.000Z');

  constructor() {
    const { store } = this;
    // it outlives its processes
    store.close = () => Promise.resolve();
    const change = store.changeBreaker.bind(store);
    store.changeBreaker = (key, next) => {
      this.writes++;
      return change(key, next);
    };
  }

  process(): Process {
    const clock: EffectClock = { ...HURRIED, now: () => this.nowMs };
    return new Process(this.store, clock);
  }

  /** A process of its own that makes one call. */
  async once(fails: boolean): Promise<Outcome> {
    const process = this.process();
    const outcome = await process.call(fails);
    await process.backend.close();
    return outcome;
  }
}

class Process {
  readonly backend: LocalBackend;
  #fails = false;

  constructor(store: RunStore, clock: EffectClock) {
    const work = () => {
      if (this.#fails) throw new Error('out of order');
      return {};
    };
    const effects = createEffectRunner({ env: {}, directory: '.', functions: { work } });
    this.backend = new LocalBackend({ store, effects, clock });
  }

  async call(fails: boolean): Promise<Outcome> {
    this.#fails = fails;
    const run = await this.backend.start(PLAN, {});
    const result = await run.result();
    return result.status === 'failed' ? (result.error.kind as Outcome) : 'ok';
  }
}

describe('breakers of processes that share a store', () => {
  it('open after five failures in five processes', async () => {
    const scene = new Scene();
    const outcomes: Outcome[] = [];
    for (let count = 0; count < 6; count++) outcomes.push(await scene.once(true));
    expect(outcomes).toEqual([...Array(5).fill('call.failed'), 'breaker.open']);
  });

  it('count failures that happen at once', async () => {
    const scene = new Scene();
    await Promise.all(Array.from({ length: 5 }, () => scene.once(true)));
    expect(await scene.once(false)).toBe('breaker.open');
  });

  it('write once for each failure, and never for a success', async () => {
    const scene = new Scene();
    const process = scene.process();
    for (const fails of [false, true, false, true, true, false, false]) await process.call(fails);
    await process.backend.close();
    expect(scene.writes).toBe(3);
  });

  it('begin a new row after a success that this process has seen', async () => {
    const scene = new Scene();
    for (let count = 0; count < 3; count++) await scene.once(true);
    const process = scene.process();
    await process.call(true);
    scene.nowMs++;
    await process.call(false);
    scene.nowMs++;
    await process.call(true);
    await process.backend.close();
    expect((await scene.store.breakers()).get('node short/work')).toMatchObject({ failures: 1 });
  });

  it('begin a new row when nothing was called for a while', async () => {
    const scene = new Scene();
    for (let count = 0; count < 4; count++) await scene.once(true);
    scene.nowMs += ROW_GAP_MS + 1;
    expect(await scene.once(true)).toBe('call.failed');
    expect(await scene.once(false)).toBe('ok');
    scene.nowMs += ROW_GAP_MS;
    for (let count = 0; count < 4; count++) await scene.once(true);
    expect(await scene.once(false)).toBe('breaker.open');
  });

  it('count for themselves while the store cannot', async () => {
    const scene = new Scene();
    scene.store.changeBreaker = () => Promise.reject(new TypeError('not one of yours'));
    const process = scene.process();
    for (let count = 0; count < 5; count++) await process.call(true);
    expect(await process.call(false)).toBe('breaker.open');
    await process.backend.close();
  });
});

describe('breakers of what a file names', () => {
  const tool = (settings: object, name = 's'): typeof PLAN =>
    workflow({
      name: 't',
      entryPoint: 'a',
      runtime: { mcpServers: { [name]: settings } },
      nodes: [{ name: 'a', type: 'tool', tool: `${name}/t` }],
    }).plan;
  const model = (provider: object): typeof PLAN =>
    workflow({
      name: 't',
      entryPoint: 'a',
      runtime: { provider: { name: 'openai', ...provider } },
      nodes: [{ name: 'a', type: 'agent', model: ['openai/m', 'anthropic/n'], prompt: 'Hello' }],
    }).plan;

  /** Whether a run of the plan calls the tool or its first model; all that it calls fails. */
  async function isCalled({ store }: Scene, plan: typeof PLAN): Promise<boolean> {
    let calls = 0;
    const failed = (kind: RuntimeKind): EffectResult => ({
      ok: false,
      failure: { kind, message: 'Down', outcome: 'failed' },
    });
    const effects: EffectRunner = {
      run: async ({ ref }) => {
        if (ref.target === 'anthropic/n') return failed('provider.auth');
        calls++;
        return failed(ref.type === 'model' ? 'provider.server_error' : 'tool.timeout');
      },
      close: () => Promise.resolve(),
    };
    const backend = new LocalBackend({ store, effects, clock: HURRIED });
    await (await backend.start(plan, {})).result();
    await backend.close();
    return calls > 0;
  }

  const HTTP = { type: 'http', url: 'https://a.test/mcp?key=planted-key' };
  it.each([
    ['the server has another address', tool(HTTP), tool({ ...HTTP, url: 'https://b.test/mcp' })],
    [
      'it has another command',
      tool({ command: 'x', args: ['planted-key'] }),
      tool({ command: 'x' }),
    ],
    [
      'it has another environment',
      tool({ command: 'x', env: { URL: 'planted-key' } }),
      tool({ command: 'x' }),
    ],
    [
      'the model has another address',
      model({ baseUrl: 'https://a.test/?key=planted-key' }),
      model({}),
    ],
  ])(
    'do not stop a file where the same name means something else: %s',
    async (_, broken, other) => {
      const scene = new Scene();
      for (let count = 0; count < 5; count++) await isCalled(scene, broken);
      expect(await isCalled(scene, broken)).toBe(false);
      expect(await isCalled(scene, other)).toBe(true);
      expect(JSON.stringify([...(await scene.store.breakers())])).not.toContain('planted-key');
    },
  );

  it('stop a file that has another name for the same server', async () => {
    const scene = new Scene();
    for (let count = 0; count < 5; count++) await isCalled(scene, tool(HTTP));
    expect(await isCalled(scene, tool(HTTP, 'r'))).toBe(false);
  });
});
