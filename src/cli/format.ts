/** The forms in which an answer can be asked for. */
export const FORMATS = ['text', 'json', 'markdown'] as const;
export type Format = (typeof FORMATS)[number];
