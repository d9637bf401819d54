/**
 * Web pages in place of a reply. A page says what happened in its title or its preformatted line; its
 * other sentences are the same for every failure.
 */
import { LIMIT_PARAGRAPH } from './limiter-notation.ts';

const PAGE = /<(?:!doctype|html|head|title)\b/i;
const MAX_PAGE_CHARS = 4096;

export function isPage(text: string): boolean {
  return /^<(?:!doctype|html|head|\?xml)/i.test(text);
}

export function pageTitle(html: string): string {
  const head = html.slice(0, MAX_PAGE_CHARS);
  const title = TITLE.exec(head)?.[1] ?? HEADING.exec(head)?.[1] ?? '';
  // frameworks put the reason into a line of its own, as `Cannot POST /v1/chat`, limiters their limit
  const line = hasElement(head, OF_LINE)
    ? (PREFORMATTED.exec(head)?.[1] ?? LIMIT_PARAGRAPH.exec(head)?.[1])
    : undefined;
  return `${title} ${line ?? ''}`.trim();
}

/** Asks at each tag, because a search for one sign is far cheaper than one for a pattern. */
function hasElement(head: string, name: RegExp): boolean {
  for (let at = head.indexOf('<'); at >= 0; at = head.indexOf('<', at + 1)) {
    name.lastIndex = at + 1;
    if (isLetter(head.charCodeAt(at + 1)) && name.test(head)) return true;
  }
  return false;
}

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const OF_LINE = /p/iy;

const TITLE = /<title[^>]{0,80}>([^<]{0,200})/i;
const HEADING = /<h1[^>]{0,80}>([^<]{0,200})/i;
const PREFORMATTED = /<pre[^>]{0,80}>([^<]{0,200})/i;

/** A document of a service (`<Error><Code>…</Code><Message>…`): its elements, each as a field. */
export function elementsOf(text: string): readonly unknown[] | undefined {
  if (!text.startsWith('<')) return undefined;
  const head = text.slice(0, MAX_PAGE_CHARS);
  if (!hasElement(head, OF_A_FAILURE)) return undefined;
  const elements = [...head.matchAll(ELEMENT)].slice(0, MAX_ELEMENTS);
  const fields = elements.map(([, name = '', value = '']) => ({ [name]: value.trim() }));
  return elements.some(([, name = '']) => /^(?:\w{0,20}code|message)$/i.test(name))
    ? fields
    : undefined;
}

/** Only a document with a code or a message is about a failure; pages have neither. */
const OF_A_FAILURE = /(?:\w{0,20}code|message)[ >]/iy;
const ELEMENT = /<([A-Za-z][\w.-]{0,40})(?: [^<>]{0,200})?>([^<]{1,2000})<\//g;
const MAX_ELEMENTS = 40;

/** All words of a page, for a wait that it names. */
export function pageWords(html: string): string {
  const head = html.slice(0, MAX_PAGE_CHARS);
  let words = '';
  let from = 0;
  let at = head.indexOf('<');
  while (at >= 0) {
    TAG.lastIndex = at;
    const isTag = TAG.test(head);
    if (isTag) {
      words += `${head.slice(from, at)} `;
      from = TAG.lastIndex;
    }
    at = head.indexOf('<', isTag ? from : at + 1);
  }
  return words + head.slice(from);
}

const TAG = /<[^<>]{0,400}>/y;

/** A page inside a sentence counts by its title. */
export function withoutPage(text: string): string {
  const start = pageStart(text);
  return start < 0 ? text : `${text.slice(0, start)} ${pageTitle(text.slice(start))}`;
}

export function hasPage(text: string): boolean {
  return pageStart(text) >= 0;
}

function pageStart(text: string): number {
  return text.includes('<') ? text.search(PAGE) : -1;
}
