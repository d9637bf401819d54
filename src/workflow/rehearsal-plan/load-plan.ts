/** Loads a rehearsal plan: text, tree, document. Problems have a line and a column, as in a workflow file. */
import { isPlainObject } from '../../errors/support/safe-json.ts';
import type { DiagnosticCode } from '../diagnostics/diagnostic-codes.ts';
import { sortDiagnostics, toDiagnostic, type Diagnostic } from '../diagnostics/diagnostics.ts';
import type { Problem } from '../diagnostics/problem.ts';
import { toProblems } from '../schema/issues.ts';
import { readValue } from '../schema/read-value.ts';
import { compose } from '../yaml/compose.ts';
import type { Environment, FilePort } from '../yaml/file-port.ts';
import { spanAt, type Located } from '../yaml/located.ts';
import { Outside } from '../yaml/outside-values.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { sourceText } from '../yaml/source-text.ts';
import { checkFaults } from './fault-rules.ts';
import { rehearsalPlanSchema, type RehearsalPlan } from './plan-schema.ts';

export interface LoadedPlan {
  readonly file: string;
  /** Absent where it is not valid. */
  readonly plan?: RehearsalPlan;
  readonly diagnostics: readonly Diagnostic[];
  /** Adds line, column and excerpt to a problem. */
  readonly diagnose: (problem: Problem) => Diagnostic;
}

/** Undefined for a file that is no plan: it has no key `rehearse`. */
export function loadRehearsalPlan(
  file: string,
  text: string,
  { files, environment }: { readonly files: FilePort; readonly environment: Environment },
): LoadedPlan | undefined {
  const source = sourceText(file, text);
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const tree = parseYaml(source, report);
  if (tree === undefined || tree === null) return undefined;
  const root = compose(source, tree, [], {
    files,
    environment,
    secrets: new Set(),
    outside: new Outside(),
    report,
    includedFrom: [file],
    counts: { includes: 0, aliased: 0 },
    reported: new Set<DiagnosticCode>(),
  });
  if (!isPlainObject(root?.value) || !Object.hasOwn(root.value, 'rehearse')) return undefined;
  const read = readValue(rehearsalPlanSchema, root.value);
  if (!read.ok) problems.push(...toProblems(read.issues, root.value));
  else checkFaults(read.value, report);
  const diagnose = (problem: Problem): Diagnostic => diagnosed(problem, root, file);
  const diagnostics = sortDiagnostics(problems.map(diagnose));
  const isValid = read.ok && diagnostics.every(({ severity }) => severity !== 'error');
  return { file, ...(isValid ? { plan: read.value } : {}), diagnostics, diagnose };
}

function diagnosed(problem: Problem, root: Located, file: string): Diagnostic {
  const span = problem.span ?? spanAt(root, problem.path, problem.at ?? 'value');
  return toDiagnostic({ kind: 'validation.workflow', ...problem }, span, file);
}
