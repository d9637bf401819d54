/**
 * The interface of the AI SDK's language models, as far as Errand uses it, in all versions in use.
 * Their packages need nothing else of the SDK. A model comes from an application or a package, so
 * its output is checked where it is read.
 */
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isArray, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { providerNamed } from '../../providers/known-providers.ts';
import type { ModelRef } from '../../providers/own-findings.ts';
import { OwnFailure } from '../thrown-failure.ts';

export type ModelOptions = LanguageModelV4CallOptions;

export interface ModelWarning {
  readonly type: string;
  readonly feature?: string;
  readonly details?: string;
  readonly setting?: string;
  readonly message?: string;
}

/** Metadata by provider. */
export type ModelMetadata = Readonly<Record<string, unknown>>;

interface WithMetadata {
  readonly providerMetadata?: ModelMetadata | undefined;
}

export interface CallPart extends WithMetadata {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  /** Text, whatever the package wrote into it. */
  readonly input: unknown;
  readonly providerExecuted?: boolean;
  readonly dynamic?: boolean;
}

export interface DeltaPart extends WithMetadata {
  readonly type: 'text-delta' | 'reasoning-delta';
  /** Id of the block that it belongs to. */
  readonly id: string;
  readonly delta: string;
}

export interface BlockPart extends WithMetadata {
  readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
  readonly id: string;
}

export interface FinishPart {
  readonly type: 'finish';
  /** One word in version 2, else the SDK's word and the provider's. */
  readonly finishReason: unknown;
  readonly usage: unknown;
}

export interface OtherPart {
  readonly type:
    | 'custom'
    | 'file'
    | 'ping'
    | 'reasoning-file'
    | 'source'
    | 'tool-approval-request'
    | 'tool-input-end'
    | 'tool-result';
}

export type ModelPart =
  | { readonly type: 'stream-start'; readonly warnings?: readonly ModelWarning[] }
  | { readonly type: 'response-metadata'; readonly id?: string; readonly modelId?: string }
  | DeltaPart
  | BlockPart
  | { readonly type: 'tool-input-start'; readonly id?: string; readonly providerExecuted?: boolean }
  | { readonly type: 'tool-input-delta'; readonly id?: string; readonly delta: string }
  | CallPart
  | FinishPart
  | OtherPart
  | { readonly type: 'error'; readonly error: unknown }
  | { readonly type: 'raw'; readonly rawValue: unknown };

export interface LanguageModel {
  /** The name that it goes by itself. */
  readonly modelId: string | undefined;
  /** Sends exactly one request. */
  readonly open: (options: ModelOptions) => Promise<ReadableStream<ModelPart>>;
}

type DoStream = (this: unknown, options: object) => PromiseLike<unknown>;

const VERSIONS: ReadonlySet<unknown> = new Set(['v2', 'v3', 'v4']);

export function isLanguageModel(model: unknown): boolean {
  return (
    VERSIONS.has(readProperty(model, 'specificationVersion')) &&
    typeof readProperty(model, 'doStream') === 'function'
  );
}

/** Throws `provider.unsupported` for a value that is no model of a known version. */
export function toLanguageModel(model: unknown, modelRef: ModelRef): LanguageModel {
  if (model === undefined || model === null)
    throw notCallable(modelRef, 'nothing is registered for it');
  const version = readProperty(model, 'specificationVersion');
  const doStream = readProperty(model, 'doStream');
  const modelId = readProperty(model, 'modelId');
  if (!VERSIONS.has(version))
    throw unsupported(modelRef, `is of version ${versionWord(version)} of the AI SDK's interface`);
  if (typeof doStream !== 'function') throw unsupported(modelRef, 'has no `doStream`');
  return {
    modelId: typeof modelId === 'string' ? modelId : undefined,
    open: async (options) => {
      const own =
        version === 'v4' ? options : { ...options, prompt: withPlainFiles(options.prompt) };
      // true: the documented method of a model
      const result = await (doStream as DoStream).call(model, own);
      const stream = readProperty(result, 'stream');
      if (typeof readProperty(stream, 'getReader') !== 'function')
        throw new Error('The model returned no stream');
      return stream as ReadableStream<ModelPart>;
    },
  };
}

function versionWord(version: unknown): string {
  return typeof version === 'string' ? version : 'none';
}

/** Before version 4, a file's data or address stood there directly. */
function withPlainFiles(prompt: LanguageModelV4Prompt): unknown {
  return prompt.map((message) =>
    isArray(message.content)
      ? { ...message, content: message.content.map((part: unknown) => withPlainData(part)) }
      : message,
  );
}

function withPlainData(part: unknown): unknown {
  if (!isPlainObject(part) || part['type'] !== 'file') return part;
  const data = part['data'];
  return { ...part, data: readProperty(data, 'url') ?? readProperty(data, 'data') };
}

/** Nothing was asked of it. */
export function unsupported(modelRef: ModelRef, why: string): OwnFailure {
  return notCallable(modelRef, `what is registered for it ${why}`);
}

function notCallable({ provider, model }: ModelRef, why: string): OwnFailure {
  const { name, display } = providerNamed(provider);
  return new OwnFailure({
    kind: 'provider.unsupported',
    outcome: 'not_started',
    message: `${model} at ${display} cannot be called, because ${why}`,
    provider: { name, model },
    action: {
      kind: 'fix_setup',
      detail: 'Register a language model of the AI SDK of version v2, v3 or v4.',
    },
  });
}
