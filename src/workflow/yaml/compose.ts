/**
 * Composes located values from a syntax tree: expands aliases, includes files, fills in variables,
 * checks keys. Never throws: it reports anything that cannot be a value, replaces it by null and
 * continues.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Scalar,
  type Alias,
  type Node,
  type Pair,
  type YAMLMap,
} from 'yaml';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { isExact } from '../json-schema/exact-number.ts';
import type { Path } from '../plan/pointer.ts';
import { positionAt, type SourceText, type Span } from './source-text.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';
import { NO_ALIASES, resolveAliases, type Aliases } from './yaml-aliases.ts';
import { expandEnvironment, filledFrom, refersToVariable } from './environment.ts';
import { openInclude, type IncludeContext } from './include.ts';
import { spanWithin, type Located, type ScalarStyle } from './located.ts';
import { isOneReference, resolvePlain } from './plain-scalars.ts';
import type { Environment } from './file-port.ts';
import { isNameField, secretsIn, staysWritten, useOf } from './secret-values.ts';
import {
  aliasBomb,
  aliasInItself,
  badKey,
  duplicateKey,
  fileWithoutPath,
  notExact,
  notFinite,
  spanOf,
  tooDeep,
  unknownAnchor,
  unknownTag,
  type YamlProblem,
} from './yaml-problems.ts';
import { MAX_DEPTH } from './yaml-tokens.ts';

/** How many values aliases may add to a file. */
const MAX_ALIASED = 100_000;

/** The parts of a node that its program reads. */
const OF_PROGRAM: ReadonlySet<string> = new Set(['command', 'args', 'stdin']);
const NONE: ReadonlySet<string> = new Set();

const CORE_TAG = /^tag:yaml\.org,2002:(str|int|float|bool|null|map|seq)$/;

export interface ComposeContext extends IncludeContext {
  readonly environment: Environment;
  readonly counts: { includes: number; aliased: number };
  /** Values of variables, and literals in fields for secrets. */
  readonly secrets: Set<string>;
}

interface Walk {
  readonly source: SourceText;
  readonly context: ComposeContext;
  readonly aliases: Aliases;
  /** Anchored nodes that are being expanded. */
  readonly open: Set<Node>;
  readonly isAliased: boolean;
  /** Variables that the enclosing node's `env` sets for its program. */
  readonly setByNode: ReadonlySet<string>;
}

export function compose(
  source: SourceText,
  root: Node,
  path: Path,
  context: ComposeContext,
): Located {
  const walk: Walk = {
    source,
    context,
    // without an anchor there is nothing to walk the tree for
    aliases: source.text.includes('&') ? resolveAliases(root) : NO_ALIASES,
    open: new Set(),
    isAliased: false,
    setByNode: NONE,
  };
  return convert(root, path, walk);
}

function convert(node: Node, path: Path, walk: Walk): Located {
  if (walk.isAliased) walk.context.counts.aliased++;
  const span = spanOf(node, walk.source);
  if (path.length > MAX_DEPTH) {
    return refused(walk, path, tooDeep(span));
  }
  if (isAlias(node)) return unfold(node, span, path, walk);
  if (node.tag === '!file') return include(node, span, path, walk);
  if (node.tag !== undefined && !CORE_TAG.test(node.tag) && node.tag !== '!') {
    return refused(walk, path, unknownTag(node, span));
  }
  if (isMap(node)) return fromMap(node, span, path, walk);
  if (isSeq(node)) return fromItems(node.items, span, path, walk);
  return fromScalar(node, span, path, walk);
}

function unfold(alias: Alias, span: Span, path: Path, walk: Walk): Located {
  const target = walk.aliases.meanings.get(alias);
  if (target === undefined)
    return refused(walk, path, unknownAnchor(alias, walk.aliases.anchors, span));
  if (walk.open.has(target)) return refused(walk, path, aliasInItself(alias, span));
  if (walk.context.counts.aliased > MAX_ALIASED) {
    return refusedOnce(walk, path, aliasBomb(MAX_ALIASED, span));
  }
  walk.open.add(target);
  const unfolded = convert(target, path, { ...walk, isAliased: true });
  walk.open.delete(target);
  return unfolded;
}

function include(node: Node, span: Span, path: Path, walk: Walk): Located {
  const written = isScalar(node) ? node.value : undefined;
  if (typeof written !== 'string' || written === '') {
    return refused(walk, path, fileWithoutPath(span));
  }
  return includeFile(written, span, path, walk);
}

