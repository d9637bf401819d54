/** Cases for rules about what a model, a server or an account is said not to have, and what a setting may be. */
import type { ProviderFailure } from '../../provider-failure.ts';
import type { RuleCase } from './rules.cases.ts';

const worded = (status: number, message: string, more: object = {}): Partial<ProviderFailure> => ({
  status,
  phase: 'headers',
  body: { error: { message, ...more } },
});

export const LACK_CASES: readonly RuleCase[] = [
  {
    rule: 'sampling.said',
    kind: 'provider.unknown',
    failure: worded(400, 'The model made a broken function call'),
  },
  {
    rule: 'missing.provider',
    kind: 'provider.not_configured',
    failure: worded(404, 'no such provider'),
  },
  {
    rule: 'rate.single-request-said',
    kind: 'provider.request_too_large',
    failure: worded(429, 'This call alone is it'),
  },
  {
    rule: 'measure.id-in-history',
    kind: 'provider.invalid_request',
    failure: worded(400, 'It is too long', { param: 'messages[2].tool_call_id' }),
  },
  {
    rule: 'parameter.output-cap',
    kind: 'provider.invalid_request',
    failure: worded(400, 'This model stops at 16384', { param: 'max_completion_tokens' }),
  },
  {
    rule: 'measure.output-cap',
    kind: 'provider.invalid_request',
    failure: worded(400, 'The value of max_new_tokens (9000) is above what is generated (4096)'),
  },
  {
    rule: 'measure.side',
    kind: 'provider.request_too_large',
    failure: worded(400, 'On no side may it be longer than 2000 pixels'),
  },
  {
    rule: 'feature.gone-from-model',
    kind: 'provider.unsupported',
    failure: worded(400, '"thinking.type.enabled" is gone from this model'),
  },
  {
    rule: 'feature.none-of-model',
    kind: 'provider.unsupported',
    failure: worded(400, 'This model has no argument called frequencyPenalty'),
  },
  {
    rule: 'feature.unknown-format',
    kind: 'provider.unsupported',
    failure: worded(400, "does not know 'response_format' of type 'json_schema'"),
  },
  {
    rule: 'feature.text-alone',
    kind: 'provider.unsupported',
    failure: worded(400, 'Nothing but text can be given'),
  },
  {
    rule: 'feature.switch-of-server',
    kind: 'provider.unsupported',
    failure: worded(400, 'This server was started without --enable-reasoning'),
  },
  {
    rule: 'feature.no-endpoint',
    kind: 'provider.unsupported',
    failure: worded(404, 'None of the endpoints of this model takes image input'),
  },
  {
    rule: 'parameter.only-values',
    kind: 'provider.invalid_request',
    failure: worded(400, 'n has to be 1 with this model'),
  },
  {
    rule: 'parameter.type-of-code',
    kind: 'provider.invalid_request',
    failure: worded(400, 'null is an unsupported value', { code: 'invalid_type', param: 'seed' }),
  },
  {
    rule: 'history.arguments',
    kind: 'provider.invalid_request',
    failure: worded(400, 'This is no JSON', { param: 'arguments' }),
  },
  {
    rule: 'permission.paying-accounts',
    kind: 'provider.permission',
    failure: worded(403, 'Only paid accounts get this model', { code: 'model_not_available' }),
  },
  {
    rule: 'permission.unverified',
    kind: 'provider.permission',
    failure: worded(400, 'Only verified organizations can stream', { code: 'unsupported_value' }),
  },
  {
    rule: 'permission.unsupported-until-granted',
    kind: 'provider.permission',
    failure: worded(400, 'You do not have permission to do this', { code: 'failed_precondition' }),
  },
  {
    rule: 'turn.at-the-end',
    kind: 'provider.invalid_request',
    failure: worded(500, 'last message has to come from the user'),
  },
  {
    rule: 'key.of-another',
    kind: 'provider.auth',
    failure: worded(401, 'The key does not belong to this endpoint'),
  },
];
