/**
 * An agent with eight tool calls is killed before and after its commits, which is around every event of
 * its log, by a signal that nobody can catch; and taken up again. Each commit of ours takes a ninth of
 * the places; `SAMPLE=all` takes all at once.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Errand } from '../../src/engine/errand.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { countingStore, type KillPoint } from '../survival/kill-points.ts';
import { bundle, runScript, type Bundled } from '../survival/process.ts';
import { openLeg, subject, TOOLS, type LegJob } from './kill-leg.ts';
import { howToRepeat, IS_WHOLE, sampled } from '../sampled.ts';

const LEG = join(import.meta.dirname, 'kill-leg.ts');
const AT_ONCE = 4;
/** A round has four places, so every ninth place is another one in each round. */
const ONE_OF = 9;
const LONG_MS = 300_000;
const ALL = Array.from({ length: TOOLS }, (_, index) => String(index + 1));

const root = mkdtempSync(join(tmpdir(), 'errand-agent-kill-'));
let bundled: Bundled;
let appends = 0;
beforeAll(async () => {
  bundled = await bundle(LEG);
  const job = { store: join(root, 'whole.db'), did: join(root, 'whole'), isIdempotent: true };
  const errand = await openLeg(job, (store) =>
    countingStore(store, (_, append) => {
      appends = append;
    }),
  );
  await (await errand.start(subject)).result();
  await errand.close();
});
afterAll(() => {
  bundled.remove();
  rmSync(root, { recursive: true, force: true });
  process.stdout.write(`\nagents killed (${howToRepeat('test/agents/kill.test.ts')})\n`);
});

/** How many of so many places a part has, at least. */
const atLeast = (places: number): number => (IS_WHOLE ? places : Math.floor(places / ONE_OF) - 1);

interface Killed {
  readonly errand: Errand;
  readonly run: string;
  readonly did: () => readonly string[];
  readonly events: () => Promise<readonly RunEvent[]>;
}

/** Undefined when there is nothing to take up: no run yet, or one that had said its last word. */
async function killed(isIdempotent: boolean, kill: KillPoint): Promise<Killed | undefined> {
  const name = join(root, `${isIdempotent ? 'safe' : 'once'}-${kill.when}-${kill.append}`);
  const job: LegJob = { store: `${name}.db`, did: name, isIdempotent, kill };
  const { signal, stderr } = await runScript(bundled.script, JSON.stringify(job));
  expect(signal, stderr).toBe('SIGKILL');
  const errand = await openLeg(job);
  const [found] = await errand.list();
  if (found === undefined || found.status === 'completed') {
    await errand.close();
    return undefined;
  }
  return {
    errand,
    run: found.run,
    did: () => linesOf(name),
    events: async () => {
      const events: RunEvent[] = [];
      for await (const event of errand.history(found.run)) events.push(event);
      return events;
    },
  };
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    // no tool got that far
    return [];
  }
}

const numberIn = (line: string): string => line.split(' ')[0] ?? '';

/** The keys of tool calls whose results are in the log. */
function logged(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'effect:succeeded' && event.effect.type === 'tool' ? [event.effect.key] : [],
  );
}

async function everywhere(what: string, work: (point: KillPoint) => Promise<void>): Promise<void> {
  const all = Array.from({ length: appends * 2 }, (_, index): KillPoint => ({
    when: index % 2 === 0 ? 'before' : 'after',
    append: 1 + Math.floor(index / 2),
  }));
  const points = [...sampled(all, { oneOf: ONE_OF, what })];
  const worker = async (): Promise<void> => {
    for (let point = points.shift(); point !== undefined; point = points.shift()) {
      try {
        await work(point);
      } catch (cause) {
        throw new Error(`killed ${point.when} append ${point.append}`, { cause });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

describe('killed around every event of eight tool calls', () => {
  it(
    'continues where it was, with what may be repeated under the same key',
    async () => {
      let taken = 0;
      await everywhere('repeated', async (point) => {
        const leg = await killed(true, point);
        if (leg === undefined) return;
        taken++;
        const before = logged(await leg.events());
        const resumed = await leg.errand.resume(leg.run, { workflow: subject });
        expect(await resumed.result()).toMatchObject({ output: { result: 'end' } });
        const did = leg.did();
        expect([...new Set(did)].map(numberIn)).toEqual(ALL);
        // at most the one that was under way
        expect(did.length).toBeLessThanOrEqual(TOOLS + 1);
        for (const key of before)
          expect(
            did.filter((line) => line.endsWith(key)),
            'was in the log',
          ).toHaveLength(1);
        await leg.errand.close();
      });
      // each round is a model and a tool, and each of both is asked for and answered
      expect(taken).toBeGreaterThanOrEqual(atLeast(2 * 2 * TOOLS));
    },
    LONG_MS,
  );

  it(
    'does nothing twice that may not be, and asks where it cannot know',
    async () => {
      let doubts = 0;
      await everywhere('asked', async (point) => {
        const leg = await killed(false, point);
        if (leg === undefined) return;
        const resumed = await leg.errand.resume(leg.run, { workflow: subject });
        const result = await resumed.result();
        expect(new Set(leg.did().map(numberIn)).size, 'one was done twice').toBe(leg.did().length);
        const isInDoubt = (await leg.events()).some(
          (event) =>
            event.type === 'effect:failed' && event.error.kind === 'effect.outcome_unknown',
        );
        if (isInDoubt) {
          doubts++;
          expect(result).toMatchObject({ status: 'paused', waiting: { reason: 'outcome' } });
          const edited = await leg.errand.answer(leg.run, {
            value: { edit: { result: 'I looked: it was done' } },
          });
          expect(await edited?.result()).toMatchObject({ status: 'completed' });
          expect(new Set(leg.did().map(numberIn)).size, 'done again').toBe(leg.did().length);
        } else {
          expect(result).toMatchObject({ status: 'completed', output: { result: 'end' } });
          expect(leg.did().map(numberIn)).toEqual(ALL);
        }
        await leg.errand.close();
      });
      // after each request, and before each result
      if (IS_WHOLE) expect(doubts).toBe(2 * TOOLS);
      else expect(doubts).toBeGreaterThanOrEqual(atLeast(2 * TOOLS));
    },
    LONG_MS,
  );
});
