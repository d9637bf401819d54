/**
 * The table of rules, in the order in which they are asked: what is certain before what is likely,
 * what is exact before what is general, structure before prose.
 */
import type { Rule } from './rule.ts';
import { CODE_RULES, LYING_CODE_RULES } from './rules/codes.ts';
import { STATUS_RULES } from './rules/statuses.ts';
import { STOP_RULES } from './rules/stops.ts';
import { TEXT_RULES } from './rules/texts.ts';
import { TRANSPORT_RULES } from './rules/transport.ts';
import { VERDICT_RULES } from './rules/verdicts.ts';

export const RULES: readonly Rule[] = [
  ...VERDICT_RULES,
  ...TRANSPORT_RULES,
  ...LYING_CODE_RULES,
  ...CODE_RULES,
  ...STOP_RULES,
  ...TEXT_RULES,
  ...STATUS_RULES,
];
