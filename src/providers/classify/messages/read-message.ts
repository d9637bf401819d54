/**
 * Reads a message: the words that are its server's own, and the names in them that other servers put into fields.
 * Servers repeat their sentences, above all while they fail, so each is read once.
 */
import { onceForEach } from '../../../errors/support/recent-texts.ts';
import { longWindowsIn } from '../limiter-notation.ts';
import { withoutOthersWords } from '../others-words.ts';
import { printedCode } from '../spelled-code.ts';
import { protobufFields } from './protobuf-text.ts';

export interface Message {
  /** Without what its server did not say about the failure. */
  readonly words: string;
  readonly quotas: readonly string[];
  readonly codes: readonly string[];
  /** Fields of a printed object, with their values. */
  readonly fields: readonly (readonly [string, string])[];
  /** `(ThrottlingException)` and `litellm.RateLimitError:` are codes. */
  readonly exceptions: readonly string[];
  /** LiteLLM names what it wraps behind an exception of its own. */
  readonly isOfWrapper: boolean;
}

/**
 * A message is read further than the text of a failure, for what is taken out of it; codes and names stand near
 * its beginning.
 */
const MAX_CHARS = 12_288;
const MAX_NAMING_CHARS = 2048;
const MAX_EXCEPTIONS = 4;

function cutAt(chars: number, text: string): string {
  return text.length > chars ? text.slice(0, chars) : text;
}

export const readMessage = onceForEach(512, (message): Message => {
  const words = withoutOthersWords(cutAt(MAX_CHARS, message));
  const head = cutAt(MAX_NAMING_CHARS, words);
  const isNaming = head.includes('Exception') || head.includes('Error');
  return {
    words,
    quotas: longWindowsIn(head),
    codes: [printedCode(head), signInCode(words)].filter((code) => code !== undefined),
    fields: words.includes('{') && words.includes(' {') ? protobufFields(words) : NONE,
    exceptions: isNaming ? (head.match(EXCEPTION) ?? NONE).slice(0, MAX_EXCEPTIONS) : NONE,
    isOfWrapper: isNaming && head.includes('Exception - '),
  };
});

const NONE: readonly never[] = [];
const EXCEPTION = /\b[A-Z][A-Za-z]{2,40}(?:Exception|Error)\b(?!\.[A-Z])/g;

/** Microsoft Entra numbers its refusals. */
function signInCode(words: string): string | undefined {
  return words.includes('AADSTS') ? /\bAADSTS\d{5,7}\b/.exec(words)?.[0] : undefined;
}
