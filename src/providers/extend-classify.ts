/**
 * Extends the classifier with an app's own rules, and with vocabularies (the codes of one service
 * with their meanings). Both are checked before the built-in table. The classifier refuses two that
 * claim the same code, and names both: otherwise the winner would be an accident.
 */
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { createClassify, type Classify } from './classify/classify.ts';
import { normaliseCode } from './classify/spelled-code.ts';
import type { Conclusion, Rule } from './classify/rule.ts';
import { RULES } from './classify/table.ts';

export interface Vocabulary {
  /** Names the service in receipts and in clashes. */
  readonly name: string;
  /** Limits the codes to responses of these providers. Default: any. */
  readonly providers?: readonly string[];
  readonly codes: Readonly<Record<string, Conclusion & { readonly why?: string }>>;
}

export interface ClassifierExtension {
  readonly rules?: readonly Rule[];
  readonly vocabularies?: readonly Vocabulary[];
}

/**
 * Adds rules to the classifier. Throws `extension.contract` when two rules claim the same id or the same code.
 * @example
 * ```ts
 * import { reportFrom } from 'errand';
 * import { extendClassify } from 'errand/classify';
 *
 * const busy = { kind: 'provider.overloaded', scope: 'provider', recovery: 'now' } as const;
 * const classify = extendClassify({ vocabularies: [{ name: 'house', codes: { E_BUSY: busy } }] });
 * const thrown = { status: 400, headers: {}, body: { error: { code: 'E_BUSY' } } };
 * console.log(reportFrom(thrown, { classify }).kind); // provider.overloaded
 * ```
 */
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
    why: why ?? `the vocabulary of ${name} has this code`,
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

/** A rule claims a code if at most the provider narrows it down. */
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
