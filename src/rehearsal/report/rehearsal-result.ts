/** The result of a rehearsal, as JSON. The same file, plan and seed give the same bytes. */
import type { Coverage } from '../figures/coverage.ts';
import type { CrashFigure } from '../figures/crashes.ts';
import { belowMinima, type Below, type Minima } from '../figures/minimum.ts';
import type { Atlas } from '../places/atlas.ts';
import type { TakenRoute } from '../play/play-trace.ts';
import type { Difference, Scenario } from '../scenarios/scenario.ts';
import { changesSince } from './record.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { RehearsalWarning } from './warnings.ts';

export interface RouteResult {
  readonly node: string;
  readonly path: string;
  readonly rule: number;
  readonly bucket: 'error' | 'workflow';
  readonly kind: string;
  readonly move: string;
  readonly to?: string;
}

export interface ScenarioResult {
  readonly name: string;
  readonly origin: 'generated' | 'written';
  readonly inject?: { readonly at: string; readonly kind: string };
  readonly status?: string;
  readonly error?: { readonly kind: string; readonly message: string; readonly node?: string };
  readonly routes: readonly RouteResult[];
  readonly verdict: Verdict;
  readonly why?: string;
  readonly differs?: readonly Difference[];
  readonly virtualMs: number;
  readonly costUsdMicros: number;
  readonly modelRequests: number;
}

export interface RecordChanges {
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

export interface MutantMissed {
  readonly node?: string;
  readonly rule?: number;
  readonly line: number;
  readonly change: string;
}

export interface MutantFigure {
  readonly covered: number;
  readonly total: number;
  readonly missed: readonly MutantMissed[];
  /** Changes that are not counted: the file is not valid with them, or no scenario ends differently. */
  readonly excluded: readonly (MutantMissed & { readonly reason: string })[];
}

export interface RehearsalResult {
  readonly file: string;
  readonly seed: number;
  readonly scenarios: readonly ScenarioResult[];
  readonly coverage: Coverage & { readonly crashes: CrashFigure; readonly mutants?: MutantFigure };
  readonly below: readonly Below[];
  /** With `--check`: scenarios by the change of their line. */
  readonly record?: RecordChanges;
  /** With `--storm`. */
  readonly storms?: { readonly runs: number; readonly broken: readonly number[] };
  /** Where there are any: they fail nothing, and are seldom meant. */
  readonly warnings?: readonly RehearsalWarning[];
  readonly surprises: number;
  readonly ok: boolean;
}

export interface ResultParts {
  readonly atlas: Atlas;
  readonly seed: number;
  readonly scenarios: readonly Scenario[];
  readonly coverage: RehearsalResult['coverage'];
  readonly minima: Minima;
  /** To compare with. */
  readonly recorded?: string;
  readonly storms?: RehearsalResult['storms'];
  readonly warnings: readonly RehearsalWarning[];
}

export function resultOf(parts: ResultParts): RehearsalResult {
  const { atlas, seed, coverage, minima, recorded } = parts;
  const scenarios = parts.scenarios.map((scenario) => scenarioResult(atlas, scenario));
  const record = recorded === undefined ? undefined : changesSince(recorded, scenarios);
  const isSame = record === undefined || isUnchanged(record);
  const below = belowMinima(coverage, minima);
  const surprises = scenarios.filter(({ verdict }) => verdict === 'surprise').length;
  return {
    file: atlas.plan.file,
    seed,
    scenarios,
    coverage,
    below,
    ...(record === undefined ? {} : { record }),
    ...(parts.storms === undefined ? {} : { storms: parts.storms }),
    ...(parts.warnings.length === 0 ? {} : { warnings: parts.warnings }),
    surprises,
    ok:
      surprises === 0 &&
      below.length === 0 &&
      isSame &&
      scenarios.every(({ differs }) => differs === undefined) &&
      (parts.storms?.broken ?? []).length === 0,
  };
}

function isUnchanged({ changed, added, gone }: RecordChanges): boolean {
  return changed.length + added.length + gone.length === 0;
}

export function scenarioResult(atlas: Atlas, scenario: Scenario): ScenarioResult {
  const { name, origin, inject, judgement, summary } = scenario;
  const isUnreached = judgement.verdict === 'unreached';
  const result = isUnreached ? undefined : summary?.result;
  const error = result?.status === 'failed' ? result.error : undefined;
  const node =
    error?.location?.path === undefined ? undefined : atlas.of(error.location.path)?.name;
  return {
    name,
    origin,
    ...(inject === undefined ? {} : { inject }),
    ...(result === undefined ? {} : { status: result.status }),
    ...(error === undefined
      ? {}
      : {
          error: {
            kind: error.kind,
            message: error.message,
            ...(node === undefined ? {} : { node }),
          },
        }),
    routes: (summary?.routes ?? []).map(routeResult),
    verdict: judgement.verdict,
    ...(judgement.why === undefined ? {} : { why: judgement.why }),
    ...(scenario.differs === undefined ? {} : { differs: scenario.differs }),
    virtualMs: summary?.virtualMs ?? 0,
    costUsdMicros: summary?.costUsdMicros ?? 0,
    modelRequests: summary?.modelRequests ?? 0,
  };
}

function routeResult({ place, path, rule, bucket, kind, move, to }: TakenRoute): RouteResult {
  return {
    node: place.name,
    path,
    rule,
    bucket: bucket === 'workflow' ? 'workflow' : 'error',
    kind: kind ?? '',
    move,
    ...(to === undefined ? {} : { to }),
  };
}
