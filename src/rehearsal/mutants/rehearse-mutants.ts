/**
 * Rehearses mutants of a workflow: counts those that stay valid and change a scenario, and covers
 * those that an expectation, the record on disk or a new surprise detects.
 */
import { checkWorkflow } from '../../workflow/check/check.ts';
import { performAll, type Performed, type WorldOptions } from '../perform-all.ts';
import type { Transforms } from '../play/transforms.ts';
import { readRecord, recordLines } from '../report/record.ts';
import {
  scenarioResult,
  type MutantFigure,
  type MutantMissed,
  type ScenarioResult,
} from '../report/rehearsal-result.ts';
import { whyEquivalent } from './equivalent.ts';
import { mutantsOf, type Mutant } from './mutate.ts';

export interface MutantOptions extends WorldOptions {
  readonly recorded?: string;
  readonly transforms: Transforms;
}

export async function rehearseMutants(
  original: Performed,
  options: MutantOptions,
): Promise<MutantFigure> {
  const before = resultsOf(original);
  const recorded = options.recorded === undefined ? undefined : readRecord(options.recorded);
  const missed: MutantMissed[] = [];
  const excluded: MutantFigure['excluded'][number][] = [];
  let total = 0;
  const mutants = mutantsOf(original.atlas);
  const { onProgress, ...world } = options;
  for (const [index, mutant] of mutants.entries()) {
    onProgress?.(`mutant ${index + 1} of ${mutants.length}`);
    const reports = checkWorkflow(mutant.plan, {});
    const problem = reports.flatMap(({ problems }) => problems).find(isError);
    if (problem !== undefined) {
      const reason = `the file is not valid with it: ${problem.message}`;
      excluded.push({ ...withoutPlan(mutant), reason });
      continue;
    }
    const after = resultsOf(await performAll(mutant.plan, reports, world));
    if (isSame(recordLines(before), recordLines(after))) {
      excluded.push({ ...withoutPlan(mutant), reason: whyEquivalent(mutant, before, after) });
      continue;
    }
    total++;
    if (!isNoticed(before, after, recorded)) missed.push(withoutPlan(mutant));
  }
  return { covered: total - missed.length, total, missed, excluded };
}

function isError({ severity = 'error' }: { readonly severity?: string }): boolean {
  return severity === 'error';
}

function resultsOf({ atlas, scenarios }: Performed): readonly ScenarioResult[] {
  return scenarios.map((scenario) => scenarioResult(atlas, scenario));
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, line]) => other.get(name) === line);
}

function isNoticed(
  before: readonly ScenarioResult[],
  after: readonly ScenarioResult[],
  recorded: ReadonlyMap<string, string> | undefined,
): boolean {
  const known = new Set(before.filter(isWrong).map(({ name }) => name));
  if (after.some((scenario) => isWrong(scenario) && !known.has(scenario.name))) return true;
  return recorded !== undefined && !isSame(recorded, recordLines(after));
}

function isWrong({ verdict, differs }: ScenarioResult): boolean {
  return verdict === 'surprise' || differs !== undefined;
}

function withoutPlan({ plan: _plan, ...rest }: Mutant): MutantMissed {
  return rest;
}
