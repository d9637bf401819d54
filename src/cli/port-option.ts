/** The option `--port` of commands that listen. */
import { refusal } from './exit.ts';

const MAX_PORT = 65_535;

export function portOf(written: string): number {
  if (/^\d{1,5}$/.test(written) && Number(written) <= MAX_PORT) return Number(written);
  throw refusal(
    `${written} is not a port`,
    `Give a number from 0 to ${MAX_PORT}; 0 picks a free one.`,
  );
}
