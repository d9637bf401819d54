/**
 * The wait that a sentence names: a length of time with words of waiting before or behind it, whichever order
 * a language has. Lengths of other things (a window, a time limit, what something took) have other words
 * beside them and are none.
 */
import { acceptMs, durationAt, durationBefore } from './durations.ts';

/** Words behind which a length of time is a wait only with a preposition: `try again in`, `resets in`. */
const OF_WAITING =
  'retry|retried|again|resets?|available|refresh|refreshes|refills?|renews|resume|replenished|unlocks?|unlocked|unblocked|lifted|return|(?:come|check|get|be) back|(?:next|new|another|your) (?:requests?|messages?|calls?|prompts?)(?: (?:is |are |may be |can be |will be )?(?:allowed|sent|made|accepted|possible))?|novamente|nuevo|erneut|essayer|essayez|riprova|ponownie|opnieuw|znova|znovu|igen|uudelleen|din nou|попытку|снова|знову|lại|lagi';

/** An estimate is a wait all the same. */
const ROUGHLY =
  '(?:~ ?|about |around |approximately |approx\\.? |roughly |another |at least |a further )?';

const LEAD = new RegExp(
  [
    `(?<!\\w)(?:${OF_WAITING})(?: will occur)?[ _-](?:in|after|em|en|dans|tra|po|over|o|za|om|peste|через|sau|dalam)[ :=]{1,2}${ROUGHLY}$`,
    `(?:^|[^a-z])(?:wait|back off|backoff|cooldown|give it|подождите|подождать)(?: time| period)?(?: for| of| is|:|=)? ?${ROUGHLY}$`,
  ].join('|'),
);

/** `5 seconds remaining`, `30 Sekunden erneut`, `30 saniye sonra`. */
const FOLLOWED =
  /^(?:\(s\))? (?:remaining|left|until|erneut|sonra|before (?:you|your|the next|retry|trying again))(?![a-z])/;

/** In `60s requested vs. 40s left`, something is left of what a call asked more of: an amount and no wait. */
const LEFT = /^(?:\(s\))? (?:remaining|left)(?![a-z])/;
const ASKED = /\b(?:requested|needed|needs|required|requires|asked for|vs)\b/;

/** A window that is counted back from now, and the longest wait that somebody was ready for. */
const OF_OTHERS =
  /(?:\b(?:last|past|every|per) |\b(?:exceed|max)[a-z]{0,5} (?:the )?wait[a-z ]{0,16}[:=]? ?)$/;
const ENDED = /^ (?:exceeded|elapsed|max|limit)(?![a-z])/;

const NUMBER_WORDS: Readonly<Record<string, number>> = {
  'half a': 0.5,
  'half an': 0.5,
  a: 1,
  an: 1,
  one: 1,
  einer: 1,
  une: 1,
  un: 1,
  una: 1,
  um: 1,
  uma: 1,
  jednu: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  ten: 10,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  sixty: 60,
};

const UNITS = 'second|minut|minút|hour|day|sekund|segund|stund|heure|hora|hodin|godzin';
/** Few sentences name a unit in full, and the others have no number in words before one. */
const UNIT = new RegExp(` (?:${UNITS})`);
const NUMBER_WORD = new RegExp(
  `\\b(${Object.keys(NUMBER_WORDS).sort(longestFirst).join('|')}) (?=${UNITS})`,
  'g',
);

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

const LENGTH = /\d[\d.,:]*/g;
const MAX_LEAD_CHARS = 48;
const MAX_CHARS = 8192;

/** A text that names its wait mostly does so near its beginning, so that of a long one is read first. */
const MAX_BEGIN_CHARS = 512;
/** More than a length of time and the words beside it. */
const MARGIN_CHARS = 128;

export function waitInProse(text: string): number | undefined {
  const early =
    text.length > 2 * MAX_BEGIN_CHARS ? waitAtBegin(text.slice(0, MAX_BEGIN_CHARS)) : undefined;
  if (early !== undefined) return early;
  const lower = readable(text.slice(0, MAX_CHARS));
  const { led, followed } = lengthsIn(lower, lower.length);
  return led ?? followed ?? durationBefore(lower) ?? printedHeader(lower);
}

/** The wait at the beginning of a text, if it is that of the whole text however it continues. */
export function waitAtBegin(begin: string): number | undefined {
  const lower = readable(begin);
  return lengthsIn(lower, lower.length - MARGIN_CHARS).led;
}

/** On one line, in lower case and with its numbers in digits. */
function readable(text: string): string {
  const flat = text.replaceAll('\n', ' ').toLowerCase();
  return UNIT.test(flat) ? flat.replace(NUMBER_WORD, inDigits) : flat;
}

interface Lengths {
  /** The words before it say that it is a wait; then no other counts. */
  readonly led?: number | undefined;
  /** The words behind it say so, which may speak of what is left of something. */
  readonly followed?: number | undefined;
}

/** The lengths of time that begin before a place. */
function lengthsIn(lower: string, until: number): Lengths {
  let followed: number | undefined;
  for (const number of lower.matchAll(LENGTH)) {
    if (number.index >= until) break;
    if (!mayBeLength(lower, number)) continue;
    const length = durationAt(lower, number.index);
    if (length === undefined) continue;
    if (length.end > until) break;
    const before = lower.slice(Math.max(0, number.index - MAX_LEAD_CHARS), number.index);
    const behind = lower.slice(length.end, length.end + MAX_LEAD_CHARS);
    if (OF_OTHERS.test(before) || ENDED.test(behind)) continue;
    if (LEAD.test(before)) return { led: length.ms };
    const isAmount = LEFT.test(behind) && ASKED.test(lower);
    if (FOLLOWED.test(behind) && !isAmount) followed ??= length.ms;
  }
  return { followed };
}

/** A length is a clock, or has its unit behind it; most numbers of a long text have other signs there. */
function mayBeLength(lower: string, { index, 0: digits }: RegExpExecArray): boolean {
  const next = lower.charCodeAt(index + digits.length);
  return next >= SMALL_A || next <= SPACE || digits.includes(':');
}

const SPACE = 0x20;
const SMALL_A = 0x61;

function inDigits(spelled: string, word: string, at: number, text: string): string {
  return isFigure(word, text, at) ? spelled : `${NUMBER_WORDS[word] ?? 1} `;
}

/** To wait a minute is a figure of speech; in a minute is a time. */
function isFigure(word: string, text: string, at: number): boolean {
  return word.startsWith('a') && /\bwait (?:for )?$/.test(text.slice(Math.max(0, at - 12), at));
}

/** The header in a message, as a client prints it or as a sentence ends with it: `retry-after: 7`, `retry after 7`. */
const PRINTED =
  /\bretry[-_]after([-_]ms)?["']?[:=] ?["']?(\d{1,9})\b(?![-:.]\d)|\bretry after (\d{1,7})(?=\W*$|[.,;)\]](?!\d))/;

/** Seconds, as in the header, where nothing says otherwise. */
function printedHeader(lower: string): number | undefined {
  const [, unit, printed, said] = PRINTED.exec(lower) ?? [];
  const digits = printed ?? said;
  return digits === undefined
    ? undefined
    : acceptMs(Number(digits) * (unit === undefined ? 1000 : 1));
}
