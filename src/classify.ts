/** `errand/classify`: the classifier of provider failures, and rules of your own. Runs anywhere. */
export {
  classify,
  type Classification,
  type Classify,
  type ClassifyOptions,
} from './providers/classify/classify.ts';
export {
  extendClassify,
  type ClassifierExtension,
  type Vocabulary as ClassifierVocabulary,
} from './providers/extend-classify.ts';
export type {
  Conclusion as ClassifierConclusion,
  Conditions as ClassifierConditions,
  Recovery as ClassifierRecovery,
  Rule as ClassifierRule,
} from './providers/classify/rule.ts';
export type { Reach as FailureReach } from './errors/catalog/vocabulary.ts';
export type { BodyForm as ClassifierBodyForm } from './providers/classify/evidence.ts';
export type { Family as ClassifierPhraseFamily } from './providers/classify/phrases.ts';
export type { Phrase as ClassifierPhrase } from './providers/classify/phrases/phrase.ts';
export type { Concept as ClassifierConcept } from './providers/classify/concepts/lexicon.ts';
export type { Saying as ClassifierSaying } from './providers/classify/concepts/saying.ts';
export type {
  Finding as ProviderFinding,
  Operation as ProviderOperation,
  Phase as RequestPhase,
  ProviderFailure,
  TransportFault,
} from './providers/provider-failure.ts';
export { reportFromFailure, type ReportFromOptions } from './providers/report-from.ts';
