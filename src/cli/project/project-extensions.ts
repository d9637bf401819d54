/** The extensions of the project, which `ERRAND_EXTENSIONS` names, and the formats that extensions add. */
import type { Engine } from '../../engine/errand.ts';
import { suggest } from '../../errors/support/suggest.ts';
import type { ExtensionParts } from '../../machine/ports/extension-port.ts';
import { refusal } from '../exit.ts';
import { FORMATS } from '../format.ts';

/** `ERRAND_EXTENSIONS` lists paths, separated by commas. */
export function projectModules(): readonly string[] {
  const named = (process.env['ERRAND_EXTENSIONS'] ?? '').split(',').map((path) => path.trim());
  return named.filter((path) => path !== '');
}

/** Returns the renderer of `--format NAME`; undefined for a built-in format. Throws for an unknown one. */
export function rendererOf(
  format: string,
  { extensions }: Pick<Engine, 'extensions'>,
): ExtensionParts['render'] {
  if (FORMATS.some((known) => known === format)) return undefined;
  const render = extensions.part(format, 'render');
  if (render !== undefined) return render;
  const known = [...FORMATS, ...extensions.having('render')];
  const meant = suggest(format, known);
  throw refusal(
    `Unknown format ${format}`,
    meant === undefined ? `Give one of: ${known.join(', ')}.` : `Did you mean ${meant}?`,
  );
}
