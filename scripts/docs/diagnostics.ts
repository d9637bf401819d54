/**
 * `docs/reference/diagnostics.md`: every diagnostic of `errand validate`, with a file that causes
 * it and the answer. Files and answers come from the gallery, whose test keeps them true.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CODES } from '../../src/workflow/diagnostics/diagnostic-codes.ts';

export const DIAGNOSTICS_PAGE = 'docs/reference/diagnostics.md';

const GALLERY = join(dirname(dirname(import.meta.dirname)), 'examples/invalid');

const MAX_FILE_LINES = 20;
const MAX_SHOWN_LINES = 10;
const MAX_LINE_CHARS = 160;

interface Found {
  readonly severity: 'error' | 'warning' | 'info';
  readonly kind: string;
}

export function renderDiagnostics(): string {
  const codes = Object.entries(CODES)
    // the gallery has no diagnostics that need a server
    .filter(([code]) => existsSync(join(GALLERY, '__golden__', `${code}.txt`)))
    .map(([code, meaning]) => ({ code, meaning, found: firstFound(code) }));
  const withSeverity = (severity: Found['severity']): string[] =>
    codes.filter(({ found }) => found.severity === severity).flatMap(section);
  return [
    '# Diagnostics',
    '',
    '<!-- Made by `npm run docs` from src/workflow/diagnostics/diagnostic-codes.ts and examples/invalid. Do not edit. -->',
    '',
    `The ${codes.length} things that \`errand validate\` can say about a workflow file. An error refuses the file:`,
    'nothing is run, and the command ends with 2. A warning refuses it only with `--strict`, an info never.',
    'With `--format json` each one has its `code`, its `severity`, the `kind` of the report that a refused run',
    'has, a JSON Pointer, a line and a column, the message and, where it can be known, what to write instead.',
    'The files below are in `examples/invalid/`.',
    '',
    '## Errors',
    '',
    ...withSeverity('error'),
    '## Warnings',
    '',
    ...withSeverity('warning'),
    '## Infos',
    '',
    ...withSeverity('info'),
  ].join('\n');
}

interface Entry {
  readonly code: string;
  readonly meaning: string;
  readonly found: Found;
}

function section({ code, meaning, found }: Entry): string[] {
  const file = join(GALLERY, `${code}.yaml`);
  return [
    `### ${code}`,
    '',
    `${meaning} Kind \`${found.kind}\`.`,
    '',
    ...(existsSync(file)
      ? fenced('yaml', lines(file, MAX_FILE_LINES))
      : ['The file that causes it is too large to be shown.', '']),
    ...fenced('text', lines(join(GALLERY, '__golden__', `${code}.txt`), MAX_SHOWN_LINES)),
  ];
}

function firstFound(code: string): Found {
  const text = readFileSync(join(GALLERY, '__golden__', `${code}.json`), 'utf8');
  // the gallery's test writes the file, and demands at least one finding
  const [first] = JSON.parse(text) as [Found, ...Found[]];
  return first;
}

function lines(file: string, most: number): string[] {
  const all = readFileSync(file, 'utf8').trimEnd().split('\n');
  const shown = all.length > most ? [...all.slice(0, most), '…'] : all;
  return shown.map((line) =>
    line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS - 1)}…` : line,
  );
}

function fenced(language: string, content: readonly string[]): string[] {
  return [`\`\`\`${language}`, ...content, '```', ''];
}
