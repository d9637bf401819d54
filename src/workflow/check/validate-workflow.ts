/**
 * Validates a file: loads it, then checks it. The result is data, even for a file that cannot be read.
 */
import { checkWorkflow, type CheckOptions, type FileReport, type NodeReport } from './check.ts';
import type { WorstCase } from './worst-case.ts';
import {
  hasErrors,
  MAX_DIAGNOSTICS,
  sortDiagnostics,
  type Diagnostic,
} from '../diagnostics/diagnostics.ts';
import type { Environment, FilePort } from '../yaml/file-port.ts';
import type { TakenFigures } from '../yaml/hide-outside-values.ts';
import { loadWorkflow, type LoadResult } from '../yaml/load-workflow.ts';
import type { WorkflowPlan } from '../plan/plan.ts';

export interface ValidatedFile {
  readonly file: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly nodes: Readonly<Record<string, NodeReport>>;
  /** Null where the file could not be read as a workflow. */
  readonly worstCase: WorstCase | null;
}

export interface Validation {
  readonly isValid: boolean;
  /** The file itself, then every workflow it can reach. */
  readonly files: readonly ValidatedFile[];
  /** Present when the file can run. */
  readonly plan?: WorkflowPlan;
  /** Values of variables in fields for secrets, for the redactor. */
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
  const reports = checkWorkflow(loaded.plan, options);
  const taken = loaded.sources.takenFigures();
  const own = new Set(reports.map(({ file }) => file));
  return reports.map(({ file, problems, nodes, worstCase }, index) => {
    const proved = problems.map((problem) =>
      loaded.sources.diagnose(file, problem, problem.within),
    );
    // problems of an included file are listed with the requested workflow
    const ofForm = loaded.diagnostics.filter(
      (diagnostic) => diagnostic.file === file || (index === 0 && !own.has(diagnostic.file)),
    );
    const diagnostics = sortDiagnostics([...ofForm, ...proved]).slice(0, MAX_DIAGNOSTICS);
    const visible = loaded.sources.isAllSayable
      ? { nodes, worstCase }
      : sayable({ nodes, worstCase }, loaded.sources.sayable);
    return { file, diagnostics, ...visible, worstCase: withoutFigures(visible.worstCase, taken) };
  });
}

/** Names and kinds may come from the environment too. */
function sayable(
  { nodes, worstCase }: Pick<FileReport, 'nodes' | 'worstCase'>,
  say: (text: string) => string,
): Pick<FileReport, 'nodes' | 'worstCase'> {
  const reports = Object.entries(nodes).map(([name, { raises, routes, unhandled }]) => {
    const visibleRoutes = Object.entries(routes).map(
      ([kind, words]) => [say(kind), say(words)] as const,
    );
    const report: NodeReport = {
      raises: raises.map(say),
      routes: Object.fromEntries(visibleRoutes),
      unhandled: unhandled.map(say),
    };
    return [say(name), report] as const;
  });
  return {
    nodes: Object.fromEntries(reports),
    worstCase: { ...worstCase, unbounded: worstCase.unbounded.map(say) },
  };
}

/** A time that comes from a variable would reveal its value. */
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
