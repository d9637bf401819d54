/** Rules for kinds: which may be raised, which may be matched, and suggestions for the others. */
import { RESERVED_PREFIXES, RUNTIME_KINDS } from '../../errors/catalog/catalog.ts';
import {
  isKindName,
  isReservedKind,
  isRuntimeKind,
  KIND_PREFIX_GRAMMAR,
  matchesKind,
} from '../../errors/catalog/kinds.ts';
import { suggest } from '../../errors/support/suggest.ts';
import type { Path } from '../plan/pointer.ts';
import type { Problem, ReportProblem } from '../diagnostics/problem.ts';
import { describePath, describeValue, quoted } from '../diagnostics/diagnostic-words.ts';
import { asList, asMap, textItems, type Raw } from './read-raw.ts';

const KIND_FORM = 'dotted lowercase words such as order.missing';
const PREFIX_PATTERN = new RegExp(`^${KIND_PREFIX_GRAMMAR}$`);
const ANY_WORDS: ReadonlySet<string> = new Set([
  '*',
  'any',
  'all',
  'always',
  'yes',
  'on',
  'true',
  '.*',
  '**',
]);

/**
 * The kinds that a node declares or asserts; undefined if it declares none, and so may raise any.
 */
export function declaredKinds(node: Raw): ReadonlySet<string> | undefined {
  if (!Array.isArray(node['raises'])) return undefined;
  const raised = textItems(node['raises']).map(([kind]) => kind);
  const asserted = asList(node['assert']).map((assertion) => asMap(assertion)['raise']);
  return new Set([...raised, ...asserted.filter((kind) => typeof kind === 'string')]);
}

export function checkRaises(node: Raw, path: Path, report: ReportProblem): void {
  const seen = new Set<string>();
  for (const [kind, index] of textItems(node['raises'])) {
    const at = [...path, 'raises', index];
    checkRaisable(kind, at, report);
    if (seen.has(kind)) {
      report({
        code: 'duplicate-raise',
        severity: 'warning',
        message: `${quoted(kind)} is declared twice`,
        path: at,
        suggestion: 'Remove one of them',
      });
    }
    seen.add(kind);
  }
  for (const [index, assertion] of asList(node['assert']).entries()) {
    const kind = asMap(assertion)['raise'];
    if (typeof kind === 'string' && kind !== 'assert.failed') {
      checkRaisable(kind, [...path, 'assert', index, 'raise'], report);
    }
  }
}

/** For a kind that does not fit the grammar. */
export function notAKind(kind: string, path: Path): Problem {
  return {
    code: 'bad-kind',
    message: `${quoted(kind)} is not a kind`,
    path,
    expected: KIND_FORM,
    ...hint(repaired(kind)),
  };
}

function checkRaisable(kind: string, path: Path, report: ReportProblem): void {
  if (!isKindName(kind)) {
    report(notAKind(kind, path));
  } else if (isReservedKind(kind)) {
    report({ ...reserved(kind), path });
  }
}

function reserved(kind: string): Omit<Problem, 'path'> {
  const [prefix = '', ...rest] = kind.split('.');
  const code = 'reserved-kind';
  const expected = 'a kind under a prefix of your own, such as external.order.missing';
  return isRuntimeKind(kind)
    ? {
        code,
        message: `Only Errand itself raises ${quoted(kind)}`,
        expected,
        suggestion: 'Remove it here; routes can match it without a declaration',
      }
    : {
        code,
        message: `A node cannot raise ${quoted(kind)}: kinds under ${quoted(`${prefix}.`)} are reserved for Errand`,
        expected,
        suggestion: `external.${rest.join('.')}`,
      };
}

/** Checks `on_error` of one route; `declared` are the kinds that the node declares. */
export function checkOnError(
  value: unknown,
  path: Path,
  declared: ReadonlySet<string> | undefined,
  report: ReportProblem,
): void {
  if (value === true) return;
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries())
      checkPattern(item, [...path, index], declared, report);
  } else if (typeof value === 'string' && value !== '') {
    checkPattern(value, path, declared, report);
  } else {
    report(notAPattern(value, path));
  }
}

function notAPattern(value: unknown, path: Path): Problem {
  return {
    code: 'on-error-value',
    message: `${describePath(path) === '`on_error`' ? '`on_error`' : 'A kind'} cannot be ${describeValue(value)}`,
    path,
    expected: '`true`, a kind, a list of kinds or "prefix.*"',
    suggestion: 'true',
  };
}

