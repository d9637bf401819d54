/** `errand rehearse`: plays every bad day of a workflow, before production. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { VERSION } from '../../engine/version.ts';
import { jsonText } from '../../errors/support/printable.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { readInput } from '../../workflow/plan/inputs.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { renderDiagnostic } from '../../workflow/diagnostics/diagnostics.ts';
import { fileVerdict } from '../../workflow/check/validation-json.ts';
import type { Crashes } from '../../rehearsal/figures/crashes.ts';
import { FIGURES, type FigureName, type Minima } from '../../rehearsal/figures/minimum.ts';
import { crashesOf, rehearseFile, type FileRehearsal } from '../../rehearsal/rehearse-file.ts';
import type { Rehearsed } from '../../rehearsal/rehearse-plan.ts';
import { junitReport } from '../../rehearsal/report/junit.ts';
import { lcovReport } from '../../rehearsal/report/lcov.ts';
import { recordFile, recordText } from '../../rehearsal/report/record.ts';
import { sarifReport } from '../../rehearsal/report/sarif.ts';
import { keepLast } from '../project/last-rehearsal.ts';
import { fileWords } from '../project/make-folder.ts';
import { refusal } from '../exit.ts';
import type { Format } from '../format.ts';
import { projectModules } from '../project/project-extensions.ts';
import { progressOn } from '../screen/rehearsal-progress.ts';
import { rehearsalText } from '../screen/rehearsal-text.ts';
import { splitInputs } from '../session/split-pair.ts';
import type { Terminal } from '../terminal.ts';

export interface RehearseFlags {
  readonly inputs: readonly string[];
  readonly only?: string;
  readonly min?: string;
  readonly crashes?: string;
  readonly mutants?: boolean;
  readonly storm?: string;
  readonly seed?: string;
  readonly record?: boolean;
  readonly check?: boolean;
  readonly report?: readonly string[];
  readonly format: Format;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** With several files, the first of these codes that occurred. */
const EXITS = [1, 2, 3] as const;

export async function rehearse(
  paths: readonly string[],
  flags: RehearseFlags,
  terminal: Terminal,
): Promise<number> {
  if (flags.only !== undefined && (flags.record === true || flags.check === true))
    throw refusal('--only does not go with --record or --check', 'Record and check all scenarios.');
  const { reports, ...options } = readFlags(flags);
  const exits = new Set<number>();
  const played: Rehearsed[] = [];
  /** Files without a scenario of that name, printed once another file has one. */
  const unmatched: (() => void)[] = [];
  for (const path of paths) {
    const beganMs = performance.now();
    const rehearsal = await rehearseFile(path, {
      workspace: { base: process.cwd(), env: process.env },
      extensionModules: projectModules(),
      inputOf: (plan) => inputsOf(plan, flags.inputs),
      recordOf: (file) => recordOf(file, flags),
      isChecked: flags.check === true,
      keepsWays: flags.verbose,
      ...options,
      ...(flags.format === 'json' || flags.quiet ? {} : progressOn(terminal, path)),
    });
    if (rehearsal.type === 'rehearsed') {
      const { rehearsed, file } = rehearsal;
      played.push(rehearsed);
      if (flags.record === true) writeReport(recordFile(file), recordText(rehearsed.result));
      // a record of some scenarios would look like a rehearsal that misses most
      if (flags.only === undefined)
        keepLast(rehearsed.atlas.plan.name, rehearsed.result, (text) => terminal.err(text));
    }
    const elapsedMs = performance.now() - beganMs;
    const print = (): void =>
      void exits.add(printed(rehearsal, { path, flags, terminal, elapsedMs }));
    if (hasNone(rehearsal, flags)) unmatched.push(print);
    else print();
    await terminal.drained();
  }
  // a misspelled name must not look like a rehearsal that went well
  if (paths.length > 0 && unmatched.length === paths.length)
    throw refusal(
      `No scenario has ${JSON.stringify(flags.only)} in its name`,
      'errand rehearse FILE --verbose lists the names of all scenarios.',
    );
  for (const print of unmatched) print();
  for (const { form, file } of reports) writeReport(file, reportText(form, played));
  return EXITS.find((exit) => exits.has(exit)) ?? 0;
}

/** Whether `--only` left nothing to play; storms are played under any name. */
function hasNone(rehearsal: FileRehearsal, { only }: RehearseFlags): boolean {
  if (only === undefined || rehearsal.type === 'invalid') return false;
  const { scenarios, storms } = rehearsal.rehearsed.result;
  return scenarios.length === 0 && storms === undefined;
}

