/**
 * The table of rules, in the order in which they are asked: what is certain before what is likely,
 * what is exact before what is general, structure before prose.
 */
import type { Rule } from './rule.ts';
import { REFUSAL_CODE_RULES } from './rules/codes.ts';
import { LYING_CODE_RULES } from './rules/lying-codes.ts';
import { PASSING_CODE_RULES } from './rules/passing-codes.ts';
import { STATUS_RULES } from './rules/statuses.ts';
import { STOP_RULES } from './rules/stops.ts';
import { TEXT_RULES } from './rules/texts.ts';
import { CONNECTION_RULES } from './rules/connection.ts';
import { LOCAL_FAULT_RULES } from './rules/local-faults.ts';
import { VERDICT_RULES } from './rules/verdicts.ts';

export const RULES: readonly Rule[] = [
  ...VERDICT_RULES,
  ...LOCAL_FAULT_RULES,
  ...CONNECTION_RULES,
  ...LYING_CODE_RULES,
  ...REFUSAL_CODE_RULES,
  ...PASSING_CODE_RULES,
  ...STOP_RULES,
  ...TEXT_RULES,
  ...STATUS_RULES,
];
