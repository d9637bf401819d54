/**
 * `doGenerate` of a chain: checks one answer when it has come, and sends it back where repairs are
 * asked for.
 */
import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { LanguageModelV4, LanguageModelV4Usage } from '@ai-sdk/provider';
import { isPlainObject } from '../errors/support/safe-json.ts';
import { readReply } from '../machine/conversation/model-reply.ts';
import { DEFAULT_TIMEOUTS } from '../machine/policy/model-timeouts.ts';
import type { ReportedUsage } from '../providers/pricing/counted-usage.ts';
import { badBodyOf, badEndingOf, noteCall } from './attempt-failure.ts';
import { ChainCall, type OpenAttempt } from './chain-call.ts';
import { expectedTokens } from './expect-tokens.ts';
import type { Chain } from './chain-options.ts';
import { endingFor, optionsFor, withRecord } from './entry-options.ts';

export async function generate(
  chain: Chain<LanguageModelV4>,
  options: LanguageModelV4CallOptions,
  repairs: number,
): Promise<LanguageModelV4GenerateResult> {
  const call = new ChainCall(chain, options.abortSignal);
  let { prompt } = options;
  for (let left = repairs; ; left--) {
    const current = { ...options, prompt };
    const { answer, attempt } = await call.answerOf((open) => ask(chain, open, current), {
      estimate: expectedTokens(current),
      defaultTimeoutMs: DEFAULT_TIMEOUTS.totalMs,
    });
    const usage = reportedUsage(answer.usage);
    const text = textOf(answer);
    // a reply that calls tools is not the last one
    const isJudged = repairs > 0 && !callsTools(answer);
    const problem = isJudged ? problemOf(text, options) : undefined;
    if (problem === undefined) {
      const record = call.succeeded(attempt, usage);
      return { ...answer, providerMetadata: withRecord(answer.providerMetadata, record) };
    }
    const error = call.sentBack(
      attempt,
      {
        kind: 'agent.output_invalid',
        message: `The answer of ${attempt.entry.target} does not fit its schema: ${problem}`,
        details: { problem },
      },
      usage,
    );
    if (left === 0) throw error;
    prompt = [
      ...prompt,
      { role: 'assistant', content: [{ type: 'text', text }] },
      { role: 'user', content: [{ type: 'text', text: correction(problem) }] },
    ];
  }
}

async function ask(
  chain: Chain<LanguageModelV4>,
  open: OpenAttempt<LanguageModelV4>,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4GenerateResult> {
  const { entry, scope } = open;
  const answer = await scope.wait(entry.model.doGenerate(optionsFor(entry, options, scope.signal)));
  open.isBegun = true;
  open.reported = reportedUsage(answer.usage);
  open.written = writtenIn(answer);
  open.hasCalls = callsTools(answer);
  const body = answer.response?.body;
  const bad =
    badBodyOf(body, answer.finishReason, entry.ref.provider) ??
    badEndingOf(answer.finishReason, endingFor(chain, open, { isStream: false }));
  if (bad !== undefined) throw bad;
  for (const part of answer.content) if (part.type === 'tool-call') noteCall(open.callIds, part);
  return answer;
}

export function reportedUsage(usage: LanguageModelV4Usage | undefined): ReportedUsage {
  const { inputTokens: input, outputTokens: output } = usage ?? {};
  return {
    inputTokens: input?.total,
    outputTokens: output?.total,
    inputTokenDetails: {
      noCacheTokens: input?.noCache,
      cacheReadTokens: input?.cacheRead,
      cacheWriteTokens: input?.cacheWrite,
    },
    outputTokenDetails: { textTokens: output?.text, reasoningTokens: output?.reasoning },
  };
}

function callsTools({ content }: LanguageModelV4GenerateResult): boolean {
  return content.some(({ type }) => type === 'tool-call');
}

function textOf({ content }: LanguageModelV4GenerateResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function writtenIn({ content }: LanguageModelV4GenerateResult): number {
  return content.reduce((sum, part) => {
    if (part.type === 'text' || part.type === 'reasoning') return sum + part.text.length;
    return part.type === 'tool-call' ? sum + part.toolName.length + part.input.length : sum;
  }, 0);
}

/** Undefined if the answer fits, or no schema says what it should be. */
function problemOf(text: string, { responseFormat }: LanguageModelV4CallOptions) {
  if (responseFormat?.type !== 'json' || !isPlainObject(responseFormat.schema)) return undefined;
  // true: a JSON Schema is a JSON object
  const reply = readReply(text, responseFormat.schema as Parameters<typeof readReply>[1]);
  return reply.type === 'wrong' ? reply.problem : undefined;
}

function correction(problem: string): string {
  return `${problem}. Reply again with JSON that fits the schema, and nothing else.`;
}
