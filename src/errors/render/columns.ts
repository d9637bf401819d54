/** Column widths of text on a terminal, and where to break it. */
import { once } from '../support/once.ts';

/** East Asian scripts and symbols, and characters drawn as pictures. */
const wide = once(
  () =>
    /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f/u,
);
const noWidth = once(() => /^[\p{Mn}\p{Me}\p{Cf}]+$/u);
/**
 * ASCII, and the punctuation of our own texts: segmenting a text takes longer than starting the
 * command.
 */
const NARROW = /^[\x20-\x7e\u2013\u2014\u2018\u2019\u201c\u201d\u2026]*$/;

const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: 'grapheme' }));

export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  // marks of some scripts join a space to its neighbour, but it still takes its own column
  const words = text.split(' ');
  return words.reduce((columns, word) => columns + columnsOfWord(word), words.length - 1);
}

function columnsOfWord(word: string): number {
  if (NARROW.test(word)) return word.length;
  let columns = 0;
  for (const { segment } of segmenter().segment(word)) columns += columnsOfCharacter(segment);
  return columns;
}

function columnsOfCharacter(character: string): number {
  if (wide().test(character)) return 2;
  return noWidth().test(character) ? 0 : 1;
}

/** Breaks at spaces; a word longer than a line is broken anywhere. */
export function wrap(text: string, columns: number): string[] {
  return text
    .replaceAll('\t', '  ')
    .split('\n')
    .flatMap((paragraph) => wrapParagraph(paragraph, columns));
}

function wrapParagraph(paragraph: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const word of paragraph.split(' ').flatMap((part) => breakWord(part, columns))) {
    const wordWidth = columnsOf(word);
    if (line === '') [line, width] = [word, wordWidth];
    else if (width + 1 + wordWidth <= columns)
      [line, width] = [`${line} ${word}`, width + 1 + wordWidth];
    else {
      lines.push(line.trimEnd());
      [line, width] = [word, wordWidth];
    }
  }
  return [...lines, line.trimEnd()];
}

function breakWord(word: string, columns: number): string[] {
  if (columnsOf(word) <= columns) return [word];
  const parts: string[] = [];
  let part = '';
  let width = 0;
  for (const { segment } of segmenter().segment(word)) {
    const next = columnsOfCharacter(segment);
    if (width + next > columns) {
      parts.push(part);
      part = '';
      width = 0;
    }
    part += segment;
    width += next;
  }
  return [...parts, part];
}

/** Shortens to fit, with an ellipsis, and never splits a character. */
export function clip(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of segmenter().segment(text)) {
    width += columnsOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}
