/** Colours text where colours are wanted; the text is the same without them. */

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Style = keyof typeof STYLES;
export type Paint = (text: string, style: Style) => string;

export function paintWith(color: boolean): Paint {
  return (text, style) =>
    color && text !== '' ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
}
