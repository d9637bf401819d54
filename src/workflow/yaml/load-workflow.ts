/**
 * Loads a workflow file and every file it calls, as one plan or as diagnostics. Never throws, whatever
 * the text. Pure: the caller owns files and environment.
 */
import {
  hasErrors,
  MAX_DIAGNOSTICS,
  sortDiagnostics,
  toDiagnostic,
  type Diagnostic,
} from '../diagnostics/diagnostics.ts';
import type { FilePlan, WorkflowPlan } from '../plan/plan.ts';
import { allNodes } from '../plan/node-list.ts';
import { NO_CHOICE, type ProviderChoice } from '../plan/provider-choice.ts';
import type { ChildPlan } from '../plan/node-plan.ts';
import { fromPointer, type Path } from '../plan/pointer.ts';
import type { Problem } from '../diagnostics/problem.ts';
import { sourceText, type Span } from './source-text.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';
import { loadFile, type LoadedFile, type World } from './load-one-file.ts';
import { spanAt } from './located.ts';
import { Outside } from './outside-values.ts';
import { NO_FILES, type Environment, type FileContent, type FilePort } from './file-port.ts';
import { withoutTaken } from './hide-outside-values.ts';
import { workflowSources, type WorkflowSources } from './source-positions.ts';

export interface LoadOptions {
  readonly file: string;
  readonly files?: FilePort;
  /** Default: empty, so that the process environment never leaks into a plan by accident. */
  readonly environment?: Environment;
}

export type LoadResult =
  | {
      readonly ok: true;
      readonly plan: WorkflowPlan;
      /** Warnings and infos. */
      readonly diagnostics: readonly Diagnostic[];
      /** Source positions of the plan, for further checks. */
      readonly sources: WorkflowSources;
      /** Values of variables in fields for secrets, for the redactor. */
      readonly secrets: readonly string[];
    }
  | {
      readonly ok: false;
      readonly diagnostics: readonly Diagnostic[];
      readonly sources: WorkflowSources;
    };

/** Sub-workflows of one workflow, at any depth. */
const MAX_CHILDREN = 500;

interface Loading {
  readonly world: World;
  readonly loaded: Map<string, LoadedFile>;
  readonly diagnostics: Diagnostic[];
}

export function loadWorkflow(
  file: string,
  files: FilePort,
  environment: Environment = {},
  providers: ProviderChoice = NO_CHOICE,
): LoadResult {
  const name = files.resolve('', file);
  return load(name, files.read(name), newWorld(files, environment, providers));
}

export function loadWorkflowText(text: string, options: LoadOptions): LoadResult {
  const { file, files = NO_FILES, environment = {} } = options;
  const name = files.resolve('', file);
  return load(name, { ok: true, text }, newWorld(files, environment, NO_CHOICE));
}

function newWorld(files: FilePort, environment: Environment, providers: ProviderChoice): World {
  return { files, environment, secrets: new Set(), outside: new Outside(), providers };
}

function load(file: string, content: FileContent, world: World): LoadResult {
  const loading: Loading = { world, loaded: new Map(), diagnostics: [] };
  const plan = content.ok
    ? loadTree(file, content, loading)
    : unreadable(file, content.reason, loading);
  const diagnostics = sortDiagnostics(loading.diagnostics)
    .slice(0, MAX_DIAGNOSTICS)
    .map((diagnostic) => world.outside.hiddenIn(diagnostic));
  const sources = workflowSources(loading.loaded, world.outside);
  if (plan === undefined || hasErrors(diagnostics)) return { ok: false, diagnostics, sources };

  const children = [...loading.loaded.values()].flatMap(({ plan: child, file: path }) =>
    child === undefined || path === file ? [] : [[path, child] as const],
  );
  const { provider } = world.providers;
  const secretVariables = world.outside.variablesWith(world.secrets);
  const whole: WorkflowPlan = {
    ...plan,
    children: Object.fromEntries(children),
    ...(provider === undefined ? {} : { standIn: provider }),
    ...(secretVariables.length === 0 ? {} : { secretVariables }),
  };
  return { ok: true, plan: whole, diagnostics, sources, secrets: [...world.secrets] };
}

