/**
 * Rehearses a workflow: plays every bad day that `errand validate` knows of in the simulated world, and says
 * what it did, what was covered, and which ends nobody meant. Nothing is called, started or written.
 */
import { createSandbox, type Sandbox } from '../effects/sandbox/sandbox.ts';
import { createTransformEffect } from '../effects/transform.ts';
import type { EffectResult } from '../effects/effect.ts';
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import type { EffectRequest } from '../machine/decide/effect-request.ts';
import { hashValue } from '../workflow/plan/stable-hash.ts';
import type { Validation } from '../workflow/check/validate.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import { CoverageReport, type ErrorRoute } from './figures/coverage.ts';
import {
  DEFAULT_CRASHES,
  rehearseCrashes,
  type Crashes,
  type CrashMissed,
} from './figures/crashes.ts';
import type { Minima } from './figures/minimum.ts';
import { Notebook } from './figures/notebook.ts';
import type { DetailsByKind } from './inject/drafts.ts';
import { atlasOf, type Atlas } from './places/places.ts';
import { resultOf, type RehearsalResult } from './report/result.ts';
import { Company } from './scenarios/company.ts';
import { Playbill } from './scenarios/generate.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { WorldValues } from './values/world-values.ts';
import type { Evaluate } from './world/fate.ts';

export interface RehearseOptions {
  readonly seed?: number;
  /** Inputs; the others are made up. */
  readonly input?: JsonObject;
  readonly given?: Readonly<Record<string, JsonValue>>;
  readonly details?: DetailsByKind;
  readonly generate?: {
    readonly kinds?: 'all' | 'routed' | 'none';
    readonly doubt?: 'all' | 'none';
  };
  /** Only scenarios whose name contains the text. */
  readonly only?: string;
  readonly crashes?: Crashes;
  readonly minima?: Minima;
  readonly hasMutants?: boolean;
  readonly storms?: number;
  /** Called as scenarios are played. */
  readonly onProgress?: (played: number, name: string) => void;
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
  const seed = options.seed ?? 1;
  const atlas = atlasOf(plan, files);
  const values = new WorldValues(atlas, {
    outputs: options.given ?? {},
    input: options.input ?? {},
  });
  const transforms = new Transforms();
  try {
    const evaluate = (request: EffectRequest): Evaluate => transforms.evaluate(request);
    const details = options.details ?? {};
    const company = new Company({ atlas, values, seed, evaluate, details });
    const notes = new Notebook(atlas);
    let played = 0;
    const bill = new Playbill(company, {
      kinds: options.generate?.kinds ?? 'all',
      doubt: options.generate?.doubt ?? 'all',
      onPlayed: (performance, { name }) => {
        options.onProgress?.(++played, name);
        if (options.only === undefined || name.includes(options.only)) notes.note(performance);
      },
    });
    const made = await bill.make();
    const shown = made.filter(
      ({ name }) => options.only === undefined || name.includes(options.only),
    );
    const crashes = options.crashes ?? DEFAULT_CRASHES;
    const crashed = await rehearseCrashes(company, shown, { crashes, seed });
    const scenarios = shown.map((scenario) => afterCrashes(scenario, crashed.figure.missed));
    const report = new CoverageReport(company.kitchen, notes, scenarios);
    const coverage = { ...report.all, crashes: crashed.figure };
    return {
      result: resultOf({ atlas, seed, scenarios, coverage, minima: options.minima ?? {} }),
      atlas,
      scenarios,
      errorRoutes: report
        .errorRoutes()
        .filter((each) => !report.isExcluded(each))
        .map((each) => ({ ...each, isCovered: notes.routes.has(each.route) })),
      isBroken:
        crashed.repeated.length > 0 ||
        notes.repeated.length > 0 ||
        scenarios.some(({ summary }) => summary?.isBroken === true),
    };
  } finally {
    options.onEnd?.();
    await transforms.close();
  }
}

/** A crash that changes the end is a surprise too. */
function afterCrashes(scenario: Scenario, missed: readonly CrashMissed[]): Scenario {
  const found = missed.find((each) => each.scenario === scenario.name);
  if (found === undefined || scenario.judgement.verdict === 'surprise') return scenario;
  const why = `Killed ${found.when} commit ${found.commit} and resumed, ${found.why}`;
  return { ...scenario, judgement: { verdict: 'surprise', why } };
}

/** Evaluates transforms in the sandbox, each code with each input once. */
class Transforms {
  #sandbox: Sandbox | undefined;
  readonly #known = new Map<string, Promise<EffectResult>>();

  evaluate({ work, outputSchema }: EffectRequest): Evaluate {
    return (context) => {
      if (work.type !== 'transform') throw new TypeError('Only a transform is evaluated');
      this.#sandbox ??= createSandbox();
      const { code, input } = work;
      const key = hashValue([code, input, outputSchema ?? null]);
      const effect = createTransformEffect(this.#sandbox);
      const fresh = { ...context, signal: new AbortController().signal };
      const result = this.#known.get(key) ?? effect({ code, input, outputSchema }, fresh);
      this.#known.set(key, result);
      return result;
    };
  }

  async close(): Promise<void> {
    await this.#sandbox?.close();
  }
}
