/**
 * Whether the words of a fault say that a stream broke before a part of the reply came. What the caller knows
 * counts before this; without it, a stream that broke is taken for one that had begun.
 */
import type { TransportFault } from './provider-failure.ts';

const PART =
  '(?:(?:output |data |content |text |response |message )?(?:chunk|event|delta|token|byte|frame|line|character|candidate)s?|output|text|content|data|bytes)';

/** `before the first chunk`, `0 events`, `no output`, `yielded nothing`, `empty stream`. */
const NOTHING = new RegExp(
  [
    `\\b(?:before|prior to|until) (?:(?:the |its |a |one )?(?:very )?first|any(?:thing)?)\\b`,
    `\\b(?:no|0|zero|without|not a|not one|without one|without any|without a|did not receive a|not receive any)(?: single)? ${PART}\\b(?! (?:read\\b|remaining|left|outstanding|for |in |within |after (?!the headers?\\b)|since |is |to ))`,
    `\\b(?:no|time[- ]to|without (?:a|the)) first[- ]${PART}\\b`,
    `\\bno message_start\\b|\\bheaders? only\\b|\\b(?:read|get|receive) (?:the )?first ${PART}\\b|\\bbefore output(?=$|[.,;)])`,
    `\\b${PART}(?: \\w+)?[:=] ?0\\b`,
    String.raw`\bnothing (?:came|arrived|was|has been|had|else|parsed|shown|sent|received|delivered|streamed|read)\b`,
    String.raw`\b(?:yielded|sent|delivered|produced|brought|received|generated) nothing\b`,
    String.raw`\bwithout (?:producing|sending|yielding|delivering|emitting|returning) (?:any|anything|one|a single|a chat ?completion)\b`,
    String.raw`\b(?:empty|zero-length|zero-byte) (?:event )?(?:stream|body)\b|\b(?:stream|body) (?:was|is|came) empty\b`,
    String.raw`\b(?:stream|reply|response|output|generation) never (?:started|began)\b|\bat offset 0\b|\bat (?:the )?(?:very )?(?:start|beginning|outset)\b`,
    String.raw`\bbevor d(?:as|er|ie) erste|\bavant (?:le|la) premi|\bantes de(?:l| la) primer|до первого|(?:首个|第一个).{0,8}之?前|最初の.{0,8}前`,
  ].join('|'),
  'i',
);

/** The reply had begun: some of it is named or counted. */
const BEGUN =
  /\b(?:half|halfway|partial(?:ly)?|mid|middle|so far|already|further|more|then|after [1-9]\d*|[1-9][\d,.]*k?B? (?:\w+ )?(?:tokens?|chunks?|deltas?|events?|bytes|frames?|lines?|messages?|characters?))\b/i;

const MAX_CHARS = 1024;

export function saysNothingCame({ message = '', causes = [] }: TransportFault): boolean {
  const said = [message, ...causes.map((cause) => cause.message ?? '')].map((text) =>
    text.slice(0, MAX_CHARS),
  );
  return said.some((text) => NOTHING.test(text)) && !said.some((text) => BEGUN.test(text));
}
