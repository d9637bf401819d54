/** Loads one file: text, tree, document, plan. The plan names its sub-workflows, which are loaded later. */
import type { DiagnosticCode } from '../diagnostics/diagnostic-codes.ts';
import { checkDocument } from '../schema/check-document.ts';
import {
  hasErrors,
  MAX_DIAGNOSTICS,
  toDiagnostic,
  type Diagnostic,
} from '../diagnostics/diagnostics.ts';
import type { FilePlan } from '../plan/plan.ts';
import { toPointer, type Path } from '../plan/pointer.ts';
import { planFile } from '../plan/plan-file.ts';
import { playable } from '../plan/play-file.ts';
import { isPlayed, type ProviderChoice } from '../plan/provider-choice.ts';
import { providerOf } from '../plan/plan-runtime.ts';
import { defaultsOf, type Planner } from '../plan/planner.ts';
import type { Problem } from '../diagnostics/problem.ts';
import type { PlanLocation } from '../plan/route-plan.ts';
import type { WorkflowFile } from '../schema/file-schema.ts';
import { positionAt, sourceText, type SourceText } from './source-text.ts';
import { compose } from './compose.ts';
import { findLocated, spanAt, writtenText, type Located } from './located.ts';
import type { Outside } from './outside-values.ts';
import { parseYaml } from './parse-yaml.ts';
import type { Environment, FilePort } from './file-port.ts';
import { withoutTaken } from './hide-outside-values.ts';
import { withInputsOfOthers } from '../schema/inputs-of-others.ts';
import { withStandIns } from '../schema/stand-in.ts';

export interface LoadedFile {
  readonly file: string;
  /** Absent when the file is not valid. */
  readonly plan?: FilePlan;
  /** Absent when the text is not YAML. */
  readonly root?: Located;
  readonly diagnostics: readonly Diagnostic[];
}

export interface World {
  readonly files: FilePort;
  readonly environment: Environment;
  readonly secrets: Set<string>;
  readonly outside: Outside;
  readonly providers: ProviderChoice;
}

const CUT_SHORT: ReadonlySet<DiagnosticCode> = new Set(['yaml-alias-bomb', 'include-too-many']);

/** `isTop`: the file that is about to run, rather than one that it calls. */
export function loadFile(
  file: string,
  text: string,
  world: World & { readonly isTop: boolean },
): LoadedFile {
  const source = sourceText(file, text);
  const problems: Problem[] = [];
  const root = readDocument(source, world, (problem) => {
    if (problems.length < MAX_DIAGNOSTICS) problems.push(problem);
  });
  if (root === undefined)
    return { file, diagnostics: toDiagnostics(problems, undefined, source, world.outside) };
  // nothing was read beyond such a limit, so missing keys prove nothing
  if (problems.some(({ code }) => CUT_SHORT.has(code)))
    return { file, root, diagnostics: toDiagnostics(problems, root, source, world.outside) };

  const declared = withInputsOfOthers(root.value);
  const { document, problems: unused } = withStandIns(
    declared.document,
    world.providers,
    world.isTop,
  );
  problems.push(...declared.problems, ...unused);
  const checked = checkDocument(document);
  const lost = problems.filter(({ code }) => code !== 'duplicate-key');
  problems.push(...checked.problems.filter((problem) => !followsFrom(problem, lost)));

  const diagnostics = toDiagnostics(problems, root, source, world.outside);
  if (checked.file === undefined || hasErrors(diagnostics)) return { file, root, diagnostics };
  const plan = planFile(checked.file, file, plannerFor(checked.file, file, root, world.files));
  return { file, plan: isPlayed(world.providers) ? playable(plan) : plan, root, diagnostics };
}

function readDocument(
  source: SourceText,
  world: World,
  report: (problem: Problem) => void,
): Located | undefined {
  const tree = parseYaml(source, report);
  if (tree === undefined) return undefined;
  if (tree === null) {
    report({
      code: 'file-empty',
      message: 'The file is empty',
      path: [],
      span: { source, start: 0, end: 0 },
      suggestion: 'Run `errand init` to create a file to start from',
    });
    return undefined;
  }
  const context = {
    ...world,
    report,
    includedFrom: [source.file],
    counts: { includes: 0, aliased: 0 },
    reported: new Set<DiagnosticCode>(),
  };
  return compose(source, tree, [], context);
}

/** Drops follow-up problems of values that could not be read, because those are reported already. */
function followsFrom({ code, path }: Problem, lost: readonly Problem[]): boolean {
  return lost.some(({ path: above }) => {
    const isLostNode = above.length > 0 && above.length <= 2;
    return (
      (code === 'unknown-node' && isLostNode) ||
      (above.length > 0 && above.every((step, index) => path[index] === step))
    );
  });
}

function toDiagnostics(
  problems: readonly Problem[],
  root: Located | undefined,
  source: SourceText,
  outside: Outside,
): Diagnostic[] {
  const whole = { source, start: 0, end: 0 };
  return problems.slice(0, MAX_DIAGNOSTICS).map((problem) => {
    const found = root === undefined ? whole : spanAt(root, problem.path, problem.at ?? 'value');
    return toDiagnostic(withoutTaken(problem, root, outside), problem.span ?? found, source.file);
  });
}

function plannerFor(file: WorkflowFile, name: string, root: Located, files: FilePort): Planner {
  return {
    location: (path) => locationAt(root, path),
    written: (value, path) => {
      if (typeof value === 'string') return value;
      const { found, isExact } = findLocated(root, path);
      return (isExact ? writtenText(found) : undefined) ?? String(value);
    },
    resolve: (path) => files.resolve(name, path),
    provider: providerOf(file.workflow.runtime),
    defaults: defaultsOf(file),
  };
}

function locationAt(root: Located, path: Path): PlanLocation {
  const { found } = findLocated(root, path);
  const { line, column } = positionAt(found.source, found.start);
  const location = { pointer: toPointer(path), line, column };
  return found.source.file === root.source.file
    ? location
    : { file: found.source.file, ...location };
}
