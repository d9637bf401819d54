/**
 * The table of rules, in the order in which they are checked: certain before likely, exact before general,
 * structure before prose.
 */
import type { Rule } from './rule.ts';
import { BARE_CODE_RULES } from './rules/bare-codes.ts';
import { REFUSAL_CODE_RULES } from './rules/codes.ts';
import { MISLEADING_CODE_RULES } from './rules/misleading-codes.ts';
import { TRANSIENT_CODE_RULES } from './rules/transient-codes.ts';
import { STATUS_RULES } from './rules/statuses.ts';
import { VENDOR_NUMBER_RULES } from './rules/vendor-numbers.ts';
import { STOP_RULES } from './rules/stops.ts';
import { TEXT_RULES } from './rules/texts.ts';
import { CODE_WORD_RULES } from './rules/code-words.ts';
import { CONCEPT_ACCESS_RULES } from './rules/concept-access.ts';
import { CONCEPT_CAPACITY_RULES } from './rules/concept-capacity.ts';
import { CONCEPT_TRANSPORT_RULES, CONNECT_LATE_RULES } from './rules/concept-transport.ts';
import { CONCEPT_RULES } from './rules/concepts.ts';
import { FIRST_CONCEPT_RULES, SET_UP_RULES } from './rules/first-concepts.ts';
import { MATERIAL_LENGTH_RULES, MATERIAL_RULES } from './rules/concept-request.ts';
import { CONNECTION_RULES } from './rules/connection.ts';
import { LOCAL_FAULT_RULES } from './rules/local-faults.ts';
import { MEASURE_FIRST_RULES, MEASURE_RULES } from './rules/measures.ts';
import { MISSING_THING_RULES } from './rules/missing-things.ts';
import { NAMED_FIELD_RULES } from './rules/named-fields.ts';
import { SCRIPT_RULES } from './rules/script-rules.ts';
import { SDK_FINDING_RULES } from './rules/sdk-findings.ts';

export const RULES: readonly Rule[] = [
  ...SDK_FINDING_RULES,
  ...LOCAL_FAULT_RULES,
  ...CONNECTION_RULES,
  ...MISLEADING_CODE_RULES,
  ...VENDOR_NUMBER_RULES,
  ...REFUSAL_CODE_RULES,
  ...NAMED_FIELD_RULES,
  ...TRANSIENT_CODE_RULES,
  ...CODE_WORD_RULES,
  ...STOP_RULES,
  ...CONNECT_LATE_RULES,
  ...MISSING_THING_RULES,
  ...FIRST_CONCEPT_RULES,
  ...MATERIAL_LENGTH_RULES,
  ...MEASURE_FIRST_RULES,
  ...SCRIPT_RULES,
  ...TEXT_RULES,
  ...CONCEPT_TRANSPORT_RULES,
  ...SET_UP_RULES,
  ...CONCEPT_ACCESS_RULES,
  ...CONCEPT_RULES,
  ...MATERIAL_RULES,
  ...MEASURE_RULES,
  ...CONCEPT_CAPACITY_RULES,
  ...STATUS_RULES,
  ...BARE_CODE_RULES,
];
