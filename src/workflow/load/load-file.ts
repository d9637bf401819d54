/** One file: text, tree, document, plan. Its sub-workflows are named in the plan and not yet loaded. */
import type { DiagnosticCode } from '../codes.ts';
import { checkDocument } from '../schema/check-document.ts';
import { hasErrors, MAX_DIAGNOSTICS, toDiagnostic, type Diagnostic } from '../diagnostics.ts';
import type { FilePlan } from '../model.ts';
import { toPointer, type Path } from '../path.ts';
import { planFile } from '../plan-file.ts';
import { providerOf } from '../plan-runtime.ts';
import type { Planner } from '../planner.ts';
import type { Problem } from '../problem.ts';
import type { Place } from '../route.ts';
import type { WorkflowFile } from '../schema/file.ts';
import { positionAt, sourceText, type SourceText } from '../source.ts';
import { compose } from './compose.ts';
import { findLocated, spanAt, writtenText, type Located } from './located.ts';
import type { Outside } from './outside.ts';
import { parseYaml } from './parse-yaml.ts';
import type { Environment, FilePort } from './port.ts';
import { withoutTaken } from './taken-values.ts';

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
}

const CUT_SHORT: ReadonlySet<DiagnosticCode> = new Set(['yaml-alias-bomb', 'include-too-many']);

export function loadFile(file: string, text: string, world: World): LoadedFile {
  const source = sourceText(file, text);
  const problems: Problem[] = [];
  const root = readDocument(source, world, (problem) => {
    if (problems.length < MAX_DIAGNOSTICS) problems.push(problem);
  });
  if (root === undefined)
    return { file, diagnostics: toDiagnostics(problems, undefined, source, world.outside) };
  // beyond such a limit nothing was read, so what the rest lacks says nothing
  if (problems.some(({ code }) => CUT_SHORT.has(code)))
    return { file, root, diagnostics: toDiagnostics(problems, root, source, world.outside) };

  const checked = checkDocument(root.value);
  const lost = problems.filter(({ code }) => code !== 'duplicate-key');
  problems.push(...checked.problems.filter((problem) => !followsFrom(problem, lost)));

  const diagnostics = toDiagnostics(problems, root, source, world.outside);
  if (checked.file === undefined || hasErrors(diagnostics)) return { file, root, diagnostics };
  const plan = planFile(checked.file, file, plannerFor(checked.file, file, root, world.files));
  return { file, plan, root, diagnostics };
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
      message: 'There is nothing in the file',
      path: [],
      span: { source, start: 0, end: 0 },
      suggestion: 'Run `errand init` for a file to begin with',
    });
    return undefined;
  }
  const context = {
    ...world,
    report,
    trail: [source.file],
    counts: { includes: 0, aliased: 0 },
    told: new Set<DiagnosticCode>(),
  };
  return compose(source, tree, [], context);
}

/** What could not be read has been told; that it is missing now would only be noise. */
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
    place: (path) => placeAt(root, path),
    written: (value, path) => {
      if (typeof value === 'string') return value;
      const { found, isExact } = findLocated(root, path);
      return (isExact ? writtenText(found) : undefined) ?? String(value);
    },
    resolve: (path) => files.resolve(name, path),
    provider: providerOf(file.workflow.runtime),
  };
}

function placeAt(root: Located, path: Path): Place {
  const { found } = findLocated(root, path);
  const { line, column } = positionAt(found.source, found.start);
  const place = { pointer: toPointer(path), line, column };
  return found.source.file === root.source.file ? place : { file: found.source.file, ...place };
}
