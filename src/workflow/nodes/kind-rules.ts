/** Which kinds may be raised, which may be matched, and what is probably meant by the others. */
import { RESERVED_PREFIXES, RUNTIME_KINDS } from '../../errors/catalog.ts';
import { isKindName, isReservedKind, isRuntimeKind, matchesKind } from '../../errors/kinds.ts';
import { suggest } from '../../errors/suggest.ts';
import type { Path } from '../path.ts';
import type { Problem, Report } from '../problem.ts';
import { describePlace, describeValue, quoted } from '../words.ts';
import { asList, asMap, textItems, type Raw } from './read.ts';

const KIND_FORM = 'dotted lowercase words such as order.missing';
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

/** What a node declares or asserts; undefined where it declares nothing and so may raise anything. */
export function declaredKinds(node: Raw): ReadonlySet<string> | undefined {
  if (!Array.isArray(node['raises'])) return undefined;
  const raised = textItems(node['raises']).map(([kind]) => kind);
  const asserted = asList(node['assert']).map((assertion) => asMap(assertion)['raise']);
  return new Set([...raised, ...asserted.filter((kind) => typeof kind === 'string')]);
}

export function checkRaises(node: Raw, path: Path, report: Report): void {
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

function checkRaisable(kind: string, path: Path, report: Report): void {
  if (!isKindName(kind)) {
    report({
      code: 'bad-kind',
      message: `${quoted(kind)} is not a kind`,
      path,
      expected: KIND_FORM,
      ...hint(repaired(kind)),
    });
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
        suggestion: 'Remove it here; a route can match it all the same',
      }
    : {
        code,
        message: `A node cannot raise ${quoted(kind)}: kinds under ${quoted(`${prefix}.`)} are Errand’s own`,
        expected,
        suggestion: `external.${rest.join('.')}`,
      };
}

/** `on_error` of one route; `declared` is what the node says it raises. */
export function checkOnError(
  value: unknown,
  path: Path,
  declared: ReadonlySet<string> | undefined,
  report: Report,
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
    message: `${describePlace(path) === '`on_error`' ? '`on_error`' : 'A kind'} cannot be ${describeValue(value)}`,
    path,
    expected: '`true`, a kind, a list of kinds or "prefix.*"',
    suggestion: 'true',
  };
}

function checkPattern(
  item: unknown,
  path: Path,
  declared: ReadonlySet<string> | undefined,
  report: Report,
): void {
  if (typeof item !== 'string' || item === '' || item === '*') {
    report(notAPattern(item, path));
    return;
  }
  const isWildcard = item.endsWith('.*');
  const isWellFormed = isWildcard ? isPrefix(item.slice(0, -2)) : isKindName(item);
  if (!isWellFormed) {
    report({
      code: 'bad-kind',
      message: `${quoted(item)} is not a kind`,
      path,
      expected: `${KIND_FORM}, or "prefix.*", or \`true\` for any failure`,
      ...hint(
        ANY_WORDS.has(item.toLowerCase()) ? 'true' : (nearest(item, declared) ?? repaired(item)),
      ),
    });
  } else if (isReservedKind(item)) {
    checkCatalogPattern(item, path, report);
  } else if (!isWildcard && declared !== undefined && !declared.has(item)) {
    report({
      code: 'undeclared-kind',
      message: `The node never raises ${quoted(item)}: it is not in its \`raises\`, nor in its \`assert\` list`,
      path,
      suggestion:
        nearest(item, declared) ?? `Add ${quoted(item)} to its \`raises\`, or remove the route`,
    });
  }
}

function checkCatalogPattern(item: string, path: Path, report: Report): void {
  const isWildcard = item.endsWith('.*');
  const isKnown = isWildcard
    ? RUNTIME_KINDS.some((kind) => matchesKind(kind, item))
    : isRuntimeKind(item);
  if (isKnown) return;
  report({
    code: 'unknown-kind',
    message: `The catalog has no kind ${quoted(item)}, and its prefix belongs to the runtime`,
    path,
    expected: 'a kind of `errand explain --list`',
    ...hint(suggest(item, isWildcard ? WILDCARDS : RUNTIME_KINDS)),
  });
}

const WILDCARDS: readonly string[] = [...RESERVED_PREFIXES].map((prefix) => `${prefix}.*`);

/** A kind of the catalog where the runtime is asked for one: `on` of a chain, `fail` of a simulation. */
export function checkCatalogKind(kind: unknown, path: Path, prefix: string, report: Report): void {
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

function isPrefix(prefix: string): boolean {
  return /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$/.test(prefix);
}

function nearest(kind: string, declared: ReadonlySet<string> | undefined): string | undefined {
  return suggest(kind, [...(declared ?? []), ...RUNTIME_KINDS]);
}

/** The same words in the form of a kind, if that makes one. */
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
