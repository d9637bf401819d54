/**
 * The extensions that a command works with: those of the project, which `ERRAND_EXTENSIONS` names, and
 * those that a workflow file brings.
 */
import { Extensions } from '../drivers/extensions.ts';
import type { ErrorReport } from '../errors/report.ts';
import { suggest } from '../errors/suggest.ts';
import type { ExtensionParts } from '../machine/extension-port.ts';
import { refusal } from './exit.ts';
import { FORMATS } from './format.ts';

/** Rejects with `extension.*`. */
export async function projectExtensions(
  onWarning: (error: ErrorReport) => void,
): Promise<Extensions> {
  const extensions = new Extensions({ registered: [], base: process.cwd(), onWarning });
  await extensions.load(projectModules());
  return extensions;
}

/** Paths, with commas between them. */
export function projectModules(): readonly string[] {
  const named = (process.env['ERRAND_EXTENSIONS'] ?? '').split(',').map((path) => path.trim());
  return named.filter((path) => path !== '');
}

/** What prints `--format NAME`; undefined for a form of ours. Throws where nobody has it. */
export function rendererOf(format: string, extensions: Extensions): ExtensionParts['render'] {
  if (FORMATS.some((known) => known === format)) return undefined;
  const render = extensions.part(format, 'render');
  if (render !== undefined) return render;
  const known = [...FORMATS, ...extensions.having('render')];
  const meant = suggest(format, known);
  throw refusal(
    `There is no format ${format}`,
    meant === undefined ? `Give one of: ${known.join(', ')}.` : `Did you mean ${meant}?`,
  );
}
