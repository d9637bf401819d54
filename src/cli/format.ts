/** The forms in which an answer can be asked for, and how much of it. */
export const FORMATS = ['text', 'json', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];

export interface Telling {
  readonly format: Format;
  /** Only the result. */
  readonly quiet: boolean;
  /** Every step, and what is known of a defect. */
  readonly verbose: boolean;
}

export const PLAINLY: Telling = { format: 'text', quiet: false, verbose: false };

/** Of the options of any command. */
export function tellingOf(options: Readonly<Record<string, unknown>>): Telling {
  const { format, quiet, verbose } = options;
  // that of an extension is known when the workflow is loaded
  const own = FORMATS.find((known) => known === format) ?? 'text';
  return { format: own, quiet: quiet === true, verbose: verbose === true };
}
