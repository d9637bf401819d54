/** Words of the API as people read them. */
import type { Wait } from '../../src/machine/state/events.ts';

/** The reason of a wait, as it follows "waits for", with the step or the question where that says more. */
export function waitWords({ reason, gate, path }: Pick<Wait, 'reason' | 'gate' | 'path'>): string {
  switch (reason) {
    case 'gate':
      return gate === undefined ? 'an answer' : `an answer to ${gate}`;
    case 'time':
      return at('its time', path);
    case 'budget':
      // its gate has a name that nobody wrote
      return path === undefined ? 'a larger budget' : `a larger budget for ${path}`;
    case 'outcome':
      return at('someone who finds out what happened', path);
    case 'person':
      return at('a person to resume it', path);
  }
}

function at(words: string, path: string | undefined): string {
  return path === undefined ? words : `${words} at ${path}`;
}

/** `waiting_person` is shown as "waiting person". */
export function spaced(word: string): string {
  return word.replaceAll('_', ' ');
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `1,234,567`, the same in every locale. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** `812 B`, `64 KiB`, `1.5 MiB`. */
export function bytesWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KiB`;
  return `${Number((bytes / 1024 / 1024).toFixed(1))} MiB`;
}

/** JSON for reading: a text as it is. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** A value of an option as a word: a text as it is, the rest as JSON on one line. */
export function optionWord(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The name that its file gives to an option, else its value. */
export function labelOf(
  {
    labels = [],
  }: { readonly labels?: readonly { readonly value: unknown; readonly label: string }[] },
  option: unknown,
): string {
  return labels.find(({ value }) => value === option)?.label ?? optionWord(option);
}
