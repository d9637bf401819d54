/** Plays a workflow in stormy worlds made from a seed, and checks only our promises. */
import { worstCaseOf } from '../workflow/check/check.ts';
import { LAWS } from './laws/laws.ts';
import type { Subject } from './laws/subject.ts';
import type { WorldOptions } from './perform-all.ts';
import type { ScenarioPlayer } from './scenarios/scenario-player.ts';
import { simulate } from './simulated-run.ts';
import { BROKEN_PROMISES } from './verdict/verdict.ts';
import { STORMY } from './world/faults.ts';

export interface Storms {
  readonly runs: number;
  /** The seeds of worlds in which a promise was broken. */
  readonly broken: readonly number[];
}

/** A defect of an effect runner is ours to find, not to rehearse. */
const WEATHER = { ...STORMY, effectThrows: 0 };
const RESUMES = 3;

interface StormOptions {
  readonly seed: number;
  readonly storms: number;
  readonly onProgress?: WorldOptions['onProgress'];
}

export async function rehearseStorms(
  { atlas, values }: ScenarioPlayer,
  { seed, storms, onProgress }: StormOptions,
): Promise<Storms> {
  const { plan } = atlas;
  const worstCase = worstCaseOf(plan);
  const broken: number[] = [];
  for (let number = 0; number < storms; number++) {
    const own = seed + number;
    onProgress?.(`storm ${number + 1} of ${storms}`);
    const simulation = await simulate(plan, {
      seed: own,
      input: values.baseInput(),
      faults: WEATHER,
      answers: 'any',
      resumes: RESUMES,
    });
    if (breachesOf({ ...simulation, plan, worstCase }).length > 0) broken.push(own);
  }
  return { runs: storms, broken };
}

/** One sentence for each promise that was not kept. */
export function breachesOf(subject: Subject): readonly string[] {
  const { incidents, result } = subject;
  const isStuck = incidents.some(({ what }) => what === 'stuck');
  const isDefect = result.status === 'failed' && BROKEN_PROMISES.has(result.error.kind);
  return [
    ...(isStuck ? ['The run stood still'] : []),
    ...(isDefect ? [`The run ended with ${result.error.kind}`] : []),
    ...LAWS.flatMap((law) => law.breaches(subject).map((said) => `${law.name}: ${said}`)),
  ];
}
