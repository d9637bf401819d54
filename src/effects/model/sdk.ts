/**
 * The part of the AI SDK that Errand uses. Only this file loads `ai`; its types are repeated here because
 * the package is not installed when Errand is built.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { ReportedUsage } from '../../providers/pricing/counted-usage.ts';

/** A model of any version of the interface; only the SDK reads it. */
export type SdkModel = object;

export type SdkUsage = ReportedUsage;

export interface SdkWarning {
  readonly type: string;
  readonly feature?: string;
  readonly details?: string;
  readonly setting?: string;
  readonly message?: string;
}

export interface SdkFinish {
  readonly type: 'finish-step';
  readonly finishReason: string;
  readonly rawFinishReason?: string | undefined;
  readonly usage: SdkUsage;
  readonly response?: { readonly id?: string; readonly modelId?: string };
}

/** Metadata by provider. */
export type SdkMetadata = Readonly<Record<string, unknown>>;

interface WithMetadata {
  readonly providerMetadata?: SdkMetadata | undefined;
}

export interface SdkToolCall extends WithMetadata {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly invalid?: boolean;
  readonly providerExecuted?: boolean;
}

export interface SdkDelta extends WithMetadata {
  readonly type: 'text-delta' | 'reasoning-delta';
  /** Id of the block that it belongs to. */
  readonly id: string;
  readonly text: string;
}

export interface SdkBlock extends WithMetadata {
  readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
  readonly id: string;
}

export type SdkPart =
  | { readonly type: 'start-step'; readonly warnings?: readonly SdkWarning[] }
  | SdkDelta
  | SdkBlock
  | { readonly type: 'tool-input-start' }
  | { readonly type: 'tool-input-delta'; readonly id?: string; readonly delta: string }
  | SdkToolCall
  | SdkFinish
  | { readonly type: 'error'; readonly error: unknown }
  | { readonly type: 'raw'; readonly rawValue: unknown }
  | { readonly type: 'abort' };

export interface SdkCall {
  readonly model: SdkModel;
  readonly system?: string;
  readonly messages: readonly object[];
  readonly tools?: Readonly<Record<string, object>>;
  readonly output?: object;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly reasoning?: 'low' | 'medium' | 'high' | 'xhigh';
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  readonly abortSignal: AbortSignal;
  /** Also yields the raw events, as `raw` parts. */
  readonly include?: { readonly rawChunks: boolean };
}

export interface Sdk {
  /** Sends exactly one request; an error comes as a part, or is thrown while reading. */
  stream(call: SdkCall): AsyncIterable<SdkPart>;
  schema(schema: JsonObject): object;
  /** Requests JSON without checking the reply. */
  jsonOutput(schema: JsonObject | undefined): object;
}

type Callable = (...args: readonly unknown[]) => unknown;

/** Undefined if the package is not a usable version of the SDK. */
export function toSdk(exports: unknown): Sdk | undefined {
  const streamText = readCallable(exports, 'streamText');
  const jsonSchema = readCallable(exports, 'jsonSchema');
  const output = readProperty(exports, 'Output');
  const outputObject = readCallable(output, 'object');
  const outputJson = readCallable(output, 'json');
  if (streamText === undefined || jsonSchema === undefined) return undefined;
  if (outputObject === undefined || outputJson === undefined) return undefined;
  silenceWarnings();
  // the variant for one reader, which keeps no second copy of the reply
  const streamOnce = readCallable(exports, 'experimental_streamTextLowMemory') ?? streamText;
  const schema = (of: JsonObject): object => jsonSchema(of) as object;
  return {
    schema,
    stream(call) {
      const result = streamOnce({
        ...call,
        maxRetries: 0,
        // a host that traces the SDK would get tokens twice, and prompts
        telemetry: { isEnabled: false },
        // a URL is passed to the provider: nothing is downloaded here
        experimental_download: passOn,
        // its default prints to the console; the error also comes as a part
        onError: () => undefined,
      });
      // true: the documented parts of `streamText`; others are ignored
      return readProperty(result, 'fullStream') as AsyncIterable<SdkPart>;
    },
    jsonOutput: (of) => ({
      ...((of === undefined ? outputJson() : outputObject({ schema: schema(of) })) as object),
      // otherwise it would parse the whole text again at each chunk
      parsePartialOutput: () => Promise.resolve(undefined),
    }),
  };
}

/** Null: the URL is passed on unchanged. */
function passOn(lookup: readonly unknown[]): Promise<readonly null[]> {
  return Promise.resolve(lookup.map(() => null));
}

function readCallable(value: unknown, key: string): Callable | undefined {
  const found = readProperty(value, key);
  // true: the SDK's documented interface
  return typeof found === 'function' ? (found as Callable) : undefined;
}

/** The SDK would print warnings; they are part of our result instead. A host's own setting is kept. */
function silenceWarnings(): void {
  const own = globalThis as { AI_SDK_LOG_WARNINGS?: unknown };
  own.AI_SDK_LOG_WARNINGS ??= false;
}
