/**
 * Simulated servers on one store: machines whose processes are killed, stopped and restarted, that
 * stand still for longer than a lease, and whose clocks differ. Separate books record the effects
 * in the world, and show whether anything was lost or done twice.
 */
import { randomFrom } from '../../src/rehearsal/world/random.ts';
import { simulatedStore } from '../../src/rehearsal/world/simulated-store.ts';
import { VirtualClock } from '../../src/rehearsal/world/virtual-clock.ts';
import type { EffectClock } from '../../src/effects/clock.ts';
import { CarryOnRuns } from '../../src/engine/local/carry-on-runs.ts';
import { KeepSchedules } from '../../src/engine/local/keep-schedules.ts';
import { LocalBackend } from '../../src/engine/local/local-backend.ts';
import type { EffectRunner } from '../../src/engine/run/effect-runner.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { workflow } from '../../src/workflow/authoring/define.ts';

const MINUTE_MS = 60_000;

/** Pays, waits for longer than a process does by itself, ships, asks, and reports. */
const ORDER = workflow({
  name: 'order',
  entryPoint: 'pay',
  nodes: [
    { name: 'pay', type: 'call', function: 'pay', routes: [{ to: 'rest' }] },
    { name: 'rest', type: 'wait', duration: '200s', routes: [{ to: 'ship' }] },
    { name: 'ship', type: 'call', function: 'ship', idempotent: true, routes: [{ to: 'ask' }] },
    {
      name: 'ask',
      type: 'human_gate',
      prompt: 'Say so?',
      options: [{ value: 'yes', route: 'tell' }],
      timeout: '10m',
      default: 'yes',
    },
    { name: 'tell', type: 'call', function: 'tell' },
  ],
});

const REPORT = workflow({
  name: 'report',
  entryPoint: 'write',
  schedule: [{ cron: '*/10 * * * *' }],
  nodes: [{ name: 'write', type: 'call', function: 'write' }],
});

const PLANS = new Map([ORDER, REPORT].map((each) => [each.plan.name, each.plan]));

export interface FleetOptions {
  readonly seed: number;
  readonly orders: number;
  /** The time during which things go wrong. */
  readonly troubleMs: number;
}

/** One execution of an effect in the world. */
export interface Execution {
  readonly run: string;
  readonly node: string;
  readonly key: string;
  readonly process: string;
  readonly atMs: number;
}

export interface FleetHistory {
  readonly executions: readonly Execution[];
  /** Logs by run. */
  readonly logs: ReadonlyMap<string, readonly RunEvent[]>;
  readonly statuses: ReadonlyMap<string, string>;
  readonly incidents: readonly string[];
  readonly warnings: readonly string[];
  /** The machines that resumed something. */
  readonly machines: ReadonlySet<string>;
}

interface Machine {
  readonly name: string;
  readonly aheadMs: number;
  readonly maxRuns: number;
}

const MACHINES: readonly Machine[] = [
  { name: 'a', aheadMs: 0, maxRuns: 4 },
  { name: 'b', aheadMs: 0, maxRuns: Infinity },
  { name: 'c', aheadMs: 5 * MINUTE_MS, maxRuns: Infinity },
];

/** After the trouble everything gets this much time to end. */
const CALM_MS = 60 * MINUTE_MS;

/** Longer than a lease: a run that is still active shows. */
const SETTLE_MS = 2 * MINUTE_MS;

export async function simulateFleet(options: FleetOptions): Promise<FleetHistory> {
  const fleet = new Fleet(options);
  await fleet.run();
  return fleet.history();
}

interface ServerProcess {
  readonly id: string;
  readonly backend: LocalBackend;
  readonly carrying: CarryOnRuns;
  readonly schedules: KeepSchedules;
  isAlive: boolean;
  /** Resolves when it no longer stands still. */
  awake: Promise<void>;
}

