/**
 * Checks the entries and options of a chain when it is made: a slip must not wait for the first
 * failure.
 */
import { catalogRow, CATALOG } from '../errors/catalog/catalog.ts';
import { matchesKind } from '../errors/catalog/kinds.ts';
import { isPlainObject, readProperty } from '../errors/support/safe-json.ts';
import { safeListener } from '../errors/support/safe-listener.ts';
import { suggest } from '../errors/support/suggest.ts';
import { MACHINE_CLOCK, type ResilienceClock } from '../machine-clock.ts';
import {
  checkedObject,
  checkKeys,
  checkMethods,
  isNumber,
  MAX_MS,
  refusals,
  type Refuse,
} from '../option-checks.ts';
import { priceOf, type Price } from '../providers/pricing/prices.ts';
import type { ModelRef } from '../providers/own-findings.ts';
import type { AttemptRow } from './attempt-row.ts';
import { ChainMemory, PROCESS_MEMORY } from './chain-memory.ts';

/** Names that every model of the AI SDK has. */
export interface NamedModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

/** Options of a provider, as the AI SDK passes them. */
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A model of a chain, with how it is used there. */
export interface ResilientEntry<Model> {
  readonly model: Model;
  /** Fatal failures of earlier entries after which this one is called: a kind, kinds, or `any`. */
  readonly on?: string | readonly string[];
  /** Limit for the whole answer; in a stream for the first content, then from part to part. */
  readonly timeoutMs?: number;
  /** Over those of the call, key by key. */
  readonly providerOptions?: ProviderOptions;
  /** Names the account: entries of the process that share it share pauses, quotas and breakers. */
  readonly cooldownKey?: string;
}

/** Dollars for a million tokens. */
export interface TokenPrice {
  readonly inputPerMtok: number;
  readonly outputPerMtok: number;
}

export interface ResilientOptions {
  /** For one call with all its attempts and waits; it ends the call with `limit.node_timeout`. */
  readonly deadlineMs?: number;
  /** For one call; an attempt that would exceed it is not made (`limit.budget`). */
  readonly budgetUsd?: number;
  /** Prices by `PROVIDER/MODEL`, over the list prices that Errand knows. */
  readonly prices?: Readonly<Record<string, TokenPrice>>;
  /** Called with each attempt as it ends. */
  readonly onAttempt?: (row: AttemptRow) => void;
  /** For tests: the time, and how to let it pass. */
  readonly clock?: ResilienceClock;
}

export interface Entry<Model> {
  /** One for each entry; its first part names the account, as `providerOf` reads it. */
  readonly id: string;
  /** The name under which the memory keeps it. */
  readonly name: string;
  readonly memory: ChainMemory;
  readonly target: string;
  readonly ref: ModelRef;
  readonly model: Model;
  readonly on: 'any' | readonly string[] | undefined;
  readonly timeoutMs: number | undefined;
  readonly providerOptions: ProviderOptions | undefined;
  readonly price: Price | null;
}

export interface Chain<Model> {
  readonly entries: readonly Entry<Model>[];
  readonly clock: ResilienceClock;
  readonly deadlineMs: number | undefined;
  readonly budgetUsdMicros: number | undefined;
  readonly onAttempt: ((row: AttemptRow) => void) | undefined;
}

const ENTRY_KEYS = ['model', 'on', 'timeoutMs', 'providerOptions', 'cooldownKey'];
const MICROS = 1_000_000;
const REMEDY = 'See the page about the AI SDK for what it takes.';
const MAX_USD = 1_000_000;

/** Names the model to call, with the options that are not common to all. */
export interface Maker {
  readonly name: string;
  readonly options: readonly string[];
  /** Methods that a model must have. */
  readonly methods: readonly string[];
}

/** Throws `validation.input` that names the option. */
export function makeChain<Model extends NamedModel>(
  maker: Maker,
  entries: unknown,
  options: unknown,
): Chain<Model> {
  const refuse = refusing(maker);
  const given = checkedObject(refuse, options, maker.options);
  const prices = readPrices(refuse, given['prices']);
  const memory = new ChainMemory();
  if (!Array.isArray(entries) || entries.length === 0)
    throw refuse('entries', 'are not a list with a model', 'Give a list: [model, …].');
  const read = entries.map((entry: unknown, at) =>
    readEntry<Model>({ refuse, maker, prices, memory }, entry, at),
  );
  const budgetUsd = readNumber(refuse, 'budgetUsd', given['budgetUsd'], MAX_USD);
  const unpriced = read.find(({ price }) => price === null);
  if (budgetUsd !== undefined && unpriced !== undefined)
    throw refuse(
      'budgetUsd',
      `cannot be kept, because no price of ${unpriced.target} is known`,
      `Give its price: prices: {'${unpriced.target}': {inputPerMtok, outputPerMtok}}.`,
    );
  return {
    entries: read,
    clock: readClock(refuse, given['clock']),
    deadlineMs: readNumber(refuse, 'deadlineMs', given['deadlineMs'], MAX_MS),
    budgetUsdMicros: budgetUsd === undefined ? undefined : Math.floor(budgetUsd * MICROS),
    onAttempt: readListener(refuse, given['onAttempt']),
  };
}

export const CHAIN_OPTIONS = ['deadlineMs', 'budgetUsd', 'prices', 'onAttempt', 'clock'];

export function refusing({ name }: Maker): Refuse {
  return refusals(name, REMEDY);
}

interface Reading {
  readonly refuse: Refuse;
  readonly maker: Maker;
  readonly prices: Readonly<Record<string, Price>>;
  readonly memory: ChainMemory;
}

