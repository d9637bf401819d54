/**
 * Whether the words of a fault say that a stream broke before a part of the reply came. What the caller knows
 * counts before this; without it, a stream that broke is taken for one that had begun.
 */
import type { TransportFault } from './provider-failure.ts';

/** Parts of a reply, but not those that end it: `finish part`, `complete message`. */
const PART = String.raw`(?!(?:\S+ )?(?:finish|final|last|end|close|closing|terminal|stop|done|usage|complete|completion|more|further|other|new|next|trailing)\b)(?:(?:output|data|text|content|response|reply|answer|message|body|audio|stream|model|assistant|sse|usable|useful|visible|actual|real|single)[- ]){0,2}(?:chunk|event|delta|token|byte|frame|line|char(?:acter)?|candidate|word|letter|piece|part|item|choice|message|packet|segment|fragment|output|text|content|data|reply|answer|audio|body)s?\b`;

/** Words that follow, and make it a pause or a missing rest. */
const NO_REST = String.raw`(?! (?:read|remaining|left|outstanding|for|in|within|after(?! the headers?\b)|since|is|to|until|before)\b)`;

const MADE =
  '(?:begun|began|started|emit\\w*|sent|sending|produc\\w*|yield\\w*|deliver\\w*|receiv\\w*|generat\\w*|stream\\w*|return\\w*|got|seen|saw|writ\\w*)';

/** `before the first chunk`, `0 events`, `no output`, `yielded nothing`, `empty stream`, in that order. */
const NOTHING = new RegExp(
  [
    String.raw`\b(?:before|prior to|ahead of|until) (?:(?:(?:the |its |a |one |our )?(?:very )?first|any|anything|(?:a|one)(?: single)?)(?= |$)(?! (?:finish|final|terminal|stop|end))|(?:output|content|text|generation|streaming|message_start|response\.created)(?=$|[.,;:)])|(?:it|(?:the )?(?:stream|reply|output|answer|generation)) (?:had )?(?:begun|began|started|opened)\b)`,
    String.raw`(?<![\w=:.,-])(?:no|0|zero|none of the|without|without (?:a|any|one|even)|not (?:a|one|any|even)|never a)(?: single| one)? ${PART}${NO_REST}`,
    String.raw`\b(?:never|not|yet to|hadn't|didn't|without)(?: yet| even| ever| having)? ${MADE}(?= (?:anything\b|a chat ?completion\b|(?:a single|any|one) ${PART}))`,
    String.raw`\bfirst[- ]${PART} (?:\w+ )?(?:never|did not|didn't)\b|\b(?:no|time[- ]to|without (?:a|the)) first[- ]${PART}`,
    String.raw`\b(?:read|get|receive) (?:the )?first ${PART}|\bno message_start\b`,
    String.raw`\b(?:tokens?|chunks?|bytes?|events?|deltas?|frames?|content-length|length|received|sent|delivered|written|emitted)["']?(?: \w+)? ?[:=]+ ?0\b`,
    String.raw`\bnothing (?:came|arrived|was|has|had|parsed|shown|sent|received|delivered|streamed|read|yet|written|emitted|generated|out|at all|to show)\b|\b(?:with|${MADE}|brought) nothing\b`,
    String.raw`\b(?:empty|zero-length|zero-byte|0-byte) (?:\w+ )?(?:stream|body|reply|answer)\b|\b(?:stream|body) (?:was|is|came) empty\b`,
    String.raw`\b(?:stream|reply|response|output|generation|answer) (?:had )?(?:never|not) (?:yet )?(?:started|began|begun|opened)\b`,
    String.raw`\bat offset 0\b|\bat (?:the )?(?:very )?(?:start|beginning|outset)\b|\bheaders? only\b|\b(?:only|just) (?:pings?|keep-?alives?|comments?|heartbeats?|headers?)\b`,
    String.raw`\b(?:right|immediately|directly|just|straight) after (?:the )?(?:headers?|200|connect\w*|open\w*|handshake|status)\b`,
    String.raw`\bbevor d(?:as|er|ie) erste|\bavant (?:le|la) premi|\bantes de(?:l| la) primer|до первого|(?:首个|第一个|任何).{0,8}之?前|最初の.{0,8}前`,
  ].join('|'),
  'i',
);

/** The reply had begun: some of it is named or counted; or it is our own part that is empty. */
const BEGUN =
  /\b(?:half|halfway|part(?:ial(?:ly)?|way)|mid|middle|so far|already|further|more|then|input|remainder|the rest|a few|several|some|after [1-9]\d*|[1-9][\d,.]*k?B? (?:\w+ )?(?:tokens?|chunks?|deltas?|events?|bytes|frames?|lines?|messages?|characters?))\b/i;

const MAX_CHARS = 1024;

export function saysNothingCame({ message = '', causes = [] }: TransportFault): boolean {
  const said = [message, ...causes.map((cause) => cause.message ?? '')].map((text) =>
    text.slice(0, MAX_CHARS),
  );
  return said.some((text) => NOTHING.test(text)) && !said.some((text) => BEGUN.test(text));
}
