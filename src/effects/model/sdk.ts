/**
 * The AI SDK as far as Errand uses it. The one file that loads `ai`; its types are written down here
 * because the package is not there when Errand is built.
 */
import { readProperty } from '../../errors/json.ts';
import type { JsonObject } from '../../errors/json.ts';

/** A model of any version of the interface; only the SDK looks inside. */
export type SdkModel = object;

export interface SdkUsage {
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly inputTokenDetails?:
    | {
        readonly cacheReadTokens?: number | undefined;
        readonly cacheWriteTokens?: number | undefined;
      }
    | undefined;
  readonly outputTokenDetails?: { readonly reasoningTokens?: number | undefined } | undefined;
}

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
  readonly response?: { readonly modelId?: string };
}

/** By provider. */
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
  /** Of the block that it is a piece of. */
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
  | { readonly type: 'tool-input-delta'; readonly delta: string }
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
  readonly providerOptions?: Readonly<Record<string, JsonObject>>;
  readonly abortSignal: AbortSignal;
  /** Also the events of the wire, as `raw` parts. */
  readonly include?: { readonly rawChunks: boolean };
}

export interface Sdk {
  /** Exactly one request; what goes wrong comes as a part, or is thrown while reading. */
  stream(call: SdkCall): AsyncIterable<SdkPart>;
  schema(schema: JsonObject): object;
  /** Asks for JSON and looks at nothing that comes back. */
  jsonOutput(schema: JsonObject | undefined): object;
}

type Callable = (...args: readonly unknown[]) => unknown;

/** Undefined where the package is not the SDK that is meant. */
export function toSdk(exports: unknown): Sdk | undefined {
  const streamText = readCallable(exports, 'streamText');
  const jsonSchema = readCallable(exports, 'jsonSchema');
  const output = readProperty(exports, 'Output');
  const outputObject = readCallable(output, 'object');
  const outputJson = readCallable(output, 'json');
  if (streamText === undefined || jsonSchema === undefined) return undefined;
  if (outputObject === undefined || outputJson === undefined) return undefined;
  silenceWarnings();
  // the same call for one reader: it keeps no copy of the answer for others, who do not exist
  const streamOnce = readCallable(exports, 'experimental_streamTextLowMemory') ?? streamText;
  const schema = (of: JsonObject): object => jsonSchema(of) as object;
  return {
    schema,
    stream(call) {
      const result = streamOnce({
        ...call,
        maxRetries: 0,
        // an address goes to the provider or nowhere: nothing is fetched from this machine
        experimental_download: passOn,
        // its default prints to the console; the error comes as a part too
        onError: () => undefined,
      });
      // what `streamText` documents as its parts; others pass by unread
      return readProperty(result, 'fullStream') as AsyncIterable<SdkPart>;
    },
    jsonOutput: (of) => ({
      ...((of === undefined ? outputJson() : outputObject({ schema: schema(of) })) as object),
      // it would parse all text again at each chunk, for nobody
      parsePartialOutput: () => Promise.resolve(undefined),
    }),
  };
}

/** Null: the address is handed on as it is. */
function passOn(wanted: readonly unknown[]): Promise<readonly null[]> {
  return Promise.resolve(wanted.map(() => null));
}

function readCallable(value: unknown, key: string): Callable | undefined {
  const found = readProperty(value, key);
  // what is called and with what is the SDK's documented interface
  return typeof found === 'function' ? (found as Callable) : undefined;
}

/** The SDK would print them; here they are suppressed faults of the result. A host's choice stays. */
function silenceWarnings(): void {
  const own = globalThis as { AI_SDK_LOG_WARNINGS?: unknown };
  own.AI_SDK_LOG_WARNINGS ??= false;
}
