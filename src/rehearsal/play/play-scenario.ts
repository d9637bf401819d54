/**
 * Plays one scenario to its end in the simulated world: starts the run, and resumes it as the
 * scenario's person decides.
 */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { RunHandle, RunResult } from '../../engine/backend.ts';
import type { CallFault } from '../inject/call-fault.ts';
import { RehearsalDirector } from '../inject/rehearsal-director.ts';
import type { Strike } from '../inject/strike.ts';
import type { Atlas, Place } from '../places/atlas.ts';
import { SimulatedBackend } from '../simulated-run.ts';
import type { Assignment } from '../steer/field-table.ts';
import type { WorldValues } from '../values/world-values.ts';
import type { Execution } from '../world/execution-record.ts';
import type { Evaluate } from '../world/fate.ts';
import type { NextLeg } from '../world/operator.ts';
import { Rehearsal } from '../world/rehearsal.ts';
import type { Director } from '../world/director.ts';
import type { Death } from '../world/world.ts';
import { ScriptedPerson, type People } from './scripted-person.ts';

/** Limit of starts and resumes together: a run that needs more does not end. */
const MOST_LEGS = 50;

/** How long an operator waits after a leg that could not begin; twice as long each time after the first minute. */
const REFUSED_MS = 5000;
const SOON_REFUSED = 12;
const MOST_REFUSED = 32;

export interface Stage {
  readonly atlas: Atlas;
  readonly values: WorldValues;
  readonly seed: number;
  readonly evaluate: (request: EffectRequest) => Evaluate;
  /** The output of the node when nothing failed, for `edit`. */
  readonly edited: (place: Place) => JsonValue;
}

export interface Script {
  readonly assignment: Assignment;
  readonly strikes: readonly Strike[];
  readonly people: People;
  readonly input?: JsonObject;
  /** Nobody can be asked. */
  readonly isAlone?: boolean;
  readonly deaths?: readonly Death[];
  /** Faults that count as they happen, made anew for each performance. */
  readonly faults?: () => PlayedFaults;
}

/** Faults that a plan writes. */
export interface PlayedFaults {
  readonly strikes: readonly Strike[];
  /** Faults of single calls. */
  readonly callFaults: readonly CallFault[];
  readonly commitFault?: NonNullable<Director['commitFault']>;
  /** Called with each event as it is stored, so that a fault may act on the run. */
  readonly onEvent?: (event: RunEvent, run: RunControl) => void;
}

/** The powers of a fault over a run from outside. */
export interface RunControl {
  readonly kill: () => void;
  readonly cancel: () => void;
}

export interface Played {
  readonly events: readonly RunEvent[];
  /** `interrupted`: it did not end within its legs. */
  readonly result: RunResult;
  /** Failures to begin a leg. */
  readonly refused: readonly string[];
  readonly executions: readonly Execution[];
  readonly commits: number;
  readonly virtualMs: number;
  readonly landed: RehearsalDirector['landed'];
  readonly isStuck: boolean;
}

export async function play(stage: Stage, script: Script): Promise<Played> {
  const { atlas, values, seed } = stage;
  const faults = script.faults?.();
  const directing = new RehearsalDirector({
    ...stage,
    ...script,
    ...faults,
    strikes: [...(faults?.strikes ?? []), ...script.strikes],
    killSoon: () => void world.clock.after(1, () => backend.kill()),
  });
  const backend = new SimulatedBackend(atlas.plan, {
    seed,
    director: directing,
    deaths: script.deaths ?? [],
  });
  const { world } = backend;
  const beganMs = world.clock.now();
  const isAlone = script.isAlone === true || script.strikes.some((strike) => strike.isAlone);
  let isCancelled = false;
  const outside = (handle: RunHandle): RunControl => ({
    kill: () => backend.kill(),
    cancel: () => {
      isCancelled = true;
      handle.cancel('rehearsal');
    },
  });
  const rehearsal = new Rehearsal(backend, {
    input: script.input ?? values.input(script.assignment),
    hasPeople: () => !isAlone,
    ...(faults?.onEvent === undefined ? {} : { onEvent: watching(faults.onEvent, outside) }),
  });
  const person = new ScriptedPerson({
    atlas,
    people: script.people,
    now: () => world.clock.now(),
    visitOf: (path) => directing.visitOf(path),
    isSilent: (path) => directing.isSilent(path),
    isUntilOut: (path) => directing.isUntilOut(path),
    usualAnswer: (place, path) =>
      values.answerTo(place, directing.visitOf(path), script.assignment),
    edited: stage.edited,
  });
  const parts = { rehearsal, world, person, directing, isCancelled: () => isCancelled };
  const { isEnded, refused } = await playLegs(parts);
  backend.kill();
  return {
    events: world.events,
    result: isEnded ? world.resultOf(world.latestRun) : { status: 'interrupted' },
    refused,
    executions: world.executions,
    commits: world.commits,
    virtualMs: world.clock.now() - beganMs,
    landed: directing.landed,
    isStuck: world.incidents.some(({ what }) => what === 'stuck'),
  };
}

interface LegParts {
  readonly rehearsal: Rehearsal;
  readonly world: SimulatedBackend['world'];
  readonly person: ScriptedPerson;
  readonly directing: RehearsalDirector;
  /** Whether a fault has cancelled the run. */
  readonly isCancelled: () => boolean;
}

async function playLegs({ rehearsal, world, person, directing, isCancelled }: LegParts): Promise<{
  readonly isEnded: boolean;
  readonly refused: readonly string[];
}> {
  const refused: string[] = [];
  const { events } = world;
  let next: NextLeg = { type: 'resume', afterMs: 0 };
  for (let legs = 0; next.type !== 'end' && legs < MOST_LEGS;) {
    await world.clock.passUntil(world.clock.sleep(next.afterMs));
    const { by, result } = await rehearsal.leg(next);
    if (result.status === 'interrupted') directing.recall(events);
    next = person.next(world.resultOf(world.latestRun), events);
    if (result.status !== 'refused') legs++;
    else if (refused.push(result.error.message) > MOST_REFUSED) break;
    else if (next.type === 'resume')
      // a store that is away is called again after a while
      next = { ...next, afterMs: next.afterMs + refusedMs(refused.length) };
    // a run that waits for a person has no process that could be stopped
    const isWaiting = world.resultOf(world.latestRun).status === 'paused';
    if (isCancelled() && by !== 'cancel' && isWaiting) next = { type: 'cancel', afterMs: 0 };
  }
  return { isEnded: next.type === 'end', refused };
}

function refusedMs(times: number): number {
  return REFUSED_MS * 2 ** Math.max(0, times - SOON_REFUSED);
}

function watching(
  onEvent: NonNullable<PlayedFaults['onEvent']>,
  outside: (handle: RunHandle) => RunControl,
): (event: RunEvent, handle: RunHandle) => void {
  return (event, handle) => onEvent(event, outside(handle));
}
