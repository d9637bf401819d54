/**
 * The last thing that happens to a text before it is written: whatever came this far, a terminal gets no
 * command but the colours that `paint.ts` and the panel of a report write, and those only where colours
 * are wanted.
 */
import { visible } from '../../errors/printable.ts';

const STYLE = /(\u001b\[(?:0|1|2|31|32|33|36)m)/;

export function toScreen(text: string, color: boolean): string {
  if (!color) return visible(text);
  return text
    .split(STYLE)
    .map((part, at) => (at % 2 === 1 ? part : visible(part)))
    .join('');
}
