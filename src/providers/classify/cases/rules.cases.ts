/** One failure for each rule that no entry of the corpus needs: the smallest that needs it. */
import type { RuntimeKind } from '../../../errors/catalog/catalog.ts';
import type { ProviderFailure } from '../../provider-failure.ts';
import { CALL_CASES } from './call-rules.cases.ts';
import { CONCEPT_CASES } from './concept-rules.cases.ts';
import { FAMILY_CASES } from './family-rules.cases.ts';
import { LACK_CASES } from './lack-rules.cases.ts';
import { PATH_CASES } from './path-rules.cases.ts';
import { SCRIPT_CASES } from './script-rules.cases.ts';
import { REFUSAL_CASES } from './refusal-rules.cases.ts';

export interface RuleCase {
  readonly rule: string;
  readonly kind: RuntimeKind;
  readonly failure: Partial<ProviderFailure>;
}

export const RULE_CASES: readonly RuleCase[] = [
  ...CALL_CASES,
  ...REFUSAL_CASES,
  ...FAMILY_CASES,
  ...CONCEPT_CASES,
  ...SCRIPT_CASES,
  ...PATH_CASES,
  ...LACK_CASES,
];
