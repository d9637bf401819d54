/** The API's values in words for people. */
import type { Wait } from '../../src/machine/state/events.ts';

/**
 * The reason of a wait, for a text after "waits for", with the step or the question if that says
 * more.
 */
export function waitWords({ reason, gate, path }: Pick<Wait, 'reason' | 'gate' | 'path'>): string {
  switch (reason) {
    case 'gate':
      return gate === undefined ? 'an answer' : `an answer to ${gate}`;
    case 'time':
      return at('its time', path);
    case 'budget':
      // its gate has a generated name
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

/** Returns "waiting person" for `waiting_person`. */
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

/** JSON for reading; a text stays unchanged. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** A value of an option as a word; a text stays unchanged, other values are JSON on one line. */
export function optionWord(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The label of an option in its file, else its value. */
export function labelOf(
  {
    labels = [],
  }: { readonly labels?: readonly { readonly value: unknown; readonly label: string }[] },
  option: unknown,
): string {
  return labels.find(({ value }) => value === option)?.label ?? optionWord(option);
}
