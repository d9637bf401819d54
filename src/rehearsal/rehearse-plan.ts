/**
 * Rehearses a workflow: plays every bad day that `errand validate` knows of in the simulated world,
 * and reports the results, the coverage, and the ends that nobody meant. Nothing is called, started
 * or written.
 */
import type { Validation } from '../workflow/check/validate-workflow.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import { CoverageReport, type ErrorRoute } from './figures/coverage.ts';
import {
  DEFAULT_CRASHES,
  rehearseCrashes,
  type Crashes,
  type CrashResult,
} from './figures/crashes.ts';
import type { Minima } from './figures/minimum.ts';
import { performAll, type WorldOptions } from './perform-all.ts';
import type { Atlas } from './places/atlas.ts';
import { Transforms } from './play/transforms.ts';
import { resultOf, type RehearsalResult } from './report/rehearsal-result.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { warningsOf } from './report/warnings.ts';

export interface RehearseOptions extends WorldOptions {
  readonly crashes?: Crashes;
  readonly minima?: Minima;
  /** The record of an earlier rehearsal. */
  readonly recorded?: string;
  /** The record has to be the same. */
  readonly isChecked?: boolean;
  readonly hasMutants?: boolean;
  readonly storms?: number;
  readonly onEnd?: () => void;
}

/** A rehearsal with what its reports need beside its JSON. */
export interface Rehearsed {
  readonly result: RehearsalResult;
  readonly atlas: Atlas;
  readonly scenarios: readonly Scenario[];
  readonly errorRoutes: readonly CoveredRoute[];
  /** A promise of ours is broken. */
  readonly isBroken: boolean;
}

export interface CoveredRoute extends ErrorRoute {
  readonly isCovered: boolean;
}

/** The files of a validation that is valid. */
export async function rehearsePlan(
  plan: WorkflowPlan,
  { files }: Pick<Validation, 'files'>,
  options: RehearseOptions = {},
): Promise<Rehearsed> {
  const transforms = new Transforms();
  try {
    return await rehearse(plan, files, { ...options, transforms });
  } finally {
    options.onEnd?.();
    await transforms.close();
  }
}

async function rehearse(
  plan: WorkflowPlan,
  files: Validation['files'],
  options: RehearseOptions & { readonly transforms: Transforms },
): Promise<Rehearsed> {
  const { seed = 1, crashes = DEFAULT_CRASHES, minima = {}, storms = 0, recorded } = options;
  const performed = await performAll(plan, files, options);
  const { atlas, player, notes } = performed;
  const { onProgress } = options;
  const watching = onProgress === undefined ? {} : { onProgress };
  const how = { crashes, seed, ...watching };
  const crashed = await rehearseCrashes(player, performed.scenarios, how);
  const scenarios = performed.scenarios.map((each) => afterCrashes(each, crashed));
  const report = new CoverageReport(player.context, notes, scenarios);
  // loaded when asked for: most rehearsals have neither mutants nor storms
  const mutants =
    options.hasMutants === true
      ? await (await import('./mutants/rehearse-mutants.ts')).rehearseMutants(performed, options)
      : undefined;
  const weather =
    storms === 0
      ? undefined
      : await (await import('./storms.ts')).rehearseStorms(player, { seed, storms, ...watching });
  const coverage = {
    ...report.all,
    crashes: crashed.figure,
    ...(mutants === undefined ? {} : { mutants }),
  };
  return {
    result: resultOf({
      atlas,
      seed,
      scenarios,
      coverage,
      minima,
      warnings: warningsOf({ file: atlas.plan.file, scenarios, repeats: notes.again }),
      ...(options.isChecked === true ? { recorded: recorded ?? '' } : {}),
      ...(weather === undefined ? {} : { storms: weather }),
    }),
    atlas,
    scenarios,
    errorRoutes: report
      .errorRoutes()
      .filter((each) => !report.isExcluded(each))
      .map((each) => ({ ...each, isCovered: notes.routes.has(each.route) })),
    isBroken:
      crashed.repeated.length > 0 ||
      notes.repeated.length > 0 ||
      (weather?.broken.length ?? 0) > 0 ||
      scenarios.some(({ summary }) => summary?.isBroken === true),
  };
}

/** A crash that changes the end is a surprise too. */
function afterCrashes(scenario: Scenario, { figure, ways }: CrashResult): Scenario {
  const found = figure.missed.find((each) => each.scenario === scenario.name);
  if (found === undefined || scenario.judgement.verdict === 'surprise') return scenario;
  const why = `Killed ${found.when} commit ${found.commit} and resumed, ${found.why}`;
  const { summary } = scenario;
  const way = ways.get(scenario.name) ?? [];
  return {
    ...scenario,
    ...(summary === undefined ? {} : { summary: { ...summary, way } }),
    judgement: { verdict: 'surprise', why },
  };
}
