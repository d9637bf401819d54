/**
 * Loads the script of a server: the content of `runtime.simulate`, in its own file, plus keys that
 * control the connection. It may also be a workflow file, or a bare list for every model. The
 * schema of workflow files checks it.
 */
import { ErrandError } from '../errors/thrown/errand-error.ts';
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../errors/support/safe-json.ts';
import { suggest } from '../errors/support/suggest.ts';
import type { DiagnosticCode } from '../workflow/diagnostics/diagnostic-codes.ts';
import {
  hasErrors,
  refusalDraft,
  sortDiagnostics,
  toDiagnostic,
} from '../workflow/diagnostics/diagnostics.ts';
import { compose } from '../workflow/yaml/compose.ts';
import { spanAt, type Located } from '../workflow/yaml/located.ts';
import { Outside } from '../workflow/yaml/outside-values.ts';
import { parseYaml } from '../workflow/yaml/parse-yaml.ts';
import type { Environment, FilePort } from '../workflow/yaml/file-port.ts';
import type { SimulatedAnswer, SimulatedFailure } from '../workflow/plan/plan.ts';
import type { Path } from '../workflow/plan/pointer.ts';
import { planRuntime } from '../workflow/plan/plan-runtime.ts';
import type { Problem, ReportProblem } from '../workflow/diagnostics/problem.ts';
import { checkDocument } from '../workflow/schema/check-document.ts';
import { sourceText } from '../workflow/yaml/source-text.ts';
import { checkPlayable } from './playable.ts';
import { readWireKeys, WIRE_KEYS, type WireKeys } from './wire-keys.ts';

export interface ScriptEntry {
  readonly answer: SimulatedAnswer;
  readonly wire: WireKeys;
  /** Plays after the last piece of the reply. */
  readonly thenFail?: SimulatedFailure;
}

/** Entries by model; the n-th request to a model gets the n-th entry, and the last one repeats. */
export type Script = ReadonlyMap<string, readonly ScriptEntry[]>;

/** The list for models without their own. */
export const EVERY_MODEL = '*';

const SIMULATE: Path = ['workflow', 'runtime', 'simulate'];

/** A key for the failures after a reply while the schema checks them. */
const THEN = '\u0000then_fail';

interface ReadScript {
  readonly root: Located;
  /** Path of the script in the file. */
  readonly prefix: Path;
  readonly models: JsonObject;
}

/** Throws one error with all problems of the file. */
export function loadScript(file: string, files: FilePort, environment: Environment): Script {
  const name = files.resolve('', file);
  const content = files.read(name);
  if (!content.ok) {
    throw new ErrandError({
      kind: 'validation.input',
      message: `The script ${file} cannot be read: ${content.reason}`,
      action: { kind: 'change_input', detail: 'Check the path of the script.' },
    });
  }
  const problems: Problem[] = [];
  const outside = new Outside();
  outside.addOwn(content.text);
  const read = readModels(name, content.text, { files, environment, problems, outside });
  const script = read === undefined ? new Map() : planScript(read, (each) => problems.push(each));
  const diagnostics = problems.map((problem) => {
    const path = problem.path.slice(SIMULATE.length);
    const found = read && spanAt(read.root, [...read.prefix, ...path], problem.at ?? 'value');
    return outside.hiddenIn(toDiagnostic({ ...problem, path }, problem.span ?? found, name));
  });
  const draft = hasErrors(diagnostics) ? refusalDraft(sortDiagnostics(diagnostics)) : undefined;
  if (draft === undefined) return script;
  const detail = 'Fix the file at the reported lines.';
  throw new ErrandError({
    ...draft,
    title: 'Script not valid',
    action: { kind: 'fix_file', detail },
  });
}

interface Reading {
  readonly files: FilePort;
  readonly environment: Environment;
  readonly problems: Problem[];
  readonly outside: Outside;
}

function readModels(file: string, text: string, reading: Reading): ReadScript | undefined {
  const { problems } = reading;
  const source = sourceText(file, text);
  const tree = parseYaml(source, (problem) => problems.push(problem));
  if (tree === undefined) return undefined;
  if (tree === null) {
    const span = { source, start: 0, end: 0 };
    problems.push({
      code: 'file-empty',
      message: 'The script is empty',
      path: [],
      span,
    });
    return undefined;
  }
  const at = (path: Path): Located => {
    problems.length = 0;
    return compose(source, tree, path, {
      ...reading,
      report: (problem) => problems.push(problem),
      includedFrom: [file],
      counts: { includes: 0, aliased: 0 },
      reported: new Set<DiagnosticCode>(),
      secrets: new Set(),
    });
  };
  const root = at(SIMULATE);
  const { value } = root;
  if (isArray(value)) return { root, prefix: [], models: { [EVERY_MODEL]: value } };
  if (isJsonObject(value) && isJsonObject(value['workflow'])) return ofWorkflow(at([]));
  if (isJsonObject(value)) return { root, prefix: [], models: value };
  const message = 'A script must map each model to a list of replies';
  problems.push({ code: 'wrong-type', message, path: SIMULATE });
  return { root, prefix: [], models: {} };
}

