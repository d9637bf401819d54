/** A run that is killed, resumed, asked about unknown outcomes, and brought to its end. */
import { expect } from 'vitest';
import type { RunResult } from '../../src/engine/backend.ts';
import { isKind } from '../../src/errors/thrown/errand-error.ts';
import type { JsonObject, JsonValue } from '../../src/errors/support/safe-json.ts';
import type { Answer } from '../../src/machine/gates/gate-answer.ts';
import type { RunEvent, Waiting } from '../../src/machine/state/events.ts';
import { doneIn, expectHonestEffects, expectWholeLog, inDoubt } from './books.ts';
import { countingStore, type KillPoint } from './kill-points.ts';
import { logOf, oneLeg } from './one-leg.ts';
import { inPlace, type Place, type Prepared } from './place.ts';
import { killable, type Ended } from './process.ts';
import { deedsIn, untilStill, type Deed } from './world.ts';

/** The run without any interference. */
export interface Undisturbed {
  readonly isLoose: boolean;
  readonly appends: number;
  readonly ending: JsonValue;
  readonly done: readonly string[];
  /** The results of each effect, by its path; it may have been called several times. */
  readonly outputs: ReadonlyMap<string, readonly JsonValue[]>;
}

/** Continues a run until it rests. */
export type GoOn = (place: Place, run: string, answer?: Answer) => Promise<RunResult>;

const goOnHere: GoOn = async ({ job }, run, answer) => {
  const resume = answer === undefined ? { run } : { run, answer };
  return (await oneLeg({ ...job, resume })).result;
};

export async function undisturbed(prepared: Prepared, root: string): Promise<Undisturbed> {
  const { isWitnessed } = prepared;
  return inPlace(prepared, root, async ({ job }) => {
    let appends = 0;
    const { result } = await oneLeg(job, {
      around: (store) => countingStore(store, (_, append) => (appends = append)),
    });
    const events = (await logOf(job.store))?.events ?? [];
    const deeds = deedsIn(job.world);
    expectWholeLog(events);
    expectHonestEffects(events, deeds, isWitnessed);
    return {
      isLoose: prepared.isLoose,
      appends,
      ending: endingOf(result),
      done: doneIn(deeds),
      outputs: outputsOf(events),
    };
  });
}

export interface Interrupted {
  /** How often; the run may have ended before. */
  readonly killed: number;
  /** The number of effects with an unknown outcome. */
  readonly doubts: number;
}

/** Runs one leg, the first or a later one, and is killed during it. */
export type Begin = (place: Place, run: string | undefined, kill: KillPoint) => Promise<Ended>;

/** Begins in a process that runs this script. */
export function beginKillable(script?: string): Begin {
  return ({ job }, run, kill) =>
    killable({ ...job, ...(run === undefined ? {} : { resume: { run } }), kill }, script);
}

export interface JourneyOptions {
  readonly expected: Undisturbed;
  /** One for each leg that is killed. */
  readonly kills: readonly KillPoint[];
  readonly begin?: Begin;
  readonly goOn?: GoOn;
  /** Inspects the place at the end. */
  readonly inspect?: (place: Place, run: string) => Promise<void>;
}

/** Kills a run, in its first leg and perhaps in later ones too, and brings it to its end. */
export async function interrupted(
  prepared: Prepared,
  root: string,
  { expected, kills, begin = beginKillable(), goOn = goOnHere, inspect }: JourneyOptions,
): Promise<Interrupted> {
  return inPlace(prepared, root, async (place) => {
    const { job } = place;
    let killed = 0;
    for (const kill of kills) {
      const run = (await logOf(job.store))?.run;
      const { signal, stderr } = await begin(place, run, kill);
      if (signal === 'SIGKILL') killed++;
      else expect(stderr).not.toContain('    at ');
      await untilStill(`WORLD=${job.world}`);
    }
    const { run, doubts } = await takeUp(place, expected, goOn);
    if (run !== undefined) await inspect?.(place, run);
    return { killed, doubts };
  });
}

