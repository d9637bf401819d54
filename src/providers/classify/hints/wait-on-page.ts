/**
 * The wait that a web page names, among all of its words. A server sends the same page while it fails, so what was
 * read at the beginning of one is remembered; a long page is read in full only where its beginning names no wait.
 */
import { onceForEach } from '../../../errors/support/recent-texts.ts';
import { pageWords } from '../web-page.ts';
import { waitAtBegin, waitInProse } from './wait-in-prose.ts';

const MAX_BEGIN_CHARS = 1024;

export function waitOnPage(html: string): number | undefined {
  const { ms } = waitOnBegin(html.slice(0, MAX_BEGIN_CHARS));
  return ms ?? (html.length < MAX_BEGIN_CHARS ? undefined : waitInProse(pageWords(html)));
}

const waitOnBegin = onceForEach(128, (begin): { readonly ms: number | undefined } => {
  const isWhole = begin.length < MAX_BEGIN_CHARS;
  return { ms: isWhole ? waitInProse(pageWords(begin)) : earlyWait(begin) };
});

/** The wait at the beginning of a page that is longer. */
function earlyWait(begin: string): number | undefined {
  // a tag that the cut went through would be read as words
  const last = begin.lastIndexOf('<');
  const isOpen = last >= 0 && !begin.includes('>', last);
  return waitAtBegin(pageWords(isOpen ? begin.slice(0, last) : begin));
}
