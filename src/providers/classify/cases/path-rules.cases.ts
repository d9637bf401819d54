/** Cases for rules that read a path, a count, a length of time or a template. */
import type { ProviderFailure } from '../../provider-failure.ts';
import type { RuleCase } from './rules.cases.ts';

const worded = (status: number, message: string, more: object = {}): Partial<ProviderFailure> => ({
  status,
  phase: 'headers',
  body: { error: { message, ...more } },
});

export const PATH_CASES: readonly RuleCase[] = [
  {
    rule: 'too-large.bytes-of-window',
    kind: 'provider.request_too_large',
    failure: worded(
      400,
      'litellm.ContextWindowExceededError: litellm.BadRequestError: the payload of 30 MB is over 20 MB',
    ),
  },
  {
    rule: 'permission.off-until-enabled',
    kind: 'provider.permission',
    failure: worded(400, 'Ask an administrator of the team', { code: 'tool_disabled' }),
  },
  {
    rule: 'parameter.without-tools',
    kind: 'provider.invalid_request',
    failure: worded(400, 'tool_config was given while there are no function_declarations'),
  },
  {
    rule: 'parameter.of-config',
    kind: 'provider.invalid_request',
    failure: worded(400, '* GenerateContentRequest.generation_config.top_k: not what is wanted'),
  },
  {
    rule: 'missing.look-at-list',
    kind: 'provider.model_not_found',
    failure: worded(404, 'The free variant is over. Take the slug a/b instead'),
  },
  {
    rule: 'template.refused',
    kind: 'provider.invalid_request',
    failure: worded(
      500,
      'The chat template takes no messages before the system message but needs it',
    ),
  },
  {
    rule: 'measure.count-behind',
    kind: 'provider.request_too_large',
    failure: worded(400, 'You may send 16 inputs at most.'),
  },
  {
    rule: 'parameter.duration',
    kind: 'provider.invalid_request',
    failure: worded(400, 'ttl of 10s lies below the minimum of 60s'),
  },
  {
    rule: 'parameter.none-of-model',
    kind: 'provider.unsupported',
    failure: worded(400, 'The mode is none of those that the model knows'),
  },
  {
    rule: 'cancelled.refused',
    kind: 'provider.invalid_request',
    failure: worded(400, 'There was nothing to cancel', { code: 'cancel_failed' }),
  },
  {
    rule: 'code-words.expired-thing',
    kind: 'provider.invalid_request',
    failure: worded(409, 'It has expired', { code: 'file_expired' }),
  },
  {
    rule: 'network.of-wrapper',
    kind: 'provider.network',
    failure: worded(503, 'litellm.ServiceUnavailableError: OllamaException - Connection refused'),
  },
];
