/** Converts the issues of a value to problems that a person can act on. */
import { suggest } from '../../errors/support/suggest.ts';
import { DURATION_FORM, meantDuration, parseDuration } from '../plan/duration.ts';
import { NODE_TYPES, type NodeType } from '../plan/node-plan.ts';
import { toPointer, valueAt, type Path } from '../plan/pointer.ts';
import { NODE_LISTS, type Problem } from '../diagnostics/problem.ts';
import {
  capitalised,
  describePath,
  describeValue,
  listed,
  quoted,
} from '../diagnostics/diagnostic-words.ts';
import { flowText } from './flow-text.ts';
import { schemaAbove, schemaProblem } from './json-schema-as-fields.ts';
import { KEYS_OF } from './leaf.ts';
import type { Issue } from './read-value.ts';
import { longForm } from './short-forms.ts';
import { NODE_NOUNS } from './node-schema.ts';
import { unsupportedKey, UNSUPPORTED_TYPES } from './unsupported.ts';

/** Nobody repairs more in one round, and each costs a search for a suggestion. */
const MAX_ISSUES = 500;

interface Found extends Problem {
  /** The key that is not there. */
  readonly missing?: string;
}

export function toProblems(issues: readonly Issue[], root: unknown): Problem[] {
  const found = issues.slice(0, MAX_ISSUES).flatMap((issue) => fromIssue(issue, [], root));
  const problems = withoutMistyped(withSchemasOnce(found, root), root);
  // `promt` is reported as a misspelt `prompt`; a second problem for the missing `prompt` would add nothing
  const misspelt = new Set(
    problems.flatMap(({ code, path, suggestion: key }) =>
      code === 'unknown-key' && key !== undefined ? [toPointer([...path.slice(0, -1), key])] : [],
    ),
  );
  return problems.filter(({ code, path, missing }) => {
    return (
      code !== 'missing-key' ||
      missing === undefined ||
      !misspelt.has(toPointer([...path, missing]))
    );
  });
}

/** The other keys of a node with a misspelt `type` were judged by a type that it does not have. */
function withoutMistyped(problems: readonly Found[], root: unknown): readonly Found[] {
  const mistyped = mistypedNodes(problems, root);
  if (mistyped.length === 0) return problems;
  return problems.filter(
    (problem) => isMistype(problem, root) || !mistyped.some((node) => isWithin(problem, node)),
  );
}

/** The nodes whose `type` is misspelt, so that nothing else about them is certain. */
export function mistypedNodes(problems: readonly Problem[], root: unknown): readonly Path[] {
  return problems
    .filter((problem) => isMistype(problem, root))
    .map(({ path }) => path.slice(0, -1));
}

export function isWithin({ path }: Problem, above: Path): boolean {
  return above.every((step, index) => path[index] === step);
}

function isMistype({ code, path, suggestion: key }: Problem, root: unknown): boolean {
  const owner = path.slice(0, -1);
  return (
    code === 'unknown-key' &&
    key === 'type' &&
    isNodePath(owner) &&
    valueAt(root, [...owner, key]) === undefined
  );
}

/** `nodes/0`, `for_each/0/agent`. */
function isNodePath([list, index, ...members]: Path): boolean {
  return (
    NODE_LISTS.has(list) &&
    typeof index === 'number' &&
    members.every((member) => member === 'agent')
  );
}

/** Whether names of nodes may be missing because a list or a name could not be read. */
export function hidesNodes({ code, path, suggestion: key }: Problem): boolean {
  if (path.length === 1) {
    if (code === 'unknown-key') return NODE_LISTS.has(key);
    return code === 'wrong-type' && NODE_LISTS.has(path[0]);
  }
  return code === 'unknown-key' && key === 'name' && isNodePath(path.slice(0, -1));
}

/** A JSON Schema in place of a list of fields is one mistake, however many of its keywords are refused. */
function withSchemasOnce(problems: readonly Found[], root: unknown): readonly Found[] {
  const reported = new Set<string>();
  return problems.flatMap((problem) => {
    const path = schemaAbove(problem.path, root);
    if (path === undefined) return [problem];
    const pointer = toPointer(path);
    if (reported.has(pointer)) return [];
    reported.add(pointer);
    return [schemaProblem(path, root)];
  });
}

