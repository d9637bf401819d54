/** `errand validate`: checks workflow files before a token is spent. */
import { countWords } from '../screen/number-words.ts';
import { jsonText, oneLine } from '../../errors/support/printable.ts';
import { wrap } from '../../errors/render/columns.ts';
import { usdWords } from '../../errors/render/money.ts';
import { durationWords } from '../../errors/render/report-words.ts';
import { renderDiagnostic, type Diagnostic } from '../../workflow/diagnostics/diagnostics.ts';
import type { ValidatedFile, Validation } from '../../workflow/check/validate-workflow.ts';
import { fileVerdict } from '../../workflow/check/validation-json.ts';
import type { WorstCase } from '../../workflow/check/worst-case.ts';
import { checkFile, checkProjectFile, type Workspace } from '../../engine/loading/check-file.ts';
import type { Format } from '../format.ts';
import { projectModules } from '../project/project-extensions.ts';
import { foreignKeysTable } from '../screen/foreign-keys.ts';
import type { Terminal } from '../terminal.ts';

export interface ValidateOptions {
  readonly strict?: boolean;
  readonly format: Format;
  /** False: load no module and no extension. */
  readonly modules?: boolean;
  /** Print only what makes a file invalid. */
  readonly quiet?: boolean;
  /** Also list the keys of that engine which Errand refuses or does not use. */
  readonly from?: 'conductor';
}

const EXIT_INVALID = 2;

export async function validate(
  paths: readonly string[],
  options: ValidateOptions,
  terminal: Terminal,
): Promise<number> {
  const workspace = { base: process.cwd(), env: process.env };
  const validations: Validation[] = [];
  const strict = options.strict === true;
  // each file is checked with the extensions that it would run with
  for (const path of paths) validations.push(await check(path, workspace, options));
  const isValid = validations.every((validation) => validation.isValid);
  const all = uniqueFiles(validations);
  if (options.format === 'json')
    terminal.out(jsonText({ isValid, files: all.map(fileVerdict) }, 2));
  else if (options.quiet !== true)
    terminal.out(all.map((file) => toText(file, options, terminal.columns)).join('\n\n'));
  else if (!isValid) terminal.out(wrongLines(all, strict).join('\n'));
  if (options.from !== undefined && options.format !== 'json')
    terminal.out(`\n${foreignKeysTable(all, terminal.columns)}`);
  return isValid ? 0 : EXIT_INVALID;
}

/** The extensions of the project are code too, and may be part of the same pull request. */
function check(path: string, workspace: Workspace, options: ValidateOptions): Promise<Validation> {
  const strict = options.strict === true;
  const extensionModules = projectModules();
  if (options.modules !== false)
    return checkProjectFile(path, workspace, { strict, extensionModules });
  const modules = extensionModules.length === 0 ? 'not loaded' : 'not loaded, nor the project’s';
  return checkFile(path, workspace, { strict, modules });
}

/** Lists a child that two files call once, with the diagnostics of both; named files come first. */
function uniqueFiles(validations: readonly Validation[]): ValidatedFile[] {
  const seen = new Map<string, ValidatedFile>();
  const asked = validations.flatMap(({ files }) => files.slice(0, 1));
  const reached = validations.flatMap(({ files }) => files.slice(1));
  for (const file of [...asked, ...reached]) {
    const known = seen.get(file.file);
    seen.set(file.file, known === undefined ? file : merged(known, file));
  }
  return [...seen.values()];
}

function merged(known: ValidatedFile, again: ValidatedFile): ValidatedFile {
  const seen = new Set(known.diagnostics.map(identityOf));
  const more = again.diagnostics.filter((diagnostic) => !seen.has(identityOf(diagnostic)));
  return { ...known, diagnostics: [...known.diagnostics, ...more] };
}

function identityOf({ code, pointer, severity }: Diagnostic): string {
  return [code, pointer, severity].join(' ');
}

/** The diagnostics that make a file invalid. */
function wrongLines(files: readonly ValidatedFile[], strict: boolean): string[] {
  return files
    .flatMap(({ diagnostics }) => diagnostics)
    .filter(({ severity }) => severity === 'error' || (strict && severity === 'warning'))
    .map(renderDiagnostic);
}

function toText(
  { file, diagnostics, nodes, worstCase }: ValidatedFile,
  options: ValidateOptions,
  columns: number,
): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length;
  // a file without errors is invalid too when a file that it uses is
  const isRead = worstCase !== null;
  const isValid = isRead && errors === 0 && (options.strict !== true || warnings === 0);
  const counts = [
    ...(errors === 0 ? [] : [countWords(errors, 'error')]),
    ...(warnings === 0 ? [] : [countWords(warnings, 'warning')]),
    ...(errors === 0 && !isRead ? ['a file that it uses is not'] : []),
  ];
  return [
    `${oneLine(file)}: ${isValid ? 'valid' : 'not valid'}${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`,
    ...diagnostics.map((diagnostic) => indent(renderDiagnostic(diagnostic))),
    // figures of a file with errors would be those of another file
    ...(worstCase === null || errors > 0
      ? []
      : [...worstCaseLines(worstCase), ...handlingLines(nodes)].flatMap((line) =>
          hanging(`  ${line}`, columns),
        )),
  ].join('\n');
}

function worstCaseLines(worst: WorstCase): string[] {
  const figures = [
    figure(worst.modelRequests, 'model request'),
    figure(worst.effects, 'effect'),
    worst.wallMs === null ? 'unbounded time' : durationWords(worst.wallMs),
    worst.costUsdMicros === null ? 'unbounded cost' : worstCost(worst.costUsdMicros),
  ].join(', ');
  return [
    `at worst (per leg): ${figures}`,
    ...worst.unbounded.map((reason) => `  unbounded: ${reason}`),
  ];
}

/** Rounded up to the cent, so that it stays an upper bound. */
function worstCost(micros: number): string {
  if (micros === 0) return '$0.00';
  const isBelowACent = micros < 10_000;
  const most = isBelowACent
    ? usdWords(micros)
    : `$${(Math.ceil(micros / 10_000) / 100).toFixed(2)}`;
  return `${most} if providers keep to max_tokens`;
}

function handlingLines(nodes: ValidatedFile['nodes']): string[] {
  const lines = Object.entries(nodes).map(([name, { raises, unhandled }]) => {
    if (raises.length === 0) return `${name}: cannot fail`;
    const kinds = unhandled.slice(0, 3).join(', ') + (unhandled.length > 3 ? ', …' : '');
    const rest =
      unhandled.length === 0
        ? 'all handled'
        : `${unhandled.length} ${unhandled.length === 1 ? 'uses' : 'use'} the default (${kinds})`;
    return `${name}: ${countWords(raises.length, 'kind')} of failure, ${rest}`;
  });
  const isDefault = Object.values(nodes).some(({ unhandled }) => unhandled.length > 0);
  return isDefault ? [...lines, THE_DEFAULT] : lines;
}

const THE_DEFAULT =
  'the default: the run fails, or its caller gets the failure; --format json lists every kind and its route';

function figure(value: number | null, noun: string): string {
  return value === null ? `unbounded ${noun}s` : countWords(value, noun);
}

/** Wraps a long line, with further lines indented. */
function hanging(line: string, columns: number): string[] {
  const before = line.length - line.trimStart().length;
  const room = Math.max(40, Math.min(columns, 100)) - before - 2;
  return wrap(line.trimStart(), room).map(
    (part, at) => ' '.repeat(at === 0 ? before : before + 2) + part,
  );
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ');
}
