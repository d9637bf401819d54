/** Problems with valid YAML that a workflow cannot use, each with a suggestion. */
import { isAlias, isMap, isScalar, isSeq, type Alias, type Node } from 'yaml';
import { suggest } from '../../errors/support/suggest.ts';
import type { Problem } from '../diagnostics/problem.ts';
import type { SourceText, Span } from './source-text.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';
import { MAX_DEPTH } from './yaml-tokens.ts';

/** A problem without its path. */
export type YamlProblem = Omit<Problem, 'path'> & { readonly span: Span };

export function spanOf(node: Node | null, source: SourceText): Span {
  const [start, end] = node?.range ?? [0, 0];
  return { source, start, end: Math.max(end, start) };
}

export function tooDeep(span: Span): YamlProblem {
  return {
    code: 'yaml-too-deep',
    message: `Maps and lists are nested more than ${MAX_DEPTH} deep`,
    span,
    suggestion: 'Write the value with fewer levels',
  };
}

/** Tags that other tools use for includes. */
const INCLUDE_TAGS: ReadonlySet<string> = new Set(['!include', '!import', '!load', '!path']);

export function unknownTag(node: Node & { readonly tag?: string }, span: Span): YamlProblem {
  const tagSpan = tagBefore(span);
  const written = tagSpan === undefined ? (node.tag ?? '!') : textOf(tagSpan);
  const path = isScalar(node) && typeof node.value === 'string' ? node.value : '';
  return {
    code: 'yaml-tag',
    message: `There is no tag ${quoted(written)}; Errand has only \`!file\``,
    span: tagSpan ?? span,
    expected: '`!file path`, or no tag',
    suggestion:
      INCLUDE_TAGS.has(written) && path !== ''
        ? `!file ${path}`
        : 'Remove it, or put quotes around a text that begins with `!`',
  };
}

export function fileWithoutPath(span: Span): YamlProblem {
  return {
    code: 'yaml-tag',
    message: '`!file` needs the path of a file',
    span: tagBefore(span) ?? span,
    expected: '`!file path`',
    suggestion: 'Write the path after it, as in `!file prompts/classify.md`',
  };
}

/** Span of the tag: before the value, perhaps with an anchor, a comment or a line break between. */
function tagBefore({ source, start }: Span): Span | undefined {
  const from = Math.max(0, start - MAX_TAG_CHARS);
  const before = source.text.slice(from, start);
  const last = [...before.matchAll(/(?<=^|[\s,[{])!\S*/g)].at(-1);
  if (last === undefined) return undefined;
  return { source, start: from + last.index, end: from + last.index + last[0].length };
}

const MAX_TAG_CHARS = 500;

export function notExact(written: string, span: Span): YamlProblem {
  return {
    code: 'yaml-number',
    message: `${quoted(written)} is too large to be exact as a number`,
    span,
    expected: `a whole number up to ${Number.MAX_SAFE_INTEGER}, or a text`,
    suggestion: 'Put quotes around it to keep it exactly as written',
  };
}

export function notFinite(written: string, span: Span): YamlProblem {
  return {
    code: 'yaml-number',
    message: `${quoted(written)} cannot be stored as a number`,
    span,
    expected: 'a finite number',
    suggestion: 'Write a finite number, or leave it out',
  };
}

export function unknownAnchor(alias: Alias, known: Iterable<string>, span: Span): YamlProblem {
  const meant = suggest(alias.source, known);
  return {
    code: 'yaml-alias',
    message: `No value above this line has the anchor ${quoted(`&${alias.source}`)}`,
    span,
    suggestion:
      meant === undefined
        ? `Write ${quoted(`&${alias.source}`)} before the value that is meant, or put quotes around a text that begins with \`*\``
        : `*${meant}`,
  };
}

export function aliasInItself(alias: Alias, span: Span): YamlProblem {
  return {
    code: 'yaml-alias',
    message: `The alias ${quoted(`*${alias.source}`)} is inside the value that it refers to`,
    span,
    suggestion: 'Write the value out here',
  };
}

export function aliasBomb(max: number, span: Span): YamlProblem {
  return {
    code: 'yaml-alias-bomb',
    message: `The aliases of this file expand to more than ${max} values`,
    span,
    suggestion: 'Use fewer nested aliases, or write the values out',
  };
}

export function duplicateKey(key: string, span: Span, firstLine: number): YamlProblem {
  return {
    code: 'duplicate-key',
    message: `${quoted(key)} occurs twice in this map, first in line ${firstLine}`,
    span,
    suggestion: 'Remove one of them',
  };
}

/** A key that is not text; `map` is the span of its map. */
export function badKey(key: Node | null, map: Span, source: SourceText): YamlProblem {
  const template = unquotedTemplate(map);
  if (template !== undefined) return template;
  const code = 'yaml-key';
  const span = spanOf(key, source);
  if (isScalar(key) && key.value === '__proto__') {
    return {
      code,
      message: '`__proto__` cannot be a key',
      span,
      suggestion: 'Choose another name',
    };
  }
  if (isScalar(key) && key.source !== undefined && key.source !== '') {
    const written = quoted(key.source);
    const message = `The key ${written} is read as null, but a key must be a text`;
    return { code, message, span, suggestion: `"${key.source}"` };
  }
  const noun = nounOf(key);
  return {
    code,
    message:
      noun === undefined ? 'There is no key before this `:`' : `A key must be a text, not ${noun}`,
    span,
    suggestion: 'Write a name before the `:`, or put quotes around the whole text',
  };
}

function nounOf(key: Node | null): string | undefined {
  if (isMap(key)) return 'a map';
  if (isSeq(key)) return 'a list';
  return isAlias(key) ? 'an alias' : undefined;
}

/** `value: {{ x }}` is a map in a map to YAML. */
function unquotedTemplate(map: Span): YamlProblem | undefined {
  const template = textOf(map);
  if (!template.startsWith('{{')) return undefined;
  const quote = template.includes('"') ? "'" : '"';
  const isOneLine = !template.includes('\n') && !template.includes(quote);
  return {
    code: 'yaml-key',
    message: 'Without quotes YAML reads `{{` as the start of a map',
    span: map,
    suggestion: isOneLine ? `${quote}${template}${quote}` : 'Put quotes around the value',
  };
}

function textOf({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}
