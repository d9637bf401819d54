/** Whether one request alone asks for more than the limit that a message states, so that no wait lets it pass. */
import type { Evidence } from './evidence.ts';

const LIMIT = /\b(?:limit(?: of)?|tpm)[:(]?\s{0,3}\(?(\d[\d,]{0,14}k?)\b/i;
const REQUESTED =
  /\b(?:requested|asked(?: for)?|size of (?:this |the )?request):?\s{0,3}[~(]?(\d[\d,]{0,14}k?)\b/i;

/** The tokens of one request, by its name: `this request has 9,000 tokens`, `tokens in the prompt (9000)`. */
const OWN_SIZE =
  /\b(?:request|prompt|message|input|conversation|call)\b[^.\n]{0,60}?\b(\d[\d,]{2,14}) ?(?:input |prompt |total )?tokens?\b|\btokens (?:in|of|for) (?:this|your|the) (?:request|prompt|message|input)\b[^.\n\d]{0,20}(\d[\d,]{2,14})/i;
const BOUND =
  /\b(?:exceed\w{0,3}|more than|above|larger than|limit|allow\w{0,6}|max\w{0,4}|allotment|only|cap|ceiling|budget)\b[^.\n\d]{0,80}(\d[\d,]{2,14})/i;
/** These words add up earlier requests, so the limit is a rate after all. */
const OF_THE_PAST =
  /\b(?:used|usage|remain(?:s|ed|ing)?|left|would|already|so far|last|past|current(?:ly)?)\b/i;

export function requestOverLimit({ prose, status }: Evidence): string | undefined {
  if (status !== 429 && status !== 413 && status !== undefined) return undefined;
  const { stated, ofSize } = prose.overLimit();
  return status === 429 ? (stated ?? ofSize) : stated;
}

/** The numbers by which a text shows it; its own size counts where it states none for the purpose. */
export interface OverLimit {
  readonly stated: string | undefined;
  readonly ofSize: string | undefined;
}

export function overLimitIn(text: string): OverLimit {
  const limit = LIMIT.exec(text)?.[1];
  const requested = limit === undefined ? undefined : REQUESTED.exec(text)?.[1];
  if (limit !== undefined && requested !== undefined)
    return { stated: compared(requested, limit), ofSize: undefined };
  return { stated: undefined, ofSize: text.includes('token') ? sizeOverLimit(text) : undefined };
}

function sizeOverLimit(text: string): string | undefined {
  const size = OWN_SIZE.exec(text);
  const own = size?.[1] ?? size?.[2];
  if (size === null || own === undefined) return undefined;
  const [rest = ''] = text.slice(size.index + size[0].length).split(/\.(?!\d)|\n/, 1);
  const bound = BOUND.exec(rest)?.[1];
  return bound === undefined || OF_THE_PAST.test(size[0] + rest) ? undefined : compared(own, bound);
}

/** `Limit 30000, Requested 31538`: the request alone is above the limit. */
function compared(requested: string, limit: string): string | undefined {
  return numeric(requested) > numeric(limit)
    ? `requested ${requested} > limit ${limit}`
    : undefined;
}

/** `30,000` or `30k`. */
function numeric(digits: string): number {
  const count = Number.parseInt(digits.replaceAll(',', ''), 10);
  return /k$/i.test(digits) ? count * 1000 : count;
}