function checkPattern(
  item: unknown,
  path: Path,
  declared: ReadonlySet<string> | undefined,
  report: ReportProblem,
): void {
  if (typeof item !== 'string' || item === '' || item === '*') {
    report(notAPattern(item, path));
    return;
  }
  const isWildcard = item.endsWith('.*');
  const isWellFormed = isWildcard ? PREFIX_PATTERN.test(item.slice(0, -2)) : isKindName(item);
  if (!isWellFormed) {
    report({
      code: 'bad-kind',
      message: `${quoted(item)} is not a kind`,
      path,
      expected: `${KIND_FORM}, or "prefix.*", or \`true\` for any failure`,
      ...hint(meantFor(item, declared)),
    });
  } else if (isReservedKind(item)) {
    checkCatalogPattern(item, path, report);
  } else if (declared !== undefined && ![...declared].some((kind) => matchesKind(kind, item))) {
    report({
      code: 'undeclared-kind',
      message: `The node never raises ${quoted(item)}: ${isWildcard ? 'no such kind is' : 'it is not'} in its \`raises\`, nor in its \`assert\` list`,
      path,
      suggestion: isWildcard ? declaredPattern(item, declared) : declaredKind(item, declared),
    });
  }
}

function declaredKind(kind: string, declared: ReadonlySet<string>): string {
  return nearest(kind, declared) ?? `Add ${quoted(kind)} to its \`raises\`, or remove the route`;
}

function declaredPattern(pattern: string, declared: ReadonlySet<string>): string {
  const patterns = [...declared].map((kind) => kind.replace(/[^.]*$/, '*'));
  return (
    suggest(pattern, patterns) ??
    `Add a kind under ${quoted(pattern.slice(0, -1))} to its \`raises\`, or remove the route`
  );
}

function checkCatalogPattern(item: string, path: Path, report: ReportProblem): void {
  const isWildcard = item.endsWith('.*');
  const isKnown = isWildcard
    ? RUNTIME_KINDS.some((kind) => matchesKind(kind, item))
    : isRuntimeKind(item);
  if (isKnown) return;
  report({
    code: 'unknown-kind',
    message: `The catalog has no kind ${quoted(item)}, and its prefix is reserved for Errand`,
    path,
    expected: 'a kind of `errand explain --list`',
    ...hint(suggest(item, isWildcard ? WILDCARDS : RUNTIME_KINDS)),
  });
}

const WILDCARDS: readonly string[] = [...RESERVED_PREFIXES].map((prefix) => `${prefix}.*`);

/** Checks a kind that must be in the catalog: `on` of a chain, `fail` of a simulation. */
export function checkCatalogKind(
  kind: unknown,
  path: Path,
  prefix: string,
  report: ReportProblem,
): void {
  if (typeof kind !== 'string') return;
  const known = RUNTIME_KINDS.filter((name) => name.startsWith(prefix));
  if (known.some((name) => name === kind)) return;
  report({
    code: 'unknown-kind',
    message: `The catalog has no kind ${quoted(kind)}${prefix === '' ? '' : ` under ${quoted(`${prefix}*`)}`}`,
    path,
    expected: 'a kind of `errand explain --list`',
    ...hint(suggest(kind, known)),
  });
}

function meantFor(word: string, declared: ReadonlySet<string> | undefined): string | undefined {
  const plain = word.toLowerCase();
  if (ANY_WORDS.has(plain)) return 'true';
  const kinds = ['external.', ...RUNTIME_KINDS, ...(declared ?? [])];
  if (PREFIX_PATTERN.test(plain) && kinds.some((kind) => kind.startsWith(`${plain}.`)))
    return `${plain}.*`;
  return nearest(word, declared) ?? repaired(word);
}

function nearest(kind: string, declared: ReadonlySet<string> | undefined): string | undefined {
  return suggest(kind, [...(declared ?? []), ...RUNTIME_KINDS]);
}

/** Rewrites the words as a kind, if that gives a valid one. */
function repaired(kind: string): string | undefined {
  const plain = kind
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/[/:]+/g, '.');
  return [plain, `external.${plain}`].find(isKindName);
}

function hint(suggestion: string | undefined): { suggestion?: string } {
  return suggestion === undefined ? {} : { suggestion };
}
