/**
 * The form of a rule and of its conclusion. A rule is data: all its conditions must hold, each names the
 * evidence that it checks, and the first rule of the table that holds decides.
 */
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { Category, Outcome, Reach } from '../../errors/catalog/vocabulary.ts';
import type { Phase, Finding } from '../provider-failure.ts';
import type { BodyForm } from './evidence.ts';
import type { Saying } from './concepts/saying.ts';
import type { Family } from './phrases.ts';
import type { Phrase } from './phrases/phrase.ts';

/** When a call can work again: at once, at the hint, when a window resets, when a person acts. */
export type Recovery = 'now' | 'hint' | 'window' | 'human';

/** In a list of statuses: no status is known. */
export const NONE = 0;

export interface Conditions {
  readonly providers?: readonly string[];
  readonly findings?: readonly Finding[];
  /** `NONE` means a failure without a status. */
  readonly statuses?: readonly number[];
  /** From and to, both included. */
  readonly statusRange?: readonly [number, number];
  /** Normalised: lower-case words joined by `_`, without `_error` or `_exception` at the end. */
  readonly codes?: readonly string[];
  readonly notCodes?: readonly string[];
  readonly codeEndings?: readonly string[];
  /** For vocabularies that build codes from parts; all parts of a list must be in the code. */
  readonly codeParts?: readonly Phrase[];
  readonly params?: RegExp;
  readonly phrases?: readonly Family[];
  /** One of these too. */
  readonly phrasesToo?: readonly Family[];
  readonly notPhrases?: readonly Family[];
  /** A word without which `says` cannot hold; cheaper to look for. */
  readonly mentions?: RegExp;
  /** The prose read by concepts, for wordings that no family has. */
  readonly says?: readonly Saying[];
  /** The same for the words of a code. */
  readonly codeSays?: readonly Saying[];
  readonly quota?: 'long_window' | 'short_window' | 'zero';
  /** The request alone asks for more than the limit that the message states. */
  readonly asksMoreThanLimit?: true;
  readonly stops?: readonly string[];
  /** The words of a stop reason, read by concepts. */
  readonly stopSays?: readonly Saying[];
  readonly header?: { readonly name: string; readonly value?: RegExp };
  readonly transportCodes?: readonly string[];
  readonly transportCodePrefixes?: readonly string[];
  readonly transportNames?: readonly string[];
  /** For runtimes whose faults have neither a code nor a name. */
  readonly transportText?: RegExp;
  readonly forms?: readonly BodyForm[];
  readonly phases?: readonly Phase[];
  readonly emptyAnswer?: true;
  /** A stream whose events stop without a stop reason or an end marker. */
  readonly unfinished?: true;
  /** A refusal that gives no reason at all. */
  readonly reasonless?: true;
  /** The body only repeats the name of the status, as frameworks do for a path that they do not have. */
  readonly bareStatus?: true;
  readonly hasStatus?: boolean;
  readonly hasTransport?: boolean;
}

export interface Conclusion {
  readonly kind: RuntimeKind;
  /** Set where it differs from the catalog's. */
  readonly category?: Category;
  readonly outcome?: Outcome;
  readonly scope: Reach;
  readonly recovery: Recovery;
}

export interface Rule {
  readonly id: string;
  readonly when: Conditions;
  readonly means: Conclusion;
  readonly why: string;
}
