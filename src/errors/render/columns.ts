/** How wide text is on a terminal, and where to break it. */

const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const NARROW_ASCII = /^[\x20-\x7e]*$/;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function columnsOf(text: string): number {
  if (NARROW_ASCII.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of segmenter.segment(text)) columns += columnsOfCharacter(segment);
  return columns;
}

function columnsOfCharacter(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}

/** Breaks at spaces; a word longer than a line is broken anywhere. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, columns));
}

function wrapParagraph(paragraph: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ').flatMap((part) => breakWord(part, columns))) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (columnsOf(joined) <= columns) line = joined;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function breakWord(word: string, columns: number): string[] {
  if (columnsOf(word) <= columns) return [word];
  const parts: string[] = [];
  let part = '';
  for (const { segment } of segmenter.segment(word)) {
    if (columnsOf(part + segment) > columns) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  return [...parts, part];
}

/** Shortens to fit, with an ellipsis, and never splits a character. */
export function clip(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  for (const { segment } of segmenter.segment(text)) {
    if (columnsOf(kept + segment) > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}
