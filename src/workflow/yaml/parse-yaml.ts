/** Parses YAML 1.2 text into a syntax tree, and reports every syntax problem. */
import { Composer, parse, type ParsedNode, type YAMLError } from 'yaml';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { positionAt, type SourceText, type Span } from './source-text.ts';
import { MAX_FILE_CHARS } from './file-port.ts';
import { tooDeep } from './yaml-problems.ts';
import { mistakeAt, type YamlMistake } from './yaml-mistakes.ts';
import { yamlTokens } from './yaml-tokens.ts';

const MEGABYTE = 1024 * 1024;

/** Text that is not YAML at all has an error in every line; the first ones are enough. */
const MAX_ERRORS = 20;

// our own walk finds duplicate keys in one pass; the parser compares every pair of keys
const OPTIONS = { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const;

/** The value of a short text of the user's own, such as settings. Throws if it is not YAML. */
export function yamlValue(text: string): unknown {
  return parse(text, { prettyErrors: false, logLevel: 'error', maxAliasCount: 0 });
}

/** Undefined when the text is not YAML; null when it is empty. */
export function parseYaml(
  source: SourceText,
  report: ReportProblem,
): ParsedNode | null | undefined {
  const tooLarge = refuseSize(source);
  if (tooLarge !== undefined) {
    report(tooLarge);
    return undefined;
  }
  const { tokens, tooDeepAt } = yamlTokens(source.text);
  if (tooDeepAt !== undefined) {
    report({ ...tooDeep({ source, start: tooDeepAt, end: tooDeepAt + 1 }), path: [] });
    return undefined;
  }
  const documents = [...new Composer(OPTIONS).compose(tokens, true, source.text.length)];
  const [first, second] = documents;
  const errors = documents.flatMap((document) => document.errors);
  for (const error of firstOfEachLine(errors, source)) {
    const mistake = mistakeAt(error, source.text);
    reportError(error, mistake, source, report);
    if (mistake?.explainsTheRest === true) break;
  }
  if (second !== undefined) reportSecond(second.range[0], source, report);
  return first === undefined || errors.length > 0 || second !== undefined
    ? undefined
    : first.contents;
}

/** After an error the parser often reports more in the same line; only the first is useful. */
function firstOfEachLine(errors: readonly YAMLError[], source: SourceText): readonly YAMLError[] {
  const byLine = new Map<number, YAMLError>();
  for (const error of errors) {
    if (byLine.size >= MAX_ERRORS) break;
    const { line } = positionAt(source, error.pos[0]);
    if (!byLine.has(line)) byLine.set(line, error);
  }
  return [...byLine.values()];
}

function reportSecond(start: number, source: SourceText, report: ReportProblem): void {
  report({
    code: 'yaml-documents',
    message: 'The file contains more than one YAML document; a workflow is one document',
    path: [],
    span: { source, start, end: start + 1 },
    suggestion: 'Remove the `---` line and everything after it',
  });
}

export function refuseSize(source: SourceText): Parameters<ReportProblem>[0] | undefined {
  if (source.text.length <= MAX_FILE_CHARS) return undefined;
  // rounded up, so that it never equals the allowed number
  const megabytes = Math.ceil((source.text.length / MEGABYTE) * 10) / 10;
  return {
    code: 'file-too-large',
    message: `The file has ${megabytes.toFixed(1)} MB; the maximum is ${MAX_FILE_CHARS / MEGABYTE} MB`,
    path: [],
    span: { source, start: 0, end: 1 },
    suggestion: 'Split it into sub-workflows, or move long texts to separate files with `!file`',
  };
}

function reportError(
  error: YAMLError,
  mistake: YamlMistake | undefined,
  source: SourceText,
  report: ReportProblem,
): void {
  const { start, end } = mistake ?? { start: error.pos[0], end: error.pos[1] };
  const span: Span = { source, start, end: Math.max(end, start + 1) };
  const suggestion = hintFor(error, source) ?? mistake?.suggestion;
  const isTab = error.code === 'TAB_AS_INDENT';
  report({
    code: isTab ? 'yaml-tab' : 'yaml-syntax',
    message: isTab
      ? 'This line is indented with a tab; YAML allows only spaces'
      : (mistake?.message ?? `Not YAML: ${firstSentence(error.message)}`),
    path: [],
    span,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}

/** A suggestion that the line itself makes obvious. */
function hintFor(error: YAMLError, source: SourceText): string | undefined {
  if (error.code === 'TAB_AS_INDENT') return 'Replace the tab with spaces';
  const line = lineAround(source.text, error.pos[0]);
  if (/\bon_error:\s*\*/.test(line)) return 'on_error: true';
  if (/[[{,:]\s*[^\s"']*\$\{/.test(line))
    return 'Put quotes around `${VAR}` inside `{ }` and `[ ]`';
  return undefined;
}

function lineAround(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return text.slice(start, end < 0 ? start + 500 : Math.min(end, start + 500));
}

function firstSentence(message: string): string {
  const line = message.split('\n')[0] ?? message;
  return line.charAt(0).toLowerCase() + line.slice(1, 200);
}
