/**
 * Attributes of a call: from its request, from its result, and those that only the live call shows.
 */
import type { CallObservation } from '../../effects/effect-port.ts';
import { HOSTS } from '../../effects/model/openai-compatible-hosts.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { EffectRef, RunEvent, Usage } from '../../machine/state/events.ts';
import type { McpServer } from '../../workflow/plan/plan.ts';
import { ATTRIBUTE, OPERATION } from '../names.ts';
import type { Attributes, AttributeValue } from './span-sink.ts';

export type CallEnd = Extract<RunEvent, { type: 'effect:succeeded' | 'effect:failed' }>;

/** `anthropic/claude-sonnet-5` is a model of a provider; a name without a slash has no provider. */
export function modelParts(target: string): {
  readonly provider: string | undefined;
  readonly model: string;
} {
  const slash = target.indexOf('/');
  return slash < 0
    ? { provider: undefined, model: target }
    : { provider: target.slice(0, slash), model: target.slice(slash + 1) };
}

/** The program without its folder: arguments and paths are private. */
export function executableName(command: string): string {
  return /[^/\\]+$/.exec(command)?.[0] ?? command;
}

/** Omits undefined values. */
export function attributes(
  fields: Readonly<Record<string, AttributeValue | undefined>>,
): Attributes {
  const kept: Record<string, AttributeValue> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** The attributes that are known when the call begins. */
export function requestAttributes(
  { target }: EffectRef,
  request: EffectRequest | undefined,
): Attributes {
  const work = request?.work;
  switch (work?.type) {
    case 'model': {
      const { provider, model } = modelParts(target);
      const { call, provider: settings } = work;
      return attributes({
        [ATTRIBUTE.operation]: OPERATION.chat,
        [ATTRIBUTE.provider]: provider,
        [ATTRIBUTE.requestModel]: model,
        [ATTRIBUTE.maxTokens]: call.maxTokens,
        [ATTRIBUTE.temperature]: call.temperature,
        [ATTRIBUTE.stream]: true,
        [ATTRIBUTE.outputType]: call.outputSchema === undefined ? 'text' : 'json',
        [ATTRIBUTE.serverAddress]: hostOf(
          settings?.baseUrl ?? HOSTS[provider ?? '']?.baseUrl ?? ADDRESSES[provider ?? ''],
        ),
      });
    }
    case 'tool': {
      const server = request?.server;
      return attributes({
        [ATTRIBUTE.operation]: OPERATION.tool,
        [ATTRIBUTE.tool]: target,
        [ATTRIBUTE.toolType]: server === undefined ? 'function' : 'extension',
        [ATTRIBUTE.toolCall]: request?.callId,
        ...(server === undefined ? {} : mcpAttributes(server.settings)),
      });
    }
    case 'script':
      return { [ATTRIBUTE.executable]: executableName(target) };
    default:
      return {};
  }
}

function mcpAttributes({ url }: McpServer): Attributes {
  const transport = url === undefined ? 'pipe' : 'tcp';
  return { [ATTRIBUTE.mcpMethod]: 'tools/call', [ATTRIBUTE.transport]: transport };
}

/** The attributes that are known when the call has ended. */
export function resultAttributes(end: CallEnd): Attributes {
  const { type } = end.effect;
  const error = end.type === 'effect:failed' ? end.error : undefined;
  const failed = error === undefined ? {} : failureAttributes(error);
  switch (type) {
    case 'model':
      return { ...failed, ...modelResult(end, error), ...usageAttributes(end.usage) };
    case 'script':
      return { ...failed, ...attributes({ [ATTRIBUTE.exitCode]: exitCodeOf(end) }) };
    case 'tool':
      return { ...failed, ...attributes({ [ATTRIBUTE.rpcStatus]: rpcStatusOf(end) }) };
    case 'call':
    case 'transform':
      return failed;
  }
}

/** The code of a JSON-RPC error; only tools of MCP servers have a slash in their name. */
function rpcStatusOf(end: CallEnd): string | undefined {
  if (end.type !== 'effect:failed' || !end.effect.target.includes('/')) return undefined;
  return numberIn(end.error.details?.['code'])?.toString();
}

export function observedAttributes(seen: CallObservation): Attributes {
  const { responseId, timeToFirstChunkMs, mcpProtocolVersion, pid } = seen;
  return attributes({
    [ATTRIBUTE.responseId]: responseId,
    [ATTRIBUTE.timeToFirstChunk]:
      timeToFirstChunkMs === undefined ? undefined : timeToFirstChunkMs / 1000,
    [ATTRIBUTE.mcpProtocol]: mcpProtocolVersion,
    [ATTRIBUTE.pid]: pid,
  });
}

/** The documented addresses of providers with an SDK of their own. */
const ADDRESSES: Readonly<Record<string, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  google: 'https://generativelanguage.googleapis.com',
  mistral: 'https://api.mistral.ai',
};

function hostOf(address: string | undefined): string | undefined {
  // a plan may hold the name of a variable in place of the address
  return address !== undefined && URL.canParse(address)
    ? new URL(address).hostname || undefined
    : undefined;
}

function failureAttributes(error: ErrorReport): Attributes {
  const { category, retryable, outcome, rule, provider } = error;
  return attributes({
    [ATTRIBUTE.category]: category,
    [ATTRIBUTE.retryable]: retryable ?? undefined,
    [ATTRIBUTE.outcome]: outcome,
    [ATTRIBUTE.rule]: rule?.id,
    [ATTRIBUTE.retryAfterMs]: provider?.retryAfterMs,
    [ATTRIBUTE.statusCode]: provider?.status,
  });
}

/** A reply that was cut or filtered is a failure, so the reason of any other reply is known. */
function modelResult(end: CallEnd, error: ErrorReport | undefined): Attributes {
  const { model } = modelParts(end.effect.target);
  const reply = end.type === 'effect:succeeded' && isPlainObject(end.output) ? end.output : {};
  const answeredBy = reply['answeredBy'];
  const served = typeof answeredBy === 'string' ? modelParts(answeredBy).model : model;
  return attributes({
    [ATTRIBUTE.responseModel]: error === undefined ? served : undefined,
    [ATTRIBUTE.finishReasons]: finishReasons(error, reply['toolCalls']),
    [ATTRIBUTE.cost]: end.costUsdMicros,
    [ATTRIBUTE.costEstimated]: end.costUsdMicros === undefined ? undefined : end.estimated === true,
  });
}

function finishReasons(
  error: ErrorReport | undefined,
  toolCalls: JsonValue | undefined,
): readonly string[] | undefined {
  switch (error?.kind) {
    case undefined:
      return [Array.isArray(toolCalls) && toolCalls.length > 0 ? 'tool_calls' : 'stop'];
    case 'provider.truncated':
      return ['length'];
    case 'provider.content_filter':
      return ['content_filter'];
    default:
      return undefined;
  }
}

function usageAttributes(usage: Usage = {}): Attributes {
  return attributes({
    [ATTRIBUTE.inputTokens]: usage.inputTokens,
    [ATTRIBUTE.outputTokens]: usage.outputTokens,
    [ATTRIBUTE.cacheReadTokens]: usage.cachedTokens,
    [ATTRIBUTE.cacheWriteTokens]: usage.cacheWriteTokens,
    [ATTRIBUTE.reasoningTokens]: usage.reasoningTokens,
  });
}

function exitCodeOf(end: CallEnd): number | undefined {
  const from = end.type === 'effect:failed' ? end.error.details : end.output;
  return isPlainObject(from) ? numberIn(from['exit_code']) : undefined;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
