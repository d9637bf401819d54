/**
 * What an app adds to the classifier: rules of its own, and vocabularies (the codes of one service
 * with what each means). Both are asked before the built-in table. Two that claim the same code are
 * refused when the classifier is made, with both names, because which one would win is an accident.
 */
import { ErrandError } from '../errors/errand-error.ts';
import { createClassify, type Classify } from './classify/classify.ts';
import { normaliseCode } from './classify/dig.ts';
import type { Conclusion, Rule } from './classify/rule.ts';
import { RULES } from './classify/table.ts';

export interface Vocabulary {
  /** Names the service in receipts and in clashes. */
  readonly name: string;
  /** Limits the codes to answers of these providers. Default: any. */
  readonly providers?: readonly string[];
  readonly codes: Readonly<Record<string, Conclusion & { readonly why?: string }>>;
}

export interface ClassifierExtension {
  readonly rules?: readonly Rule[];
  readonly vocabularies?: readonly Vocabulary[];
}

/** Throws `extension.contract` when two rules claim the same id or the same code. */
export function extendClassify(...extensions: readonly ClassifierExtension[]): Classify {
  const added = extensions.flatMap(({ rules = [], vocabularies = [] }) => [
    ...rules,
    ...vocabularies.flatMap(rulesOf),
  ]);
  refuseClashes(added);
  return createClassify([...added, ...RULES]);
}

function rulesOf({ name, providers, codes }: Vocabulary): Rule[] {
  return Object.entries(codes).map(([code, { why, ...means }]) => ({
    id: `${name}.${normaliseCode(code)}`,
    when: { codes: [normaliseCode(code)], ...(providers === undefined ? {} : { providers }) },
    means,
    why: why ?? `the vocabulary of ${name} says so`,
  }));
}

function refuseClashes(added: readonly Rule[]): void {
  const claims = new Map<string, string>();
  for (const rule of added) {
    for (const claim of claimsOf(rule)) {
      const other = claims.get(claim);
      if (other !== undefined) throw clash(claim, other, rule.id);
      claims.set(claim, rule.id);
    }
  }
  const taken = added.find((rule) => RULES.some(({ id }) => id === rule.id));
  if (taken !== undefined) throw clash(`id ${taken.id}`, 'the built-in table', 'the extension');
}

/** A rule claims a code when nothing but the provider narrows it down. */
function claimsOf({ id, when }: Rule): string[] {
  const { codes = [], providers = ['any provider'], ...narrower } = when;
  const isClaim = Object.keys(narrower).length === 0;
  const claimed = isClaim
    ? codes.flatMap((code) => providers.map((who) => `code ${code} of ${who}`))
    : [];
  return [`id ${id}`, ...claimed];
}

function clash(claim: string, first: string, second: string): ErrandError {
  return new ErrandError({
    kind: 'extension.contract',
    message: `Two classification rules claim the ${claim}: ${first} and ${second}`,
    details: { claim, rules: [first, second] },
  });
}