function fromIssue(issue: Issue, base: Path, root: unknown): Found[] {
  const path = [...base, ...issue.path];
  if (issue.keys !== undefined) {
    const keys = issue.keys.slice(0, MAX_ISSUES);
    return keys.map((key) => unknownKey(issue.message, key, path, root));
  }
  if (issue.errors !== undefined) {
    if (issue.discriminator !== undefined) return [unknownType(path, root)];
    const closest = closestBranch(issue.errors);
    if (closest !== undefined) return closest.flatMap((inner) => fromIssue(inner, path, root));
  }
  if (issue.code === 'invalid_key') return [badKey(path)];
  return [wrongValue(issue, path, root)];
}

/** The alternative that was probably meant: the one whose type fits, with a problem inside. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const inside = branches.filter(
    (issues) =>
      issues.length > 0 &&
      issues.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'),
  );
  return inside.length === 1 ? inside[0] : undefined;
}

function wrongValue(issue: Issue, path: Path, root: unknown): Found {
  const value = valueAt(root, path);
  const expected = issue.message;
  if (value === undefined) return missingKey(path, expected, root);

  const hint =
    meantHeader(path, value, root) ??
    meantValue(issue, path.at(-1), value) ??
    longForm(path, value, valueAt(root, path.slice(0, -1)));
  return {
    code: expected.startsWith(DURATION_FORM) ? 'bad-duration' : codeOf(issue),
    message: `${capitalised(describePath(path))} must be ${expected}, not ${describeValue(value)}`,
    path,
    expected,
    ...(hint === undefined ? {} : { suggestion: hint }),
  };
}

function codeOf(issue: Issue): 'wrong-type' | 'bad-value' {
  return issue.code === 'invalid_type' || issue.code === 'invalid_union'
    ? 'wrong-type'
    : 'bad-value';
}

/** The same value in the expected form, if it has one. */
function meantValue(issue: Issue, key: unknown, value: unknown): string | undefined {
  const expected = issue.message;
  // YAML reads `12` and `true` as other types than text
  const isBare = typeof value === 'number' || typeof value === 'boolean';
  if (isBare && expected === 'text') return `"${String(value)}"`;
  if (typeof value !== 'string') return undefined;
  if (issue.values !== undefined) return suggest(value, issue.values.map(String));
  if (expected.startsWith(DURATION_FORM)) return meantDuration(value);
  if (expected === '`true` or `false`') return FLAG_WORDS.get(value.toLowerCase());
  if (!/^a (whole )?number/.test(expected)) return undefined;
  const isUsd = typeof key === 'string' && /(^|_)usd$/.test(key);
  const amount = isUsd ? value.replace(/^\$\s?/, '') : value;
  if (/^\d{1,9}(\.\d{1,6})?$/.test(amount)) return amount;
  const isSeconds = typeof key === 'string' && key.endsWith('_seconds');
  const ms = isSeconds ? parseDuration(meantDuration(value) ?? '') : undefined;
  return ms === undefined ? undefined : String(ms / 1000);
}

/** A name in place of the header. */
function meantHeader(path: Path, value: unknown, root: unknown): string | undefined {
  const isName = path.length === 1 && path[0] === 'workflow' && typeof value === 'string';
  return isName ? headerOf(value, root) : undefined;
}

function headerOf(name: string, root: unknown): string {
  return `{name: ${flowText(name)}, entry_point: ${firstNode(root) ?? 'first'}}`;
}

/** `yes` and the like are texts in YAML 1.2. */
const FLAG_WORDS: ReadonlyMap<string, string> = new Map([
  ...['true', 'yes', 'on', '1'].map((word) => [word, 'true'] as const),
  ...['false', 'no', 'off', '0'].map((word) => [word, 'false'] as const),
]);

function missingKey(path: Path, expected: string, root: unknown): Found {
  const key = describePath(path);
  return {
    code: 'missing-key',
    message: `${capitalised(ownerOf(path.slice(0, -1), root))} needs ${key}`,
    path: path.slice(0, -1),
    expected,
    suggestion: `Add ${key}${exampleOf(path, root) ?? `: ${expected}`}`,
    missing: String(path.at(-1)),
  };
}

/** Example values, for forms that an example explains better. */
const EXAMPLES: Readonly<Record<string, string>> = {
  command: 'bash',
  prompt: '"What the model should do"',
  duration: '60s',
  code: 'input.items.length',
  max: '3',
  for: '15m',
};