/** Brings an interrupted run to its end, which must equal that of the undisturbed run. */
export async function takeUp(
  place: Place,
  expected: Undisturbed,
  goOn: GoOn = goOnHere,
): Promise<{ readonly run?: string; readonly doubts: number }> {
  const { job, isWitnessed } = place;
  const left = await logOf(job.store);
  const before = deedsIn(job.world);
  if (left === undefined) {
    expect(before, 'something was done that no log knows of').toEqual([]);
    return { doubts: 0 };
  }
  const { run, events } = left;
  expectHonestEffects(events, before, isWitnessed);
  const result = await toTheEnd(place, { run, expected, goOn });
  expectSameEnd(await logOf(job.store), result, { place, expected, before });
  return { run, doubts: inDoubt(events).length };
}

/** A person who looks at the world before answering. */
async function toTheEnd(
  place: Place,
  { run, expected, goOn }: { run: string; expected: Undisturbed; goOn: GoOn },
): Promise<RunResult | 'ended before'> {
  let answer: Answer | undefined;
  for (let legs = 0; legs < 30; legs++) {
    const result = await goOn(place, run, answer).catch((refusal: unknown) => {
      if (isKind(refusal, 'run.already_ended')) return 'ended before' as const;
      throw refusal;
    });
    if (result === 'ended before' || result.status !== 'paused') return result;
    const { waiting } = result;
    expect(waiting.reason, `it waits for ${JSON.stringify(waiting)}`).toBe('outcome');
    answer = await honestAnswer(place, waiting, expected);
  }
  throw new Error('the run does not come to its end');
}

async function honestAnswer(
  { job, isWitnessed }: Place,
  waiting: Waiting,
  expected: Undisturbed,
): Promise<Answer> {
  const { gate = '', path = '' } = waiting;
  expect(waiting.options).toEqual(['repeat', 'edit', 'abort']);
  const events = (await logOf(job.store))?.events ?? [];
  const failure = events.findLast((event) => event.type === 'effect:failed' && event.path === path);
  if (failure?.type !== 'effect:failed') throw new Error(`nothing failed at ${path}`);
  expect(failure.error.kind).toBe('effect.outcome_unknown');
  const { key } = failure.effect;
  const happened = deedsIn(job.world).some((deed) => deed.key === key && deed.ending === 'done');
  const known = expected.outputs.get(path)?.at(-1);
  const wasDone = isWitnessed ? happened : known !== undefined;
  const value = wasDone && known !== undefined ? { edit: known } : 'repeat';
  return { gate, value, by: 'test' };
}

function expectSameEnd(
  log: { readonly events: readonly RunEvent[] } | undefined,
  result: RunResult | 'ended before',
  { place, expected, before }: { place: Place; expected: Undisturbed; before: readonly Deed[] },
): void {
  const events = log?.events ?? [];
  const deeds = deedsIn(place.job.world);
  expectWholeLog(events);
  expectHonestEffects(events, deeds, place.isWitnessed);
  const ending = result === 'ended before' ? lastEnding(events) : endingOf(result);
  if (expected.isLoose) expect(ending).toMatchObject({ status: 'completed' });
  else expect(ending).toEqual(expected.ending);
  expect(doneIn(deeds)).toEqual(expected.done);
  expect(deeds.slice(0, before.length)).toEqual(before);
}

/** The status and output, or the kind of the failure. */
function endingOf(result: RunResult): JsonValue {
  switch (result.status) {
    case 'completed':
      return { status: 'completed', output: result.output };
    case 'failed':
      return { status: 'failed', kind: result.error.kind, message: result.error.message };
    case 'cancelled':
    case 'paused':
    case 'interrupted':
      return { status: result.status };
  }
}

function lastEnding(events: readonly RunEvent[]): JsonObject | undefined {
  const last = events.at(-1);
  if (last?.type === 'run:completed') return { status: 'completed', output: last.output };
  if (last?.type !== 'run:failed') return undefined;
  return { status: 'failed', kind: last.error.kind, message: last.error.message };
}

function outputsOf(events: readonly RunEvent[]): Map<string, JsonValue[]> {
  const outputs = new Map<string, JsonValue[]>();
  for (const event of events) {
    if (event.type !== 'effect:succeeded') continue;
    outputs.set(event.path, [...(outputs.get(event.path) ?? []), event.output]);
  }
  return outputs;
}
