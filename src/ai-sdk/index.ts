/**
 * The entry `errand/ai-sdk`: models for applications that stay with `generateText` and `streamText`, with
 * fallback, waits, breakers, a deadline, a budget and typed failures. Imports nothing of Node or of `ai`.
 */
import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider';
import { embed } from './embed.ts';
import { generate } from './generate.ts';
import {
  CHAIN_OPTIONS,
  makeChain,
  readNumber,
  refusing,
  type Chain,
  type Entry,
  type Maker,
  type ResilientEntry,
  type ResilientOptions,
} from './chain-options.ts';
import { stream } from './stream.ts';
import { sharedUrls } from './supported-urls.ts';

export { errandMiddleware } from './middleware.ts';
export type { AttemptRow } from './attempt-row.ts';
export type { CallRecord } from './chain-call.ts';
export type {
  ProviderOptions,
  ResilientEntry,
  ResilientOptions,
  TokenPrice,
} from './chain-options.ts';

export interface ResilientModelOptions extends ResilientOptions {
  /**
   * How often an answer that does not match its JSON schema is sent back. Default: 0, and the SDK
   * judges it.
   */
  readonly repair?: number;
}

export interface ResilientEmbeddingOptions extends ResilientOptions {
  /** Allows models of several names, whose vectors cannot be compared. */
  readonly mixed?: boolean;
}

const LANGUAGE: Maker = {
  name: 'resilientModel',
  options: [...CHAIN_OPTIONS, 'repair'],
  methods: ['doGenerate', 'doStream'],
};
const EMBEDDING: Maker = {
  name: 'resilientEmbeddingModel',
  options: [...CHAIN_OPTIONS, 'mixed'],
  methods: ['doEmbed'],
};
const MAX_REPAIRS = 10;

/**
 * Makes one model of several: the next healthy one answers when one fails, waits are those that the
 * providers ask for, and every failure is an `ErrandError` that lists each attempt with its cost.
 * Throws `validation.input` for impossible entries and options.
 * @example
 * ```ts
 * import { resilientModel } from 'errand/ai-sdk';
 *
 * try {
 *   resilientModel([]);
 * } catch (error) {
 *   console.log(error.kind); // validation.input
 * }
 * ```
 */
export function resilientModel(
  entries: readonly (LanguageModelV4 | ResilientEntry<LanguageModelV4>)[],
  options: ResilientModelOptions = {},
): LanguageModelV4 {
  const chain = makeChain<LanguageModelV4>(LANGUAGE, entries, options);
  const repairs = readRepairs(options);
  return {
    ...namesOf(chain),
    get supportedUrls() {
      return sharedUrls(chain.entries.map(({ model }) => model));
    },
    doGenerate: (call) => generate(chain, call, repairs),
    doStream: (call) => stream(chain, call),
  };
}

/**
 * The same for embeddings. Its entries must have one model name, because vectors of two models cannot be
 * compared and no error would ever say so; `mixed: true` says that several are meant.
 * @example
 * ```ts
 * import { resilientEmbeddingModel } from 'errand/ai-sdk';
 *
 * try {
 *   resilientEmbeddingModel(['text-embedding-3-small']);
 * } catch (error) {
 *   console.log(error.details); // { option: 'entries[0]' }
 * }
 * ```
 */
export function resilientEmbeddingModel(
  entries: readonly (EmbeddingModelV4 | ResilientEntry<EmbeddingModelV4>)[],
  options: ResilientEmbeddingOptions = {},
): EmbeddingModelV4 {
  const chain = makeChain<EmbeddingModelV4>(EMBEDDING, entries, options);
  checkOneModel(chain.entries, options.mixed);
  const models = chain.entries.map(({ model }) => model);
  return {
    ...namesOf(chain),
    get maxEmbeddingsPerCall() {
      return smallest(models.map((model) => model.maxEmbeddingsPerCall));
    },
    get supportsParallelCalls() {
      return allOf(models.map((model) => model.supportsParallelCalls));
    },
    doEmbed: (call) => embed(chain, call),
  };
}

function namesOf<Model extends LanguageModelV4 | EmbeddingModelV4>({ entries }: Chain<Model>) {
  const [first] = entries;
  return {
    specificationVersion: 'v4',
    provider: first?.model.provider ?? '',
    modelId: first?.model.modelId ?? '',
  } as const;
}

function readRepairs(options: ResilientModelOptions): number {
  const refuse = refusing(LANGUAGE);
  const repairs = readNumber(refuse, 'repair', options.repair, MAX_REPAIRS) ?? 0;
  if (!Number.isInteger(repairs)) throw refuse('repair', 'is not a whole number');
  return repairs;
}

function checkOneModel(
  entries: readonly Entry<EmbeddingModelV4>[],
  mixed: boolean | undefined,
): void {
  const refuse = refusing(EMBEDDING);
  if (mixed !== undefined && typeof mixed !== 'boolean')
    throw refuse('mixed', 'is not true or false');
  const names = new Set(entries.map(({ model }) => model.modelId));
  if (mixed === true || names.size === 1) return;
  throw refuse(
    'entries',
    `are of several models (${[...names].join(', ')}), whose vectors cannot be compared`,
    'Give entries of one model, or say `mixed: true` when that is meant.',
  );
}

/** The smallest number that any of them has. */
async function smallest(
  limits: readonly (PromiseLike<number | undefined> | number | undefined)[],
): Promise<number | undefined> {
  const known = (await Promise.all(limits.map((limit) => Promise.resolve(limit)))).filter(
    (limit) => limit !== undefined,
  );
  return known.length === 0 ? undefined : Math.min(...known);
}

async function allOf(values: readonly (PromiseLike<boolean> | boolean)[]): Promise<boolean> {
  return (await Promise.all(values.map((value) => Promise.resolve(value)))).every(Boolean);
}
