/** What a seed determines, and what a crash does not change. */
import { describe, expect, it } from 'vitest';
import { isPlainObject } from '../../src/errors/support/safe-json.ts';
import { simulate, type Simulation } from '../../src/rehearsal/simulated-run.ts';
import { CALM, STORMY } from '../../src/rehearsal/world/faults.ts';
import { speak } from './conversation.ts';
import { guardsOf } from './guards.ts';
import { drawPlan, planOfFiles } from './plans.ts';
import { ofType, type EventOf } from '../../src/rehearsal/laws/subject.ts';
import { tryOut } from './trial.ts';
import { SURVIVABLE } from './weather.ts';
import { IS_SOAK } from '../runs.ts';
import { drawn, howToRepeat, IS_WHOLE, sampled } from '../sampled.ts';

/** Every eighth plan of a thousand runs, and others with each commit. */
const PARTS = IS_WHOLE || process.env['RUNS'] !== undefined ? 1 : 8;
const PART = drawn('killed and resumed', PARTS);
const COMPARED = Number(process.env['RUNS'] ?? (IS_SOAK ? 10_000 : 1000)) / PARTS;
/** Ten plans with twenty seeds each, of which a commit takes another fifth. */
const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);

/** The first line in which two runs differ; everything that happened is in the lines. */
function firstDifference(one: Simulation, other: Simulation): readonly string[] | undefined {
  const lines = (each: Simulation): readonly string[] =>
    [each.events, each.commits, each.executions, each.incidents, each.legs]
      .flat()
      .map((line) => JSON.stringify(line));
  const [first, second] = [lines(one), lines(other)];
  const index = first.findIndex((line, place) => line !== second[place]);
  if (index < 0 && first.length === second.length) return undefined;
  return [first[index] ?? 'nothing', second[index] ?? 'nothing'];
}

describe('the same seed', () => {
  it(
    'gives the same history, byte for byte',
    async () => {
      for (const seed of sampled(SEEDS, { oneOf: 5, what: 'played twice' })) {
        const { plan } = await drawPlan(Math.floor(seed / 20));
        const options = {
          seed,
          faults: STORMY,
          answers: 'any',
          speaker: speak,
          resumes: 1,
          isShared: seed % 20 === 0,
          guards: guardsOf(seed),
          prepared: [{ gate: 'a', value: 'approve' }],
        } as const;
        const [first, second] = [await simulate(plan, options), await simulate(plan, options)];
        expect(firstDifference(first, second), `seed ${seed}`).toBeUndefined();
      }
    },
    10 * 60_000,
  );
});

describe('a run that is killed and resumed', () => {
  it(
    'ends like the undisturbed one, with the same effects, where nothing was left in doubt',
    async () => {
      let compared = 0;
      let deaths = 0;
      for (let seed = Number(process.env['FROM'] ?? 0); compared < COMPARED; seed++) {
        const number = Math.floor(seed / 20);
        const { plan, isTimeless } = await drawPlan(number);
        if (!isTimeless || number % PARTS !== PART) {
          seed += 19;
          continue;
        }
        const options = { seed, answers: 'any', speaker: speak, maxLegs: 60 } as const;
        const calm = { ...CALM, effectFails: SURVIVABLE.effectFails };
        const disturbed = await simulate(plan, { ...options, faults: SURVIVABLE });
        if (disturbed.events.some(isAffected)) continue;
        const undisturbed = await simulate(plan, { ...options, faults: calm });
        expect(essence(disturbed), `seed ${seed}`).toEqual(essence(undisturbed));
        compared++;
        deaths += disturbed.incidents.filter(({ what }) => what.startsWith('died')).length;
      }
      process.stdout.write(
        `${compared} runs compared with undisturbed ones, ${deaths} deaths (${howToRepeat('test/simulation/same-history.test.ts')})\n`,
      );
    },
    60 * 60_000,
  );
});

/** A death leaves some outcomes unknown, and takes from the time that a tool has. */
function isAffected(event: Simulation['events'][number]): boolean {
  if (event.type !== 'effect:failed') return false;
  const { kind } = event.error;
  return kind === 'effect.outcome_unknown' || kind === 'limit.node_timeout';
}

/** What the two have in common whatever the time was, and in whichever order branches ran. */
function essence({ events }: Simulation): unknown {
  const last = events.at(-1);
  const results = ofType(events, 'effect:succeeded', 'effect:failed')
    .filter(isHeard)
    .map(
      (event) =>
        `${event.path} ${event.effect.key} ${event.type === 'effect:failed' ? event.error.kind : JSON.stringify(event.output)}`,
    );
  return {
    end: last?.type,
    output: last?.type === 'run:completed' ? withoutStamps(last.output) : null,
    error: last?.type === 'run:failed' ? [last.error.kind, last.error.location?.path] : null,
    results: results.sort(),
  };
}

/** A call that was lost with its process, and may not be made again at once, is made again later. */
function isHeard(event: EventOf<'effect:succeeded' | 'effect:failed'>): boolean {
  if (event.type === 'effect:succeeded') return true;
  return event.error.kind !== 'cancelled.call' || event.error.outcome !== 'unknown';
}

/**
 * Reports in it have the time, the position in the log and the number of the call: a crash changes
 * them.
 */
function withoutStamps(value: unknown): unknown {
  const text = JSON.stringify(value, (key, inner: unknown) =>
    key === 'id' || key === 'at' || key === 'attempt' ? undefined : withoutFirst(inner),
  );
  return JSON.parse(text);
}

/** Which member of a group failed first, and so what the group takes after, is a matter of time. */
function withoutFirst(value: unknown): unknown {
  if (!isPlainObject(value) || value['class'] !== 'group') return value;
  const { kind, message, details, location } = value;
  return { kind, message, details, location };
}

describe('retries around retries', () => {
  it('are made exactly as often as validate prints: 3 × 3 × 3', async () => {
    const file = (name: string, node: object): string =>
      JSON.stringify({
        workflow: { name, entry_point: 'a' },
        nodes: [
          {
            name: 'a',
            ...node,
            routes: [{ to: '$end' }, { on_error: 'order.missing', retry: { max: 2 } }],
          },
        ],
      });
    const drawn = planOfFiles({
      'main.yaml': file('main', { type: 'workflow', workflow: './child.yaml' }),
      'child.yaml': file('child', { type: 'workflow', workflow: './leaf.yaml' }),
      'leaf.yaml': file('leaf', {
        type: 'call',
        function: 'f',
        raises: ['order.missing'],
        timeout_seconds: 60,
      }),
    });
    const { result, executions } = await simulate(drawn.plan, {
      fails: { a: [{ kind: 'order.missing', message: 'No such order' }] },
    });
    expect(result).toMatchObject({ status: 'failed', error: { kind: 'order.missing' } });
    expect({ made: executions.length, printed: drawn.worstCase.effects }).toEqual({
      made: 27,
      printed: 27,
    });
  });

  it('leave the trials as they were drawn', async () => {
    const [one, other] = [await tryOut(5), await tryOut(5)];
    expect(firstDifference(one.subject, other.subject)).toBeUndefined();
  });
});
