/** Plans the `runtime` block of a file. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { providerNamed } from '../../providers/known-providers.ts';
import { parseDuration, secondsToMs } from './duration.ts';
import { omitUndefined, mapValues } from './omit-undefined.ts';
import type {
  FetchOptions,
  McpServer,
  ModelTimeouts,
  Price,
  ProviderSettings,
  Runtime,
  SimulatedAnswer,
  SimulatedFailure,
  SimulatedUsage,
} from './plan.ts';
import { toChain } from './model-names.ts';
import { usdToMicros } from './micro-dollars.ts';
import type { Path } from './pointer.ts';
import type { Planner } from './planner.ts';
import type { FetchFile, McpServerFile, PriceFile, RuntimeFile } from '../schema/runtime-schema.ts';
import type { SimulatedFile } from '../schema/simulate-schema.ts';

const RUNTIME: Path = ['workflow', 'runtime'];

export function planRuntime(runtime: RuntimeFile, planner: Planner): Runtime {
  const { provider, default_model: model, simulate_price_per_mtok: price } = runtime;
  const { model_timeouts: timeouts } = runtime;
  return omitUndefined({
    provider: provider === undefined ? undefined : planProvider(provider, planner),
    defaultModel: model === undefined ? undefined : toChain(model, planner.provider),
    temperature: runtime.temperature,
    maxTokens: runtime.max_tokens,
    reasoning: runtime.default_reasoning_effort,
    toolOutput: planToolOutput(runtime.tool_output),
    workingDir: runtime.working_dir,
    modelTimeouts: planTimeouts(timeouts, runtime.timeout),
    mcpServers: mapValues(runtime.mcp_servers ?? {}, (server, name) =>
      planServer(server, [...RUNTIME, 'mcp_servers', name], planner),
    ),
    httpFetch: runtime.http_fetch === undefined ? undefined : planFetch(runtime.http_fetch),
    simulate: mapValues(runtime.simulate ?? {}, (answers) =>
      typeof answers === 'string' ? [] : answers.map(planSimulated),
    ),
    simulatePrice: {
      inputUsdMicrosPerMtok: usdToMicros(price?.input ?? 0),
      outputUsdMicrosPerMtok: usdToMicros(price?.output ?? 0),
    },
  });
}

const DEFAULT_TOOL_CHARS = 50_000;

function planToolOutput(bound: RuntimeFile['tool_output']): Runtime['toolOutput'] {
  if (bound === undefined || bound.enabled === false) return undefined;
  return { maxChars: bound.max_chars ?? DEFAULT_TOOL_CHARS };
}

function planTimeouts(
  timeouts: RuntimeFile['model_timeouts'] = {},
  total: number | undefined,
): ModelTimeouts | undefined {
  const ms = (seconds: number | undefined): number | undefined =>
    seconds === undefined ? undefined : secondsToMs(seconds);
  const planned = omitUndefined({
    firstTokenMs: ms(timeouts.first_token_seconds),
    idleMs: ms(timeouts.idle_seconds),
    totalMs: ms(timeouts.total_seconds ?? total),
  });
  return Object.keys(planned).length === 0 ? undefined : planned;
}

/** The name that reports and model names use: `claude` is `anthropic`. */
export function providerOf(runtime: RuntimeFile | undefined): string | undefined {
  const provider = runtime?.provider;
  if (provider === undefined) return undefined;
  return providerNamed(typeof provider === 'string' ? provider : provider.name).name;
}

export function planPrice(price: PriceFile): Price {
  const micros = (usd: number | undefined): number | undefined =>
    usd === undefined ? undefined : usdToMicros(usd);
  return omitUndefined({
    inputUsdMicrosPerMtok: usdToMicros(price.input_per_mtok),
    outputUsdMicrosPerMtok: usdToMicros(price.output_per_mtok),
    cacheReadUsdMicrosPerMtok: micros(price.cache_read_per_mtok),
    cacheWriteUsdMicrosPerMtok: micros(price.cache_write_per_mtok),
  });
}