function unreadable(file: string, reason: string, { diagnostics }: Loading): undefined {
  const problem: Problem = {
    code: 'file-unreadable',
    message: `The file ${quoted(file)} cannot be read: ${reason}`,
    path: [],
    suggestion: 'Check the path; a workflow file is YAML in UTF-8',
  };
  diagnostics.push(toDiagnostic(problem, { source: sourceText(file, ''), start: 0, end: 0 }, file));
  return undefined;
}

/** Depth first, with the stack of callers, so that a cycle is found where it closes. */
function loadTree(
  file: string,
  { text, realPath }: Extract<FileContent, { ok: true }>,
  loading: Loading,
): FilePlan | undefined {
  const { loaded, diagnostics, world } = loading;
  const open = (path: string, content: string): LoadedFile => {
    const result = loadFile(path, content, { ...world, isTop: path === file });
    loaded.set(path, result);
    diagnostics.push(...result.diagnostics);
    return result;
  };
  world.outside.addTop(file, text, realPath);
  const top = open(file, text);
  const stack = [{ caller: top, calls: callsOf(top), next: 0 }];
  while (stack.length > 0) {
    const level = stack.at(-1);
    const call = level?.calls[level.next++];
    if (level === undefined || call === undefined) {
      stack.pop();
      continue;
    }
    const callers = stack.map(({ caller }) => caller.file);
    const problem = refuseCall(call, callers, loading);
    if (problem !== undefined) report(problem, level.caller, loading);
    if (problem !== undefined || loaded.has(call.workflow)) continue;

    const content = world.files.read(call.workflow);
    if (content.ok) {
      world.outside.addIncluded(call.workflow, content.text, content.realPath);
      const child = open(call.workflow, content.text);
      stack.push({ caller: child, calls: callsOf(child), next: 0 });
    } else {
      report(missingChild(call, content.reason), level.caller, loading);
    }
  }
  return top.plan;
}

function refuseCall(
  call: ChildPlan,
  callers: readonly string[],
  { loaded }: Loading,
): Problem | undefined {
  const path = [...fromPointer(call.location.pointer), 'workflow'];
  if (callers.includes(call.workflow)) {
    const cycle = [...callers.slice(callers.indexOf(call.workflow)), call.workflow];
    return {
      code: 'workflow-cycle',
      kind: 'validation.workflow',
      message:
        cycle.length === 2
          ? 'The workflow calls itself'
          : `Workflows call each other in a cycle: ${cycle.join(' → ')}`,
      path,
      suggestion:
        'Remove this call; to repeat something, route back to an earlier node or use `for_each`',
    };
  }
  if (loaded.size <= MAX_CHILDREN || loaded.has(call.workflow)) return undefined;
  return {
    code: 'child-too-many',
    kind: 'validation.workflow',
    message: `The workflow calls more than ${MAX_CHILDREN} other workflows, directly or through them`,
    path,
    suggestion: 'Call one workflow with different inputs instead of many similar ones',
  };
}

function missingChild(call: ChildPlan, reason: string): Problem {
  return {
    code: 'child-unreadable',
    kind: 'validation.workflow',
    message: `The workflow ${quoted(call.workflow)} cannot be read: ${reason}`,
    path: [...fromPointer(call.location.pointer), 'workflow'],
    expected: 'a path from this file, such as ./child.yaml',
    suggestion: 'Check the path; it is relative to this file',
  };
}

function report(problem: Problem, caller: LoadedFile, { diagnostics, world }: Loading): void {
  const visible = withoutTaken(problem, caller.root, world.outside);
  diagnostics.push(toDiagnostic(visible, spanIn(caller, problem.path), caller.file));
}

function spanIn({ root }: LoadedFile, path: Path): Span | undefined {
  return root === undefined ? undefined : spanAt(root, path, 'value');
}

function callsOf({ plan }: LoadedFile): ChildPlan[] {
  return plan === undefined ? [] : allNodes(plan).filter((node) => node.type === 'workflow');
}
