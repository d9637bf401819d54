/**
 * A file and what can be proved of it: loaded, then checked. The verdict is data; a file that cannot
 * be read is a verdict too.
 */
import {
  checkWorkflow,
  type CheckOptions,
  type FileVerdict,
  type NodeVerdict,
} from './check/check.ts';
import type { WorstCase } from './check/worst-case.ts';
import { hasErrors, MAX_DIAGNOSTICS, sortDiagnostics, type Diagnostic } from './diagnostics.ts';
import type { Environment, FilePort } from './load/port.ts';
import type { TakenFigures } from './load/taken-values.ts';
import { loadWorkflow, type LoadResult } from './load/workflow.ts';
import type { WorkflowPlan } from './model.ts';

export interface ValidatedFile {
  readonly file: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly nodes: Readonly<Record<string, NodeVerdict>>;
  /** Null where the file could not be read as a workflow. */
  readonly worstCase: WorstCase | null;
}

export interface Validation {
  readonly isValid: boolean;
  /** The file itself, then every workflow it can reach. */
  readonly files: readonly ValidatedFile[];
  /** Present when the file can run. */
  readonly plan?: WorkflowPlan;
  /** Values of variables in places that configure keys, for the redactor. */
  readonly secrets: readonly string[];
}

export function validateWorkflow(
  file: string,
  files: FilePort,
  environment: Environment,
  options: CheckOptions = {},
): Validation {
  return validateLoaded(files.resolve('', file), loadWorkflow(file, files, environment), options);
}

export function validateLoaded(
  file: string,
  loaded: LoadResult,
  options: CheckOptions,
): Validation {
  const found = loaded.ok ? checkedFiles(loaded, options) : unreadFiles(file, loaded.diagnostics);
  const isValid = found.every(({ diagnostics }) =>
    isAccepted(diagnostics, options.strict === true),
  );
  return {
    isValid,
    files: found,
    ...(loaded.ok && isValid ? { plan: loaded.plan } : {}),
    secrets: loaded.ok ? loaded.secrets : [],
  };
}

function isAccepted(diagnostics: readonly Diagnostic[], isStrict: boolean): boolean {
  return (
    !hasErrors(diagnostics) &&
    !(isStrict && diagnostics.some(({ severity }) => severity === 'warning'))
  );
}

function checkedFiles(
  loaded: Extract<LoadResult, { ok: true }>,
  options: CheckOptions,
): ValidatedFile[] {
  const verdicts = checkWorkflow(loaded.plan, options);
  const taken = loaded.sources.takenFigures();
  const own = new Set(verdicts.map(({ file }) => file));
  return verdicts.map(({ file, problems, nodes, worstCase }, index) => {
    const proved = problems.map((problem) =>
      loaded.sources.diagnose(file, problem, problem.within),
    );
    // what stands in an included file is told with the workflow that was asked for
    const ofForm = loaded.diagnostics.filter(
      (diagnostic) => diagnostic.file === file || (index === 0 && !own.has(diagnostic.file)),
    );
    const diagnostics = sortDiagnostics([...ofForm, ...proved]).slice(0, MAX_DIAGNOSTICS);
    const said = sayable({ nodes, worstCase }, loaded.sources.sayable);
    return { file, diagnostics, ...said, worstCase: withoutFigures(said.worstCase, taken) };
  });
}

/** Names and kinds may have come from the environment too. */
function sayable(
  { nodes, worstCase }: Pick<FileVerdict, 'nodes' | 'worstCase'>,
  say: (text: string) => string,
): Pick<FileVerdict, 'nodes' | 'worstCase'> {
  const verdicts = Object.entries(nodes).map(([name, { raises, routes, unhandled }]) => {
    const said = Object.entries(routes).map(([kind, words]) => [say(kind), say(words)] as const);
    const verdict: NodeVerdict = {
      raises: raises.map(say),
      routes: Object.fromEntries(said),
      unhandled: unhandled.map(say),
    };
    return [say(name), verdict] as const;
  });
  return {
    nodes: Object.fromEntries(verdicts),
    worstCase: { ...worstCase, unbounded: worstCase.unbounded.map(say) },
  };
}

/** A time that comes from a variable would tell its value. */
function withoutFigures(worst: WorstCase, { time, others }: TakenFigures): WorstCase {
  if (!time && !others) return worst;
  const unbounded = [...worst.unbounded, TAKEN];
  if (others)
    return { effects: null, modelRequests: null, wallMs: null, costUsdMicros: null, unbounded };
  return { ...worst, wallMs: null, unbounded };
}

const TAKEN = 'a limit comes from a variable or another file, whose value is not shown';

function unreadFiles(file: string, diagnostics: readonly Diagnostic[]): ValidatedFile[] {
  const names = [...new Set([file, ...diagnostics.map((diagnostic) => diagnostic.file)])];
  return names.map((name) => ({
    file: name,
    diagnostics: diagnostics.filter((diagnostic) => diagnostic.file === name),
    nodes: {},
    worstCase: null,
  }));
}