/** The record beside the workflow; undefined if there is none to compare with. */
function recordOf(file: string, { check }: RehearseFlags): string | undefined {
  const path = recordFile(file);
  if (existsSync(path)) return readFileSync(path, 'utf8');
  if (check !== true) return undefined;
  throw refusal(
    `Nothing is recorded for ${file}: there is no ${path}`,
    'Record it first: errand rehearse FILE --record',
  );
}

function reportText(form: ReportForm, played: readonly Rehearsed[]): string {
  switch (form) {
    case 'junit':
      return junitReport(played.map(({ result }) => result));
    case 'lcov':
      return lcovReport(played);
    case 'sarif':
      return sarifReport(played, VERSION);
  }
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (thrown) {
    throw refusal(
      `${file} cannot be written: ${fileWords(thrown)}`,
      'Give a file in a folder that exists and that you may write to.',
      thrown,
    );
  }
}

interface Printing {
  readonly path: string;
  readonly flags: RehearseFlags;
  readonly terminal: Terminal;
  readonly elapsedMs: number;
}

function printed(rehearsal: FileRehearsal, { path, flags, terminal, elapsedMs }: Printing): number {
  if (rehearsal.type === 'invalid') {
    const { files } = rehearsal;
    terminal.out(
      flags.format === 'json'
        ? jsonText({ isValid: false, files: files.map(fileVerdict) })
        : files
            .flatMap(({ diagnostics }) => diagnostics)
            .filter(({ severity }) => severity === 'error')
            .map(renderDiagnostic)
            .join('\n'),
    );
    return 2;
  }
  const { rehearsed, exit } = rehearsal;
  if (flags.format === 'json') terminal.out(jsonText(rehearsed.result));
  else {
    const text = rehearsalText(rehearsed, {
      columns: terminal.columns,
      elapsedMs,
      isVerbose: flags.verbose,
      isQuiet: flags.quiet,
      ...(flags.only === undefined ? {} : { only: flags.only }),
      typed: path,
    });
    if (text !== '') terminal.out(text);
  }
  return exit;
}

interface ReadFlags {
  readonly only?: string;
  readonly minima: Minima;
  readonly crashes?: Crashes;
  readonly seed: number;
  readonly hasMutants: boolean;
  readonly storms: number;
  readonly reports: readonly { readonly form: ReportForm; readonly file: string }[];
}

export const REPORT_FORMS = ['junit', 'lcov', 'sarif'] as const;
export type ReportForm = (typeof REPORT_FORMS)[number];

function readFlags(flags: RehearseFlags): ReadFlags {
  const { only, min, crashes, seed = '1', storm = '0', report = [] } = flags;
  return {
    ...(only === undefined ? {} : { only }),
    minima: min === undefined ? {} : minimaOf(min),
    ...(crashes === undefined ? {} : { crashes: typedCrashes(crashes) }),
    seed: wholeNumber('--seed', seed),
    storms: wholeNumber('--storm', storm),
    hasMutants: flags.mutants === true,
    reports: report.map(reportOf),
  };
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw refusal(`${option} must be a whole number, not ${text}`, `Write ${option} 7.`);
}

function minimaOf(text: string): Minima {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
      return [figureNamed(name), percentOf(name, value)];
    }),
  );
}

function figureNamed(name: string): FigureName {
  const found = FIGURES.find((figure) => figure === name);
  if (found !== undefined) return found;
  const meant = suggest(name, FIGURES);
  throw refusal(
    name === '' ? '--min names no figure' : `A rehearsal has no figure called ${name}`,
    meant === undefined ? `The figures are ${FIGURES.join(', ')}.` : `Did you mean ${meant}?`,
  );
}

function percentOf(name: string, text: string): number {
  const number = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && number >= 0 && number <= 100) return number;
  throw refusal(
    `--min ${name} needs a number from 0 to 100${text === '' ? '' : `, not ${text}`}`,
    `Write --min ${name}=100 for all of it.`,
  );
}

function typedCrashes(text: string): Crashes {
  const crashes = crashesOf(text);
  if (crashes !== undefined) return crashes;
  throw refusal(`--crashes must be all, sample:N or none, not ${text}`, 'Write --crashes all.');
}

function reportOf(pair: string): ReadFlags['reports'][number] {
  const [form, ...rest] = pair.split('=');
  const found = REPORT_FORMS.find((known) => known === form);
  if (found !== undefined && rest.join('=') !== '') return { form: found, file: rest.join('=') };
  throw refusal(
    `--report must be FORM=FILE, not ${pair}`,
    `Write --report junit=FILE; the forms are ${REPORT_FORMS.join(', ')}.`,
  );
}

function inputsOf(plan: WorkflowPlan, pairs: readonly string[]): JsonObject {
  return Object.fromEntries(
    splitInputs(pairs).map(([name, text]) => [name, readInput(plan, name, text)] as const),
  );
}
