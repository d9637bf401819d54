/** What YAML allows and a workflow cannot use, each with what to write instead. */
import { isAlias, isMap, isScalar, isSeq, type Alias, type Node } from 'yaml';
import { suggest } from '../../errors/suggest.ts';
import type { Problem } from '../problem.ts';
import type { SourceText, Span } from '../source.ts';
import { quoted } from '../words.ts';
import { MAX_DEPTH } from './yaml-tokens.ts';

/** The problem but for its path. */
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

/** Tags of other tools for the same thing. */
const INCLUDE_TAGS: ReadonlySet<string> = new Set(['!include', '!import', '!load', '!path']);

export function unknownTag(node: Node & { readonly tag?: string }, span: Span): YamlProblem {
  const place = tagBefore(span);
  const written = place === undefined ? (node.tag ?? '!') : textOf(place);
  const path = isScalar(node) && typeof node.value === 'string' ? node.value : '';
  return {
    code: 'yaml-tag',
    message: `There is no tag ${quoted(written)}; Errand has only \`!file\``,
    span: place ?? span,
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
    suggestion: 'Write the path behind it, as in `!file prompts/classify.md`',
  };
}

/** Where the tag stands: before the value, perhaps with an anchor, a comment or a line between. */
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
    suggestion: 'Put quotes around it, so that it stays as it is written',
  };
}

export function notFinite(written: string, span: Span): YamlProblem {
  return {
    code: 'yaml-number',
    message: `${quoted(written)} is not a number that can be stored`,
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
    message: `The alias ${quoted(`*${alias.source}`)} stands inside the value that it stands for`,
    span,
    suggestion: 'Write out what is meant here',
  };
}

export function aliasBomb(max: number, span: Span): YamlProblem {
  return {
    code: 'yaml-alias-bomb',
    message: `The aliases of this file stand for more than ${max} values`,
    span,
    suggestion: 'Use fewer aliases of aliases, or write the values out',
  };
}

export function duplicateKey(key: string, span: Span, firstLine: number): YamlProblem {
  return {
    code: 'duplicate-key',
    message: `${quoted(key)} stands twice in this map, first in line ${firstLine}`,
    span,
    suggestion: 'Remove one of them',
  };
}

/** A key that is no text; `map` is the place of the map that it is in. */
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
    const message = `The key ${written} is read as nothing, and a key must be a text`;
    return { code, message, span, suggestion: `"${key.source}"` };
  }
  const noun = nounOf(key);
  return {
    code,
    message:
      noun === undefined ? 'There is no key before this `:`' : `A key must be a text, not ${noun}`,
    span,
    suggestion: 'Write a name before the `:`, or quotes around the whole text',
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
    message: 'Without quotes YAML reads `{{` as the beginning of a map',
    span: map,
    suggestion: isOneLine ? `${quote}${template}${quote}` : 'Put quotes around the value',
  };
}

function textOf({ source, start, end }: Span): string {
  return source.text.slice(start, end);
}