class Fleet {
  readonly #options: FleetOptions;
  readonly #clock = new VirtualClock(Date.parse('2026-11-17T06:00:00.000Z'));
  readonly #store: RunStore = openMemoryStore({ now: () => this.#clock.now() });
  readonly #living = new Map<string, ServerProcess>();
  readonly #executions: Execution[] = [];
  readonly #incidents: string[] = [];
  readonly #warnings: string[] = [];
  #started = 0;
  #isCalm = false;
  #calmMs = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { orders, troubleMs } = this.#options;
    const trouble = MACHINES.map((machine) => this.#serve(machine));
    const person = this.#answerQuestions();
    const starting = this.#startOrders(orders);
    await this.#clock.passUntil(Promise.all([starting, this.#clock.sleep(troubleMs)]));
    this.#isCalm = true;
    this.#calmMs = this.#clock.now();
    await this.#clock.passUntil(Promise.all([...trouble, person]), CALM_MS);
    for (const process of this.#living.values()) process.isAlive = false;
  }

  async history(): Promise<FleetHistory> {
    const logs = new Map<string, readonly RunEvent[]>();
    const statuses = new Map<string, string>();
    for (const { run, status } of await this.#store.list()) {
      const events: RunEvent[] = [];
      // written by the engine
      for await (const commit of this.#store.read(run))
        events.push(...(commit.events as unknown as RunEvent[]));
      logs.set(run, events);
      statuses.set(run, status);
    }
    const machines = new Set(this.#executions.map(({ process }) => process.slice(0, 1)));
    return {
      executions: this.#executions,
      logs,
      statuses,
      incidents: this.#incidents,
      warnings: this.#warnings,
      machines,
    };
  }

  /** The processes of one machine, one after the other, until all is calm. */
  async #serve(machine: Machine): Promise<void> {
    const random = randomFrom('machine', machine.name, this.#options.seed);
    while (!this.#isCalm) {
      const process = this.#spawn(machine);
      await process.carrying.begin();
      process.schedules.begin();
      await this.#clock.sleep(10_000 + random.int(4 * MINUTE_MS));
      if (this.#isCalm) return;
      const what =
        machine.name === 'b'
          ? random.pick(['stall', 'kill'])
          : random.pick(['kill', 'stop', 'stall']);
      this.#incidents.push(`${what} ${process.id}`);
      if (what === 'stall') {
        await this.#stall(process, 20_000 + random.int(70_000));
        await this.#clock.sleep(random.int(MINUTE_MS));
      }
      if (what === 'stop') {
        await process.schedules.stop();
        await process.carrying.stop();
        await process.backend.close();
      }
      this.#kill(process);
      await this.#clock.sleep(random.int(30_000));
    }
    // a server that was down is restarted
    const last = this.#spawn(machine);
    await last.carrying.begin();
    last.schedules.begin();
  }

  async #stall(process: ServerProcess, ms: number): Promise<void> {
    process.awake = this.#clock.sleep(ms);
    await process.awake;
  }

  #kill(process: ServerProcess): void {
    process.isAlive = false;
    this.#living.delete(process.id);
  }

  #spawn({ name, aheadMs, maxRuns }: Machine): ServerProcess {
    const id = `${name}${++this.#started}`;
    const world = this.#clock;
    const clock: EffectClock = {
      now: () => world.now() + aheadMs,
      after: (ms, call) =>
        world.after(ms, () => {
          // a timer that is due while the process stands still fires when it wakes
          void process.awake.then(() => (process.isAlive ? call() : undefined));
        }),
    };
    const store = this.#storeOf(() => process);
    let ids = 0;
    const backend = new LocalBackend({
      store,
      effects: this.#effectsOf(() => process),
      clock,
      newId: () => (ids++ === 0 ? id : `order-${id}-${ids}`),
      onOutage: 'wait',
      onWarning: ({ kind }) => void this.#warnings.push(kind),
    });
    const onWarning = (thrown: unknown): void => void this.#warnings.push(String(thrown));
    const carrying = new CarryOnRuns({
      clock,
      sharing: backend.sharing,
      workflows: () => [...PLANS.keys()],
      maxRuns,
      take: ({ run, workflow: named, status }, lostBefore) =>
        backend.resume(run, {
          by: status === 'paused' ? 'timer' : 'adoption',
          lostBefore,
          workflow: () => Promise.resolve({ plan: PLANS.get(named) ?? ORDER.plan }),
        }),
      onWarning,
    });
    const schedules = new KeepSchedules({
      clock,
      work: backend.sharing.work,
      store,
      // work from the trouble ends in the calm, and nothing new begins
      workflows: () => (this.#isCalm ? [] : [REPORT]),
      start: ({ plan }, { input, id: named }) => backend.start(plan, input, { id: named }),
      reserve: () => carrying.reserve(),
      onWarning,
    });
    const process: ServerProcess = {
      id,
      backend,
      carrying,
      schedules,
      isAlive: true,
      awake: Promise.resolve(),
    };
    this.#living.set(id, process);
    return process;
  }

  /** A process that stands still gets its replies late; a dead one never. */
  #storeOf(of: () => ServerProcess): RunStore {
    const random = randomFrom('store', ++this.#started, this.#options.seed);
    const inner = simulatedStore({
      store: this.#store,
      isAlive: () => of().isAlive,
      // other machines: only the lease shows whether a process lives
      isOwnerAlive: (owner) => owner !== of().id || of().isAlive,
      drawFault: () => {
        if (this.#isCalm) return undefined;
        const draw = random.next();
        if (draw < 0.01) return 'slow';
        if (draw < 0.02) return 'forgotten';
        return draw < 0.03 ? 'refused' : undefined;
      },
      slowly: () => this.#clock.sleep(random.int(3000)),
      die: () => this.#kill(of()),
      stealClaim: () => Promise.resolve(),
      stored: () => undefined,
      stamp: (thrown) => thrown,
      drawDamage: () => undefined,
      damaged: () => false,
    });
    return new Proxy(inner, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function' || name === 'read') return method;
        return async (...given: unknown[]): Promise<unknown> => {
          await of().awake;
          const reply: unknown = await (method.call(target, ...given) as Promise<unknown>);
          await of().awake;
          return reply;
        };
      },
    });
  }

  /** The world acts at once; the process learns of it later, or never. */
  #effectsOf(of: () => ServerProcess): EffectRunner {
    const random = randomFrom('effects', ++this.#started, this.#options.seed);
    return {
      run: async ({ ref, node }, { run, signal }) => {
        const process = of();
        if (!process.isAlive) return new Promise(() => undefined);
        await process.awake;
        this.#executions.push({
          run,
          node: node.name,
          key: ref.key,
          process: process.id,
          atMs: this.#clock.now(),
        });
        const stopped = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve()),
        );
        await Promise.race([this.#clock.sleep(random.int(20_000)), stopped]);
        await process.awake;
        if (!process.isAlive) return new Promise(() => undefined);
        // a stopped effect has happened all the same, and nobody knows
        return signal.aborted
          ? {
              ok: false,
              failure: { kind: 'cancelled.call', message: 'stopped', outcome: 'unknown' },
            }
          : { ok: true, output: `${node.name} done` };
      },
      close: () => Promise.resolve(),
    };
  }

  async #startOrders(count: number): Promise<void> {
    const random = randomFrom('orders', this.#options.seed);
    for (let number = 1; number <= count; number++) {
      await this.#clock.sleep(random.int(MINUTE_MS));
      for (;;) {
        if (this.#living.size === 0) {
          await this.#clock.sleep(1000);
          continue;
        }
        const process = random.pick([...this.#living.values()]);
        // like a client with a key: it tries other servers until it has an answer
        const answer = process.backend.start(ORDER.plan, {}, { id: `order-${number}` }).then(
          () => true,
          () => false,
        );
        const isStarted = await Promise.race([answer, this.#clock.sleep(20_000).then(() => false)]);
        if (isStarted) break;
      }
    }
  }

  /** Answers unknown outcomes from the books of the world; every other question expires. */
  async #answerQuestions(): Promise<void> {
    for (;;) {
      await this.#clock.sleep(15_000);
      for (const { run, waiting } of await this.#store.list({ statuses: ['paused'] })) {
        if (waiting?.reason !== 'outcome' || waiting.gate === undefined) continue;
        const hasHappened = this.#executions.some(
          (each) => each.run === run && each.node === waiting.node,
        );
        const value = hasHappened ? { edit: 'looked up' } : 'repeat';
        const [process] = [...this.#living.values()].filter(({ isAlive }) => isAlive);
        await Promise.race([
          process?.backend
            .answer(run, { gate: waiting.gate, value, by: 'ada' })
            .catch(() => undefined),
          this.#clock.sleep(60_000),
        ]);
      }
      const open = await this.#store.list({ statuses: ['running', 'paused'] });
      if (this.#isCalm && open.length === 0 && this.#clock.now() >= this.#calmMs + SETTLE_MS)
        return;
    }
  }
}
