/**
 * Finds failed calls that the AI SDK reports as finished: a result, a step or the `finish` part of
 * a stream with a bad reason, and a stream that ended without a reason.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import { readText, type Extracted } from './extractor.ts';
import { ENDED_EARLY } from './transport.ts';

const BAD_ENDINGS: ReadonlySet<string> = new Set(['content-filter', 'length', 'error', 'other']);

const SAID_BY_COMMON_WORD: ReadonlySet<string> = new Set(['content-filter', 'length']);

const UNFINISHED: ReadonlySet<string> = new Set(['pause_turn', 'incomplete']);

/** A stream that stopped without its end. */
export const ENDLESS: Extracted = { status: 200, phase: 'streaming', transport: ENDED_EARLY };

/** Undefined for a good ending. */
export function aiSdkEnding(link: unknown): Extracted | undefined {
  const part = readText(link, 'type') ?? '';
  if (part === 'abort') return { finding: 'aborted', message: readText(link, 'reason') };
  const reason = readProperty(link, 'finishReason');
  // version 4 of the model interface pairs the common reason with the provider's own
  const common = typeof reason === 'string' ? reason : (readText(reason, 'unified') ?? '');
  const own = readText(link, 'rawFinishReason') ?? readText(reason, 'raw');
  const isStream = part.startsWith('finish');
  const saysNothing = common === 'other' && own === undefined;
  if (common === 'interrupted' || (isStream && saysNothing)) {
    return ENDLESS;
  }
  // the SDK maps these to a stop, and the provider does not mean one
  const isUnfinished = own !== undefined && UNFINISHED.has(own.toLowerCase());
  // many hosts send complete replies without a reason, and those count as replies
  if (!isUnfinished && (!BAD_ENDINGS.has(common) || saysNothing)) return undefined;
  const phase = isStream ? 'streaming' : 'headers';
  // the common reason names these two as well, whatever a provider calls them
  const said = SAID_BY_COMMON_WORD.has(common) ? { stop_reason: common } : {};
  return { status: 200, phase, body: { finish_reason: own ?? common, ...said } };
}
