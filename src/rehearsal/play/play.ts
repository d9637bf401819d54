/** Plays one scenario to its end in the simulated world: starts the run, and resumes it as its desk says. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { RunHandle, RunResult } from '../../engine/backend.ts';
import { RehearsalDirector } from '../inject/director.ts';
import type { Strike } from '../inject/strike.ts';
import type { Atlas, Place } from '../places/places.ts';
import { SimulatedBackend } from '../simulated-run.ts';
import type { Assignment } from '../steer/field-table.ts';
import type { WorldValues } from '../values/world-values.ts';
import type { Execution } from '../world/execution-record.ts';
import type { Evaluate } from '../world/fate.ts';
import type { NextLeg } from '../world/operator.ts';
import { Rehearsal } from '../world/rehearsal.ts';
import type { CommitFault } from '../world/simulated-store.ts';
import type { Death } from '../world/world.ts';
import { Desk, type People } from './desk.ts';

/** Starts and resumes in all: a run that needs more does not end. */
export const MOST_LEGS = 50;

export interface Stage {
  readonly atlas: Atlas;
  readonly values: WorldValues;
  readonly seed: number;
  readonly evaluate: (request: EffectRequest) => Evaluate;
  /** What the node gave when nothing failed, for `edit`. */
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
  readonly commitFault?: (commit: number, sinceMs: number) => CommitFault | undefined;
  /** Called with each event as it is stored, so that a fault may act on the run. */
  readonly onEvent?: (event: RunEvent, run: RunControl) => void;
}

/** What a fault may do to a run from outside. */
export interface RunControl {
  readonly kill: () => void;
  readonly cancel: () => void;
}

export interface Played {
  readonly events: readonly RunEvent[];
  /** `interrupted`: it did not end within the legs that it has. */
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
  const directing = new RehearsalDirector({ ...stage, ...script });
  const backend = new SimulatedBackend(atlas.plan, {
    seed,
    director: directing,
    deaths: script.deaths ?? [],
  });
  const { world } = backend;
  const beganMs = world.clock.now();
  const isAlone = script.isAlone === true || script.strikes.some((strike) => strike.isAlone);
  const rehearsal = new Rehearsal(backend, {
    input: script.input ?? values.input(script.assignment),
    hasPeople: () => !isAlone,
    ...(script.onEvent === undefined ? {} : { onEvent: watching(script.onEvent, backend) }),
  });
  const desk = new Desk({
    atlas,
    people: script.people,
    now: () => world.clock.now(),
    isSilent: (path) => directing.isSilent(path),
    isUntilOut: (path) => directing.isUntilOut(path),
    usualAnswer: (place, path) =>
      values.answerTo(place, directing.visitOf(path), script.assignment),
    edited: stage.edited,
  });
  const refused: string[] = [];
  let events: readonly RunEvent[] = [];
  let next: NextLeg = { type: 'resume', afterMs: 0 };
  for (let legs = 0; next.type !== 'end' && legs < MOST_LEGS; legs++) {
    await world.clock.passUntil(world.clock.sleep(next.afterMs));
    const { result } = await rehearsal.leg(next);
    if (result.status === 'refused') refused.push(result.error.message);
    events = world.latestRun === '' ? [] : await storedEvents(backend, world.latestRun);
    next =
      refused.length > 3 ? { type: 'end' } : desk.next(world.resultOf(world.latestRun), events);
  }
  backend.kill();
  return {
    events,
    result: next.type === 'end' ? world.resultOf(world.latestRun) : { status: 'interrupted' },
    refused,
    executions: world.executions,
    commits: world.commits,
    virtualMs: world.clock.now() - beganMs,
    landed: directing.landed,
    isStuck: world.incidents.some(({ what }) => what === 'stuck'),
  };
}

function watching(
  onEvent: NonNullable<Script['onEvent']>,
  backend: SimulatedBackend,
): (event: RunEvent, handle: RunHandle) => void {
  return (event, handle) =>
    onEvent(event, { kill: () => backend.kill(), cancel: () => handle.cancel('rehearsal') });
}

async function storedEvents(backend: SimulatedBackend, run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const commit of backend.world.store.read(run))
    // written by the engine, and stored as JSON
    events.push(...(commit.events as unknown as readonly RunEvent[]));
  return events;
}