function planProvider(
  provider: NonNullable<RuntimeFile['provider']>,
  planner: Planner,
): ProviderSettings {
  if (typeof provider === 'string') return { name: providerNamed(provider).name };
  const { headers, api_key_command: command } = provider;
  return omitUndefined({
    name: providerNamed(provider.name).name,
    baseUrl: provider.base_url,
    apiKey: provider.api_key,
    apiKeyCommand: command?.map((word, index) =>
      planner.written(word, [...RUNTIME, 'provider', 'api_key_command', index]),
    ),
    headers:
      headers === undefined
        ? undefined
        : mapValues(headers, (value, key) =>
            planner.written(value, [...RUNTIME, 'provider', 'headers', key]),
          ),
  });
}

function planServer(server: McpServerFile, path: Path, { written, defaults }: Planner): McpServer {
  const isAll = server.tools === undefined || server.tools.includes('*');
  const timeout = server.timeout_seconds;
  return omitUndefined({
    type: server.type ?? 'stdio',
    command: server.command,
    args: (server.args ?? []).map((arg, index) => written(arg, [...path, 'args', index])),
    env: mapValues(server.env ?? {}, (value, key) => written(value, [...path, 'env', key])),
    url: server.url,
    headers: mapValues(server.headers ?? {}, (value, key) =>
      written(value, [...path, 'headers', key]),
    ),
    workingDir: defaults.workingDir,
    timeoutMs: timeout === undefined ? undefined : secondsToMs(timeout),
    tools: isAll ? null : (server.tools ?? null),
    toolSettings: mapValues(server.tool_settings ?? {}, (settings) =>
      omitUndefined({
        writes: settings.writes,
        idempotent: settings.idempotent,
        timeoutMs:
          settings.timeout_seconds === undefined
            ? undefined
            : secondsToMs(settings.timeout_seconds),
      }),
    ),
  });
}

function planFetch(declared: FetchFile): FetchOptions {
  const { timeout_seconds: timeout } = declared;
  return omitUndefined({
    allow: declared.allow,
    allowPrivate: declared.allow_private,
    methods: declared.methods,
    timeoutMs: timeout === undefined ? undefined : secondsToMs(timeout),
    maxBytes: declared.max_bytes,
  });
}

function planSimulated(entry: SimulatedFile): SimulatedAnswer {
  const { usage } = entry;
  const common = omitUndefined({
    delayMs: entry.delay === undefined ? 0 : (parseDuration(entry.delay) ?? 0),
    when: entry.when,
    usage: usage === undefined ? undefined : planUsage(usage),
    isLost: entry.lose_reply === true ? (true as const) : undefined,
  });
  if (entry.hang === true) return { ...common, type: 'hang' };
  if (entry.fail !== undefined) return { ...common, type: 'fail', fail: planFailure(entry.fail) };
  if (entry.stream !== undefined) {
    return { ...common, type: 'stream', chunks: entry.stream, isCut: entry.cut ?? false };
  }
  if (entry.tool_calls !== undefined) {
    const calls = entry.tool_calls.map((call) => ({
      name: call.name,
      arguments: call.arguments ?? {},
    }));
    return { ...common, type: 'tool_calls', calls };
  }
  return { ...common, type: 'answer', answer: entry.answer ?? null };
}

function planUsage(usage: NonNullable<SimulatedFile['usage']>): SimulatedUsage {
  return omitUndefined({
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cachedTokens: usage.cached_tokens,
    cacheWriteTokens: usage.cache_write_tokens,
    reasoningTokens: usage.reasoning_tokens,
  });
}

/** Builds the response that a server would send: a hint is a header, a message is in the body. */
function planFailure(fail: NonNullable<SimulatedFile['fail']>): SimulatedFailure {
  const { kind, message, retry_after: hint } = fail;
  if (kind !== undefined) {
    return omitUndefined({
      kind,
      message,
      retryAfterMs: hint === undefined ? undefined : secondsToMs(hint),
    });
  }
  const body: JsonValue | undefined =
    fail.body === undefined && message !== undefined ? { error: { message } } : fail.body;
  return omitUndefined({
    status: fail.status ?? 500,
    provider: fail.provider,
    headers: {
      ...(hint === undefined ? {} : { 'retry-after': String(hint) }),
      ...mapValues(fail.headers ?? {}, String),
    },
    body,
  });
}
