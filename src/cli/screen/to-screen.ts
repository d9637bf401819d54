/**
 * The last step before a text is written: a terminal gets no control sequences but the colours of
 * `paint.ts` and of the panel, and those only if colours are wanted.
 */
import { visible } from '../../errors/support/printable.ts';

const STYLE = /(\u001b\[(?:0|1|2|31|32|33|36)m)/;

export function toScreen(text: string, { color }: { readonly color: boolean }): string {
  if (!color) return visible(text);
  return text
    .split(STYLE)
    .map((part, at) => (at % 2 === 1 ? part : visible(part)))
    .join('');
}