function ofWorkflow(root: Located): ReadScript {
  const models = SIMULATE.reduce<JsonValue | undefined>(
    (found, step) => (isJsonObject(found) ? found[step] : undefined),
    root.value,
  );
  return { root, prefix: SIMULATE, models: isJsonObject(models) ? models : {} };
}

function planScript({ models, root, prefix }: ReadScript, report: ReportProblem): Script {
  const wires = new Map<string, readonly WireKeys[]>();
  const simulate: Record<string, JsonValue> = {};
  for (const [model, list] of Object.entries(models)) {
    const path = [...SIMULATE, model];
    const entries = isArray(list) ? list : [];
    wires.set(
      model,
      entries.map((entry, index) => readWireKeys(entry, [...path, index], report)),
    );
    simulate[model] = isArray(list) ? list.map(withoutWireKeys) : list;
    simulate[model + THEN] = entries.map(failureAfter);
  }
  const isBare = isArray(root.value) && prefix.length === 0;
  const planned = plan(simulate, (problem) => report(atItsPlace(problem, isBare)));
  const script = new Map<string, readonly ScriptEntry[]>();
  for (const [model, keys] of wires) {
    const after = planned[model + THEN] ?? [];
    const entries = (planned[model] ?? []).map((answer, index): ScriptEntry => {
      const then = after[index];
      const isThen = then?.type === 'fail' && hasKey(models[model], index, 'then_fail');
      const wire = keys[index] ?? {};
      return { answer, wire, ...(isThen ? { thenFail: then.fail } : {}) };
    });
    script.set(model, entries);
    for (const [index, entry] of entries.entries())
      checkPlayable(entry, atItsPath([...SIMULATE, model, index], isBare), report);
  }
  return script;
}

/** The path in a bare list has no model. */
function atItsPath(path: Path, isBare: boolean): Path {
  return isBare ? [...SIMULATE, ...path.slice(SIMULATE.length + 1)] : path;
}

function atItsPlace(problem: Problem, isBare: boolean): Problem {
  const path = problem.path.map((step) => String(step).replace(THEN, ''));
  const isThen = problem.path.some((step) => String(step).endsWith(THEN));
  const meant = isThen ? path.map((step) => (step === 'fail' ? 'then_fail' : step)) : path;
  const placed = { ...problem, path: atItsPath(meant, isBare) };
  if (problem.code !== 'unknown-key' || path.length !== SIMULATE.length + 3) return placed;
  // the schema of workflow files does not know the keys of a connection
  const suggestion = problem.suggestion ?? suggest(path.at(-1) ?? '', WIRE_KEYS);
  return suggestion === undefined ? placed : { ...placed, suggestion };
}

function hasKey(list: JsonValue | undefined, index: number, key: string): boolean {
  const entry = isArray(list) ? list[index] : undefined;
  return isJsonObject(entry) && key in entry;
}

/** The keys that the schema of workflow files knows; an entry that plays the corpus gets an empty reply. */
function withoutWireKeys(entry: JsonValue): JsonValue {
  if (!isJsonObject(entry)) return entry;
  const kept = Object.entries(entry).filter(([key]) => !WIRE_KEYS.has(key));
  return 'corpus' in entry ? { answer: '', ...Object.fromEntries(kept) } : Object.fromEntries(kept);
}

function failureAfter(entry: JsonValue): JsonValue {
  const then = isJsonObject(entry) ? entry['then_fail'] : undefined;
  return then === undefined ? { answer: '' } : { fail: then };
}

/** Plans an entry with the schema and planner of workflow files, in a minimal file. */
function plan(
  simulate: JsonObject,
  report: ReportProblem,
): Readonly<Record<string, readonly SimulatedAnswer[]>> {
  const { problems, file } = checkDocument({
    workflow: { name: 'script', entry_point: 'nothing', runtime: { simulate } },
    agents: [{ name: 'nothing', type: 'set', value: null }],
  });
  const own = problems.filter(({ path }) => SIMULATE.every((step, index) => path[index] === step));
  for (const problem of own) report(problem);
  const runtime = file?.workflow.runtime;
  if (runtime === undefined || own.length > 0) return {};
  const planner = {
    location: () => ({ pointer: '' }),
    written: String,
    resolve: (path: string) => path,
    provider: undefined,
    defaults: {},
  };
  return planRuntime(runtime, planner).simulate;
}