function includeFile(written: string, span: Span, path: Path, walk: Walk): Located {
  const { context } = walk;
  noteVariables(written, walk);
  const { text: name } = expandEnvironment(written, context.environment);
  const included = openInclude(name, { path, span }, context);
  if (included === undefined) return { value: null, ...span };

  const { source, node } = included;
  if (node !== undefined) {
    const includedFrom = [...context.includedFrom, source.file];
    const composed = compose(source, node, path, { ...context, includedFrom });
    context.outside.addTaken(composed);
    return composed;
  }
  const whole: Span = { source, start: 0, end: source.text.length };
  const text = source.text.replace(/^\uFEFF/, '');
  const asWritten: Located = { value: text, style: 'text', ...whole };
  context.outside.addTaken(asWritten);
  const value = expand(text, asWritten, path, walk);
  return { ...asWritten, value, ...filledMark(text, walk) };
}

/** A default was written by the author, so it is not hidden. */
function filledMark(written: string, { context, setByNode }: Walk): Pick<Located, 'isFilled'> {
  const { size } = filledFrom(written, context.environment, setByNode);
  return size === 0 ? {} : { isFilled: true };
}

function fromItems(items: readonly unknown[], span: Span, path: Path, walk: Walk): Located {
  const members = new Map<string, Located>();
  // a list holds nodes only: parsing made it
  const values: JsonValue[] = [];
  for (const item of items as readonly Node[]) {
    if (isBomb(walk)) break;
    const member = convert(item, [...path, values.length], walk);
    members.set(String(values.length), member);
    values.push(member.value);
  }
  const { source, start, end } = span;
  return { source, start, end, value: values, members };
}

function fromMap(map: YAMLMap, span: Span, path: Path, walk: Walk): Located {
  const members = new Map<string, Located>();
  const merged: Located[] = [];
  const pairs = map.items as readonly Pair<Node, Node | null>[];
  const setByNode = environmentOf(pairs);
  const ofProgram: Walk = setByNode.size === 0 ? walk : { ...walk, setByNode };
  for (const pair of pairs) {
    if (isBomb(walk)) break;
    const keySpan = spanOf(pair.key, walk.source);
    const key = keyOf(pair.key);
    if (key === undefined || key === '__proto__') {
      refused(walk, path, badKey(pair.key, span, walk.source));
    } else if (key === '<<' && (isAlias(pair.value) || isSeq(pair.value))) {
      merged.push(convert(pair.value, path, walk));
    } else if (members.has(key)) {
      const { line } = positionAt(walk.source, members.get(key)?.key?.start ?? 0);
      refused(walk, [...path, key], duplicateKey(key, keySpan, line));
    } else {
      const inner = OF_PROGRAM.has(key) ? ofProgram : walk;
      members.set(key, underKey(keySpan, valueOf(pair.value, keySpan, [...path, key], inner)));
    }
  }
  for (const other of merged) addMerged(other, members);
  const value: Record<string, JsonValue> = {};
  // `__proto__` is never a key of a map here
  for (const [key, member] of members) value[key] = member.value;
  const { source, start, end } = span;
  return { source, start, end, value, members };
}

/** One object shape for every value, because a large file has hundreds of thousands of them. */
function underKey(key: Span, located: Located): Located {
  const { source, start, end, value, members, style, isFilled } = located;
  if (members !== undefined) return { source, start, end, value, key, members };
  if (isFilled === true) return { ...located, key };
  return style === undefined
    ? { source, start, end, value, key }
    : { source, start, end, value, key, style };
}

/** The names in `env`, whose values exist only when the program runs. */
function environmentOf(pairs: readonly Pair<Node, Node | null>[]): ReadonlySet<string> {
  const env = pairs.find(({ key }) => isScalar(key) && key.value === 'env')?.value;
  if (!isMap(env)) return NONE;
  return new Set(env.items.map(({ key }) => String(isScalar(key) ? key.source : '')));
}

function valueOf(node: Node | null, keySpan: Span, path: Path, walk: Walk): Located {
  if (node === null) return { value: null, ...keySpan };
  const located = convert(node, path, walk);
  const { source, start, end, value, style } = located;
  const isNamed =
    isSimulation(path) && typeof value === 'string' && value !== '' && style !== 'text';
  return isNamed ? includeFile(value, { source, start, end }, path, walk) : located;
}

/** `simulate: {careful: ./careful.sim.yaml}`: the same list in a file. */
function isSimulation(path: Path): boolean {
  const [first, second, third] = path;
  return path.length === 4 && first === 'workflow' && second === 'runtime' && third === 'simulate';
}

