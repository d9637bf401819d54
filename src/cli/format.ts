/** Output formats, and how much to print. */
export const FORMATS = ['text', 'json', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];

export interface OutputOptions {
  readonly format: Format;
  /** Only the result. */
  readonly quiet: boolean;
  /** Every step, and the internal details of a defect. */
  readonly verbose: boolean;
}

export const DEFAULT_OUTPUT: OutputOptions = { format: 'text', quiet: false, verbose: false };

export function outputOptionsOf(options: Readonly<Record<string, unknown>>): OutputOptions {
  const { format, quiet, verbose } = options;
  // the name of an extension is resolved when the workflow is loaded
  const own = FORMATS.find((known) => known === format) ?? 'text';
  return { format: own, quiet: quiet === true, verbose: verbose === true };
}
