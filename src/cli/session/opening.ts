/** The option `--opening`: which question of a gate an answer is for. */
import { refusal } from '../exit.ts';

export function openingOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw refusal(
    `--opening must be the number of an event, not ${text}`,
    'Take it from waiting.opening of: errand show RUN --format json',
  );
}
