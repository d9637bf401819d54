/**
 * The script of a server: what `runtime.simulate` of a workflow file holds, in a file of its own, with
 * what only a connection can do beside it. Also a workflow file, whose `runtime.simulate` it then is,
 * or one bare list, which is for every model. Checked by the schema of workflow files.
 */
import { ErrandError } from '../../../errors/errand-error.ts';
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../../../errors/json.ts';
import { suggest } from '../../../errors/suggest.ts';
import type { DiagnosticCode } from '../../../workflow/codes.ts';
import {
  hasErrors,
  refusalDraft,
  sortDiagnostics,
  toDiagnostic,
} from '../../../workflow/diagnostics.ts';
import { compose } from '../../../workflow/load/compose.ts';
import { spanAt, type Located } from '../../../workflow/load/located.ts';
import { Outside } from '../../../workflow/load/outside.ts';
import { parseYaml } from '../../../workflow/load/parse-yaml.ts';
import type { Environment, FilePort } from '../../../workflow/load/port.ts';
import type { SimulatedAnswer, SimulatedFailure } from '../../../workflow/model.ts';
import type { Path } from '../../../workflow/path.ts';
import { planRuntime } from '../../../workflow/plan-runtime.ts';
import type { Problem, Report } from '../../../workflow/problem.ts';
import { checkDocument } from '../../../workflow/schema/check-document.ts';
import { sourceText } from '../../../workflow/source.ts';
import { checkPlayable } from './playable.ts';
import { readWireKeys, WIRE_KEYS, type WireKeys } from './wire-keys.ts';

export interface ScriptEntry {
  readonly answer: SimulatedAnswer;
  readonly wire: WireKeys;
  /** After the last piece of the answer. */
  readonly thenFail?: SimulatedFailure;
}

/** By model; the n-th request to a model gets its n-th entry, and the last one repeats. */
export type Script = ReadonlyMap<string, readonly ScriptEntry[]>;

/** The list for models that have none of their own. */
export const EVERY_MODEL = '*';

const SIMULATE: Path = ['workflow', 'runtime', 'simulate'];

/** Where the failures stand that come after an answer, while the schema looks at them. */
const THEN = '\u0000then_fail';

interface ReadScript {
  readonly root: Located;
  /** Where in the file the script is. */
  readonly prefix: Path;
  readonly models: JsonObject;
}

/** Throws a refusal that tells everything that is wrong with the file. */
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
  const detail = 'Fix the place that the report points at.';
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
      message: 'There is nothing in the script',
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
      trail: [file],
      counts: { includes: 0, aliased: 0 },
      told: new Set<DiagnosticCode>(),
      secrets: new Set(),
    });
  };
  const root = at(SIMULATE);
  const { value } = root;
  if (isArray(value)) return { root, prefix: [], models: { [EVERY_MODEL]: value } };
  if (isJsonObject(value) && isJsonObject(value['workflow'])) return ofWorkflow(at([]));
  if (isJsonObject(value)) return { root, prefix: [], models: value };
  const message = 'A script is a map of models, each with the list of its answers';
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

function planScript({ models, root, prefix }: ReadScript, report: Report): Script {
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

/** In a bare list there is no model on the way. */
function atItsPath(path: Path, isBare: boolean): Path {
  return isBare ? [...SIMULATE, ...path.slice(SIMULATE.length + 1)] : path;
}

function atItsPlace(problem: Problem, isBare: boolean): Problem {
  const path = problem.path.map((step) => String(step).replace(THEN, ''));
  const isThen = problem.path.some((step) => String(step).endsWith(THEN));
  const meant = isThen ? path.map((step) => (step === 'fail' ? 'then_fail' : step)) : path;
  const placed = { ...problem, path: atItsPath(meant, isBare) };
  if (problem.code !== 'unknown-key' || path.length !== SIMULATE.length + 3) return placed;
  // the schema of workflow files does not know the keys of the wire
  const suggestion = problem.suggestion ?? suggest(path.at(-1) ?? '', WIRE_KEYS);
  return suggestion === undefined ? placed : { ...placed, suggestion };
}

function hasKey(list: JsonValue | undefined, index: number, key: string): boolean {
  const entry = isArray(list) ? list[index] : undefined;
  return isJsonObject(entry) && key in entry;
}

/** What a schema of workflow files knows; an entry that only plays another says nothing itself. */
function withoutWireKeys(entry: JsonValue): JsonValue {
  if (!isJsonObject(entry)) return entry;
  const kept = Object.entries(entry).filter(([key]) => !WIRE_KEYS.has(key));
  return 'corpus' in entry ? { answer: '', ...Object.fromEntries(kept) } : Object.fromEntries(kept);
}

function failureAfter(entry: JsonValue): JsonValue {
  const then = isJsonObject(entry) ? entry['then_fail'] : undefined;
  return then === undefined ? { answer: '' } : { fail: then };
}

/** Through the schema and the planner of workflow files, in the smallest file around it. */
function plan(
  simulate: JsonObject,
  report: Report,
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
    place: () => ({ pointer: '' }),
    written: String,
    resolve: (path: string) => path,
    provider: undefined,
  };
  return planRuntime(runtime, planner).simulate;
}
