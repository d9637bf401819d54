/** One seed: one workflow, one run of it with faults, and the laws that it breaks. */
import {
  simulate,
  type Simulation,
  type SimulationOptions,
} from '../../src/rehearsal/simulated-run.ts';
import type { FaultPlan } from '../../src/rehearsal/world/faults.ts';
import { randomFrom } from '../../src/rehearsal/world/random.ts';
import { speak } from './conversation.ts';
import { guardsOf, judgeOf } from './guards.ts';
import { LAWS } from './all-laws.ts';
import { drawPlan } from './plans.ts';
import { amender, reviser } from './revisions.ts';
import type { Law, Subject } from '../../src/rehearsal/laws/subject.ts';
import { weatherOf } from './weather.ts';

/** Runs of one workflow, each with its own faults: loading it costs as much as running it. */
const RUNS_PER_PLAN = 20;

export interface Trial {
  readonly seed: number;
  readonly subject: Subject;
  readonly breaches: readonly Breach[];
}

export interface Breach {
  readonly law: Law;
  readonly said: readonly string[];
}

export async function tryOut(seed: number): Promise<Trial> {
  const drawn = await drawPlan(Math.floor(seed / RUNS_PER_PLAN));
  const { plan, worstCase } = drawn;
  const simulation = await simulate(plan, {
    seed,
    faults: { ...weatherOf(seed), ...mishapsOf(seed) },
    answers: 'any',
    speaker: speak,
    resumes: 1,
    maxLegs: 20,
    // polling for messages costs five timers a second, so only some do
    isShared: seed % 100 === 0 || seed % 60 === 4 || hasRivals(seed),
    ...(isRewound(seed) ? { rewinds: 0.4 } : {}),
    ...(seed % 4 === 1 ? { revise: reviser(drawn, seed) } : {}),
    ...(seed % 12 === 6 ? { revise: amender(seed) } : {}),
    ...peopleOf(seed),
  });
  const judge = isGuarded(seed) ? judgeOf(seed) : undefined;
  const subject: Subject = { ...simulation, plan, worstCase, judge };
  return { seed, subject, breaches: breachesOf(subject) };
}

function isGuarded(seed: number): boolean {
  return seed % 3 === 0;
}

/** A person runs finished nodes again; in some runs the file changes too. */
function isRewound(seed: number): boolean {
  return process.env['REW'] !== undefined || seed % 6 === 4 || seed % 24 === 13;
}

/**
 * A rival may take a run without a heartbeat, so only a backend that renews its claims is tested.
 */
function hasRivals(seed: number): boolean {
  return seed % 50 === 25;
}

/** Mishaps beside the weather, which stays the same for each seed. */
function mishapsOf(seed: number): Partial<FaultPlan> {
  return {
    ...(seed % 8 === 3 ? { logLosesEnd: 0.3, most: 12 } : {}),
    ...(hasRivals(seed) ? { rivals: 0.7, claimLost: 0, most: 12 } : {}),
  };
}

/** Guards, prepared answers, and legs without people. */
function peopleOf(seed: number): Partial<SimulationOptions> {
  return {
    ...(isGuarded(seed) ? { guards: guardsOf(seed) } : {}),
    ...(seed % 7 === 2 ? { prepared: PREPARED } : {}),
    ...(seed % 8 === 5 ? { hasPeople: (leg) => randomFrom('people', seed, leg).chance(0.3) } : {}),
  };
}

/** Answers by name of the node; some of them fit. */
const PREPARED = [
  { gate: 'a', value: 'approve' },
  { gate: 'a', value: 'retry' },
  { gate: 'b', value: 'yes' },
  { gate: 'b', value: { approve: { for: 'node' } } },
  { gate: 'one', value: 'abort' },
];

export function breachesOf(subject: Subject): readonly Breach[] {
  return LAWS.flatMap((law) => {
    const said = law.breaches(subject);
    return said.length === 0 ? [] : [{ law, said }];
  });
}

/** The events as lines, to find out why. */
export function story({ events, executions, incidents, legs }: Simulation): string {
  const startMs = Date.parse(events[0]?.at ?? '');
  return [
    ...events.map((event) => {
      const { seq, type } = event;
      const words = [
        'path' in event ? event.path : '',
        'attempt' in event ? `#${event.attempt}` : '',
        'error' in event ? (event.error?.kind ?? '') : '',
        type === 'route:taken' ? `${event.move} ${event.to ?? ''}` : '',
        'gate' in event ? event.gate : '',
        'value' in event ? JSON.stringify(event.value) : '',
        'effect' in event ? event.effect.key.slice(0, 6) : '',
      ];
      return `${seq} +${Date.parse(event.at) - startMs} ${type} ${words.filter(Boolean).join(' ')}`;
    }),
    ...executions.map(
      ({ number, process, path, afterSeq, startedAtMs, ending, effect }) =>
        `execution ${number} of ${path} (${effect.key.slice(0, 6)}) by process ${process} after event ${afterSeq} +${startedAtMs - startMs}: ${JSON.stringify(ending)}`,
    ),
    ...incidents.map(({ what, atMs, afterSeq }) => `${what} +${atMs - startMs} after ${afterSeq}`),
    ...legs.map(
      ({ by, process, fromSeq, toSeq, result, cancelledAtMs }) =>
        `leg by ${by} in process ${process}, events ${fromSeq + 1} to ${toSeq}: ${result.status}${cancelledAtMs === undefined ? '' : ` (cancelled +${cancelledAtMs - startMs})`}`,
    ),
  ].join('\n');
}
