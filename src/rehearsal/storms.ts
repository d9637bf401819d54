/** Plays a workflow in stormy worlds that are made from a seed, and holds them to our promises alone. */
import { repeatedUnasked } from './figures/repeated.ts';
import type { Company } from './scenarios/company.ts';
import { simulate, type Simulation } from './simulated-run.ts';
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

export async function rehearseStorms(
  { atlas, values }: Company,
  { seed, storms }: { readonly seed: number; readonly storms: number },
): Promise<Storms> {
  const broken: number[] = [];
  for (let number = 0; number < storms; number++) {
    const own = seed + number;
    const simulation = await simulate(atlas.plan, {
      seed: own,
      input: values.baseInput(),
      faults: WEATHER,
      answers: 'any',
      resumes: RESUMES,
    });
    if (!isKept(simulation)) broken.push(own);
  }
  return { runs: storms, broken };
}

/** Nothing repeated unasked, no run that stands still, one ending for each leg, no bound exceeded. */
function isKept({ events, executions, incidents, result }: Simulation): boolean {
  if (incidents.some(({ what }) => what === 'stuck')) return false;
  if (repeatedUnasked({ executions, events }).length > 0) return false;
  if (result.status === 'failed' && BROKEN_PROMISES.has(result.error.kind)) return false;
  return hasOneEndingPerLeg(events);
}

function hasOneEndingPerLeg(events: Simulation['events']): boolean {
  let isOpen = true;
  for (const { type } of events) {
    if (type === 'run:started' || type === 'run:resumed') isOpen = true;
    else if (ENDINGS.has(type)) {
      if (!isOpen) return false;
      isOpen = false;
    } else if (!isOpen) return false;
  }
  return true;
}

const ENDINGS: ReadonlySet<string> = new Set([
  'run:paused',
  'run:completed',
  'run:failed',
  'run:cancelled',
]);