function readEntry<Model extends NamedModel>(
  { refuse, maker, prices, memory }: Reading,
  given: unknown,
  at: number,
): Entry<Model> {
  const where = `entries[${at}]`;
  if (typeof given === 'string')
    throw refuse(where, `is the text ${JSON.stringify(given)}`, "Give the model: openai('…').");
  const isModel = readProperty(given, 'specificationVersion') !== undefined;
  const isSettings = !isModel && isPlainObject(given) && 'model' in given;
  const settings: Readonly<Record<string, unknown>> = isSettings ? given : { model: given };
  if (isSettings) checkKeys(refuse, settings, ENTRY_KEYS, `${where}.`);
  const model = readModel<Model>(refuse, maker, settings['model'], where);
  const provider = model.provider.split('.')[0] ?? model.provider;
  const target = `${provider}/${model.modelId}`;
  const key = settings['cooldownKey'];
  if (key !== undefined && (typeof key !== 'string' || key === ''))
    throw refuse(`${where}.cooldownKey`, 'is not a name');
  const account = key === undefined ? provider : `key:${encodeURIComponent(key)}`;
  const id = `${account.replaceAll('/', '%2F')}/${at}`;
  return {
    id,
    // without a key two entries of one model may have two accounts, so each pauses by itself
    name: key === undefined ? id : `${account}/${target}`,
    memory: key === undefined ? memory : PROCESS_MEMORY,
    target,
    ref: { provider, model: model.modelId },
    model,
    on: readOn(refuse, settings['on'], `${where}.on`),
    timeoutMs: readNumber(refuse, `${where}.timeoutMs`, settings['timeoutMs'], MAX_MS),
    providerOptions: readProviderOptions(refuse, settings['providerOptions'], where),
    price: priceOf(target, prices),
  };
}

function readModel<Model extends NamedModel>(
  refuse: Refuse,
  { methods }: Maker,
  model: unknown,
  where: string,
): Model {
  if (typeof model === 'string')
    throw refuse(
      where,
      `is the text ${JSON.stringify(model)}`,
      "Give the model itself: openai('…').",
    );
  const version = readProperty(model, 'specificationVersion');
  const hasNames = ['provider', 'modelId'].every(
    (key) => typeof readProperty(model, key) === 'string',
  );
  if (!hasNames || methods.some((key) => typeof readProperty(model, key) !== 'function'))
    throw refuse(where, 'is not a model of this kind', "Give a model of the AI SDK: openai('…').");
  if (version !== 'v4')
    throw refuse(
      where,
      `has version ${String(version)} of the AI SDK's interface, and v4 is needed`,
      'Update the package of its provider.',
    );
  // true: checked above, and the methods are those of the interface it names
  return model as Model;
}

function readOn(refuse: Refuse, on: unknown, where: string): 'any' | readonly string[] | undefined {
  if (on === undefined || on === 'any') return on;
  const kinds: readonly unknown[] = Array.isArray(on) ? on : [on];
  if (kinds.length === 0) throw refuse(where, 'is empty', 'Name a kind, or leave it out.');
  return kinds.map((kind) => {
    if (typeof kind === 'string' && isKnown(kind)) return kind;
    const near = typeof kind === 'string' ? suggest(kind, Object.keys(CATALOG)) : undefined;
    throw refuse(
      where,
      `names ${JSON.stringify(kind)}, which is not a kind`,
      near === undefined ? '`errand explain --list` lists all kinds.' : `Write \`${near}\`.`,
    );
  });
}

function isKnown(pattern: string): boolean {
  if (!pattern.endsWith('.*')) return catalogRow(pattern) !== undefined;
  return Object.keys(CATALOG).some((kind) => matchesKind(kind, pattern));
}

function readProviderOptions(
  refuse: Refuse,
  value: unknown,
  where: string,
): ProviderOptions | undefined {
  if (value === undefined) return undefined;
  if (!isPlainObject(value) || !Object.values(value).every(isPlainObject))
    throw refuse(
      `${where}.providerOptions`,
      'are not options by provider',
      'Write {openai: {…}}, as for a call.',
    );
  // true: checked above
  return value as ProviderOptions;
}

function readPrices(refuse: Refuse, value: unknown): Readonly<Record<string, Price>> {
  if (value === undefined) return {};
  const example = "Write {'openai/gpt-6-mini': {inputPerMtok: 0.25, outputPerMtok: 2}}.";
  if (!isPlainObject(value)) throw refuse('prices', 'are not prices by model', example);
  return Object.fromEntries(
    Object.entries(value).map(([model, price]) => {
      const input = readProperty(price, 'inputPerMtok');
      const output = readProperty(price, 'outputPerMtok');
      if (!isAmount(input) || !isAmount(output))
        throw refuse(`prices['${model}']`, 'is not a price', example);
      return [
        model,
        {
          inputUsdMicrosPerMtok: Math.ceil(input * MICROS),
          outputUsdMicrosPerMtok: Math.ceil(output * MICROS),
        },
      ];
    }),
  );
}

function readClock(refuse: Refuse, clock: unknown): ResilienceClock {
  if (clock === undefined) return MACHINE_CLOCK;
  checkMethods(refuse, 'clock', clock, ['now', 'sleep']);
  // true: it has both methods
  return clock as ResilienceClock;
}

function readListener(refuse: Refuse, value: unknown): ((row: AttemptRow) => void) | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'function') throw refuse('onAttempt', 'is not a function');
  // true: what it does with the row is its own business
  return safeListener(value as (row: AttemptRow) => unknown);
}

export function readNumber(
  refuse: Refuse,
  option: string,
  value: unknown,
  most: number,
): number | undefined {
  if (value === undefined) return undefined;
  if (!isNumber(value, 0, most)) throw refuse(option, `is not a number from 0 to ${most}`);
  return value;
}

function isAmount(value: unknown): value is number {
  return isNumber(value, 0, Number.MAX_VALUE);
}