function exampleOf(path: Path, root: unknown): string | undefined {
  const key = String(path.at(-1));
  const isHeader = key === 'workflow' && path.length === 1;
  const example = isHeader
    ? headerOf('hello', root)
    : exampleValue(key, valueAt(root, [...path.slice(0, -1), 'type']), root);
  return example === undefined ? undefined : `, for example \`${key}: ${example}\``;
}

function exampleValue(key: string, type: unknown, root: unknown): string | undefined {
  if (key === 'entry_point') return firstNode(root);
  // a person reads it, not a model
  if (key === 'prompt' && type === 'human_gate') return '"Publish it?"';
  return EXAMPLES[key];
}

function firstNode(root: unknown): string | undefined {
  const name = valueAt(root, ['nodes', 0, 'name']) ?? valueAt(root, ['agents', 0, 'name']);
  return typeof name === 'string' ? flowText(name) : undefined;
}

function unknownKey(noun: string, key: string, owner: Path, root: unknown): Problem {
  const path = [...owner, key];
  const instead = unsupportedKey(noun, key, valueAt(root, path));
  if (instead !== undefined) {
    return {
      code: 'unsupported-key',
      kind: 'validation.unsupported',
      message: `Errand does not support ${quoted(key)} on ${noun}`,
      path,
      at: 'key',
      suggestion: instead,
    };
  }
  const known = KEYS_OF.get(noun) ?? [];
  const owners = typesWith(key);
  const meant = suggest(key, known);
  const hasOtherOwners = owners.length > 0 && isNodeNoun(noun);
  return {
    code: 'unknown-key',
    message: hasOtherOwners
      ? `${quoted(key)} is not a key of ${noun}; ${listed(owners.map((type) => NODE_NOUNS[type]))} ${owners.length === 1 ? 'has' : 'have'} it`
      : `${quoted(key)} is not a key of ${noun}`,
    path,
    at: 'key',
    expected: listed(known.map(quoted), 'or'),
    ...suggestion(meant, owners, valueAt(root, owner)),
  };
}

function suggestion(
  meant: string | undefined,
  owners: readonly NodeType[],
  node: unknown,
): { suggestion?: string } {
  if (meant !== undefined) return { suggestion: meant };
  const [only] = owners;
  const hasType = typeof node === 'object' && node !== null && 'type' in node;
  return owners.length === 1 && !hasType ? { suggestion: `type: ${String(only)}` } : {};
}

function typesWith(key: string): NodeType[] {
  return NODE_TYPES.filter((type) => KEYS_OF.get(NODE_NOUNS[type])?.includes(key));
}

function isNodeNoun(noun: string): boolean {
  return Object.values(NODE_NOUNS).includes(noun);
}

function unknownType(path: Path, root: unknown): Problem {
  const type = valueAt(root, path);
  const instead = typeof type === 'string' ? UNSUPPORTED_TYPES.get(type) : undefined;
  if (instead !== undefined) {
    return {
      code: 'unsupported-type',
      kind: 'validation.unsupported',
      message: `Errand does not support nodes of type ${quoted(String(type))}`,
      path,
      suggestion: instead,
    };
  }
  const meant = typeof type === 'string' ? suggest(type, NODE_TYPES) : undefined;
  return {
    code: 'unknown-node-type',
    message: `\`type\` must be a node type, not ${describeValue(type)}`,
    path,
    expected: `one of ${NODE_TYPES.join(', ')}`,
    ...(meant === undefined ? {} : { suggestion: meant }),
  };
}

function badKey(path: Path): Problem {
  return {
    code: 'bad-name',
    message: `${describePath(path)} is not a name that templates can use`,
    path,
    at: 'key',
    expected: 'letters, digits, `_` and `-`, a letter first',
  };
}

/** Names the owner of a missing key: a node by its name, anything else by its own key. */
function ownerOf(path: Path, root: unknown): string {
  const owner = valueAt(root, path);
  const hasName = typeof owner === 'object' && owner !== null && 'name' in owner;
  if (hasName && typeof owner.name === 'string' && typeof path.at(-1) === 'number') {
    return `node ${quoted(owner.name)}`;
  }
  return describePath(path);
}