/** `<<` adds the keys that the map lacks; of several maps the first wins. */
function addMerged(other: Located, members: Map<string, Located>): void {
  const isList = Array.isArray(other.value);
  for (const [key, member] of other.members ?? []) {
    if (isList) addMerged(member, members);
    else if (!members.has(key)) members.set(key, member);
  }
}

function fromScalar(node: Node, span: Span, path: Path, walk: Walk): Located {
  const value: unknown = isScalar(node) ? node.value : null;
  const style = isScalar(node) ? styleOf(node) : 'plain';
  if (typeof value === 'string') {
    const written = { source: span.source, start: span.start, end: span.end, value, style };
    if (!value.includes('${') && useOf(path) !== 'credential') return written;
    const expanded = expand(value, written, path, walk);
    const isBare = style === 'plain' && expanded !== value && isOneReference(value);
    const filled = isBare ? resolvePlain(expanded) : expanded;
    return { value: filled, style, ...span, ...filledMark(value, walk) };
  }
  if (typeof value === 'number') {
    const written = isScalar(node) ? (node.source ?? String(value)) : String(value);
    if (!Number.isFinite(value)) return refused(walk, path, notFinite(written, span));
    if (!isExact(written, value)) return refused(walk, path, notExact(written, span));
  }
  const isValue = value === null || typeof value === 'number' || typeof value === 'boolean';
  return { value: isValue ? value : null, style, ...span };
}

function expand(text: string, written: Located, path: Path, walk: Walk): string {
  const { environment, report, secrets } = walk.context;
  if (isNameField(path) && refersToVariable(text)) {
    report({
      code: 'env-in-name',
      message: 'A name cannot be made from an environment variable',
      path,
      span: written,
      suggestion:
        'Write the name itself: it is stored and shown everywhere, and cannot be redacted',
    });
    return text;
  }
  noteVariables(text, walk);
  const expansion = expandEnvironment(text, environment, walk.setByNode);
  for (const name of expansion.missing) {
    report({
      code: 'env-missing',
      message: `The environment variable ${quoted(name)} is not set`,
      path,
      span: spanOfVariable(name, text, written),
      suggestion: `Set it, or give it a default: \`\${${name}:-default}\``,
    });
  }
  if (expansion.unresolved !== undefined) {
    const { name, why } = expansion.unresolved;
    report({
      code: 'env-too-deep',
      message: `The environment variables in this text ${why}`,
      path,
      span: spanOfVariable(name, text, written),
      suggestion: `Set ${quoted(name)} to a value without \`\${…}\` in it`,
    });
  }
  const name = String(path.findLast((step) => typeof step === 'string') ?? '');
  const value = { name, written: text, use: useOf(path) };
  for (const secret of secretsIn(value, environment)) secrets.add(secret);
  return staysWritten(path) ? text : expansion.text;
}

function noteVariables(text: string, { context, setByNode }: Walk): void {
  for (const [name, value] of filledFrom(text, context.environment, setByNode))
    context.outside.addVariable(name, value);
}

/** The span of the variable; the whole text if only the value of another variable names it. */
function spanOfVariable(name: string, text: string, written: Located): Span {
  const offset = text.search(new RegExp(`\\$\\{${name}\\b`));
  return offset < 0 ? written : spanWithin(written, offset, name.length + 3);
}

function keyOf(node: Node | null): string | undefined {
  if (!isScalar(node) || node.value === null || node.value === undefined) return undefined;
  const key = typeof node.value === 'string' ? node.value : node.source;
  return key === '' ? undefined : key;
}

function styleOf(scalar: Scalar): ScalarStyle {
  switch (scalar.type) {
    case Scalar.QUOTE_DOUBLE:
    case Scalar.QUOTE_SINGLE:
      return 'quoted';
    case Scalar.BLOCK_LITERAL:
      return 'literal';
    case Scalar.BLOCK_FOLDED:
      return 'folded';
    default:
      return 'plain';
  }
}

function isBomb(walk: Walk): boolean {
  return walk.isAliased && walk.context.counts.aliased > MAX_ALIASED;
}

function refused(walk: Walk, path: Path, problem: YamlProblem): Located {
  walk.context.report({ ...problem, path });
  return { value: null, ...problem.span };
}

/** Reports a limit of the whole file once, where it is exceeded. */
function refusedOnce(walk: Walk, path: Path, problem: YamlProblem): Located {
  const { reported } = walk.context;
  if (reported.has(problem.code)) return { value: null, ...problem.span };
  reported.add(problem.code);
  return refused(walk, path, problem);
}
