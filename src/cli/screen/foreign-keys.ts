/** The keys of another engine in a file that Errand refuses or does not use, as one table. */
import type { ValidatedFile } from '../../workflow/check/validate-workflow.ts';
import type { DiagnosticCode } from '../../workflow/diagnostics/diagnostic-codes.ts';
import { tableLines } from './table-lines.ts';

const MEANINGS: Readonly<Partial<Record<DiagnosticCode, string>>> = {
  'unsupported-key': 'refused',
  'unsupported-type': 'refused',
  'unsupported-value': 'refused',
  'not-used': 'not used',
  'unknown-input': 'undeclared',
};

/** One row for each key, in the order of the files. */
export function foreignKeysTable(files: readonly ValidatedFile[], columns: number): string {
  const rows = files.flatMap(({ file, diagnostics }) =>
    diagnostics.flatMap(({ code, severity, line, pointer, message, suggestion }) => {
      const meaning = MEANINGS[code];
      // in a file of our own it is an error, and no key of another engine
      const isMistake = code === 'unknown-input' && severity === 'error';
      if (meaning === undefined || isMistake) return [];
      const place = line === undefined ? file : `${file}:${line}`;
      return [[place, pointer, meaning, suggestion ?? message]];
    }),
  );
  if (rows.length === 0) return 'Errand runs every key of these files.';
  const heading = ['WHERE', 'KEY', 'HERE', 'INSTEAD'];
  return tableLines([heading, ...rows], columns, { wrapped: true }).join('\n');
}
