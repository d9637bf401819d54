/**
 * The wait that a web page names, among all of its words. A server sends the same page while it fails, so what was
 * read at the beginning of the last one is kept; a long page is read in full only where its beginning names no wait.
 */
import { pageWords } from '../web-page.ts';
import { waitAtBegin, waitInProse } from './wait-in-prose.ts';

const MAX_BEGIN_CHARS = 1024;

/** To compare two texts takes a small part of the time in which one is found among many. */
let lastBegin = '';
let lastWait: number | undefined;

export function waitOnPage(html: string): number | undefined {
  const begin = html.slice(0, MAX_BEGIN_CHARS);
  const isWhole = html.length < MAX_BEGIN_CHARS;
  if (begin !== lastBegin) {
    lastBegin = begin;
    lastWait = isWhole ? waitInProse(pageWords(begin)) : earlyWait(begin);
  }
  return isWhole ? lastWait : (lastWait ?? waitInProse(pageWords(html)));
}

/** The wait at the beginning of a page that is longer. */
function earlyWait(begin: string): number | undefined {
  // a tag that the cut went through would be read as words
  const last = begin.lastIndexOf('<');
  const isOpen = last >= 0 && !begin.includes('>', last);
  return waitAtBegin(pageWords(isOpen ? begin.slice(0, last) : begin));
}
