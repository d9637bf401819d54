/** The end of a reply, from the last parts of its stream, for models of any version. */
import { isPlainObject, readProperty } from '../../../errors/support/safe-json.ts';
import { laterCount, type ReportedUsage } from '../../../providers/pricing/counted-usage.ts';
import { readCount } from '../../../providers/pricing/token-count.ts';
import type { FinishPart } from '../language-model.ts';

export interface Finish {
  readonly finishReason: string;
  /** The provider's own word. */
  readonly rawFinishReason: string | undefined;
  readonly usage: ReportedUsage;
  readonly response: { readonly id?: string | undefined; readonly modelId?: string | undefined };
}

/** The end of a reply, as far as it has come. */
export interface Ending {
  finish: Omit<Finish, 'response'> | undefined;
  /** Earlier ends: a later good one does not cancel a bad one. */
  readonly earlier: Omit<Finish, 'response'>[];
  /** Some of the reply came. */
  hasContent: boolean;
  id: string | undefined;
  modelId: string | undefined;
}

export function newEnding(modelId: string | undefined): Ending {
  return { finish: undefined, earlier: [], hasContent: false, id: undefined, modelId };
}

export function noteFinish(ending: Ending, part: FinishPart): void {
  const { finish: before } = ending;
  const finish = toFinish(part);
  if (before !== undefined) ending.earlier.push(before);
  ending.finish = { ...finish, usage: laterCount(before?.usage, finish.usage) };
}

function toFinish({ finishReason, usage }: FinishPart): Omit<Finish, 'response'> {
  const unified = typeof finishReason === 'string' ? finishReason : wordIn(finishReason, 'unified');
  return {
    finishReason: unified ?? UNKNOWN,
    rawFinishReason: wordIn(finishReason, 'raw'),
    usage: toReportedUsage(usage),
  };
}

/** The SDK's word for an end that it does not know. */
const UNKNOWN = 'other';

/** Undefined for a stream that ended without any part: no reply is known. */
export function endedWith({ finish, hasContent, id, modelId }: Ending): Finish | undefined {
  if (finish === undefined && !hasContent) return undefined;
  const end = finish ?? { finishReason: UNKNOWN, rawFinishReason: undefined, usage: {} };
  return { ...end, response: { id, modelId } };
}

/** Since version 3 a count has its parts; before, all counts stood side by side. */
function toReportedUsage(usage: unknown): ReportedUsage {
  const input = readProperty(usage, 'inputTokens');
  const output = readProperty(usage, 'outputTokens');
  const hasParts = isPlainObject(input) || isPlainObject(output);
  if (!hasParts)
    return {
      inputTokens: readCount(usage, 'inputTokens'),
      inputTokenDetails: { cacheReadTokens: readCount(usage, 'cachedInputTokens') },
      outputTokens: readCount(usage, 'outputTokens'),
      outputTokenDetails: { reasoningTokens: readCount(usage, 'reasoningTokens') },
    };
  return {
    inputTokens: readCount(input, 'total'),
    inputTokenDetails: {
      noCacheTokens: readCount(input, 'noCache'),
      cacheReadTokens: readCount(input, 'cacheRead'),
      cacheWriteTokens: readCount(input, 'cacheWrite'),
    },
    outputTokens: readCount(output, 'total'),
    outputTokenDetails: {
      textTokens: readCount(output, 'text'),
      reasoningTokens: readCount(output, 'reasoning'),
    },
  };
}

function wordIn(value: unknown, key: string): string | undefined {
  const word = readProperty(value, key);
  return typeof word === 'string' ? word : undefined;
}
