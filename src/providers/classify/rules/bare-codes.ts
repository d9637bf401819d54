/** Rules for when not even a status says anything: generic codes, words of a fault, an ending. */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';
import { WRONG_SETTING } from './statuses.ts';

export const BARE_CODE_RULES: readonly Rule[] = [
  {
    id: 'code.server',
    when: {
      codes: [
        'server',
        'internal',
        'internal_server',
        'api',
        'cf_bad_gateway',
        'bad_gateway',
        'upstream',
        'processing',
      ],
    },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'a code for a fault of the server, without a status',
  },
  {
    id: 'code-words.inner',
    when: {
      statuses: [NONE, 200],
      codeSays: anyOf([['inner']], ['prompt', 'param', 'media', 'key', 'tool', 'stop', 'text']),
      notPhrases: ['spent', 'auth', 'context', 'content_filter', 'overload', 'timeout'],
    },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'the code names a fault of their own, under a status that says nothing',
  },
  {
    id: 'concept.inner',
    when: {
      statuses: [NONE, 200],
      says: each(
        ['inner'],
        ['failed', 'invalid'],
        ['prompt', 'param', 'media', 'key', 'tool', 'stop', 'text', 'model', 'account', 'schema'],
      ),
    },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'a fault of their own is spoken of, under a status that says nothing',
  },
  {
    id: 'code.refused',
    when: {
      codes: [
        'invalid_request',
        'bad_request',
        'invalid_argument',
        'validation',
        'invalid_prompt',
        'invalid_input',
      ],
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a code for a refused request, without a status',
  },
  {
    id: 'code.parameter',
    when: {
      statuses: [NONE, 200],
      codes: ['missing_parameter', 'missing_required_parameter', 'invalid_parameter_value'],
    },
    means: WRONG_SETTING,
    why: 'a code for a parameter that is missing or has a wrong value, without a status that says so',
  },
  {
    id: 'code.invalid',
    when: { codeParts: ['invalid_', 'missing_', 'malformed'] },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a code for something invalid in the request, without a status that says so',
  },
  {
    id: 'code.denied',
    when: { codes: ['permission', 'permission_denied', 'access_denied', 'forbidden'] },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'a code for a missing right, without a status',
  },
  {
    id: 'code.absent',
    when: { codes: ['not_found', 'resource_not_found'] },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'a code for something missing, without a status',
  },
  {
    id: 'function.unhandled',
    when: { statuses: [NONE, 200], header: { name: 'x-amz-function-error' } },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'the function that should have answered failed, and says nothing that is known',
  },
  {
    id: 'stop.error',
    when: {
      statuses: [NONE, 200],
      stops: [
        'error',
        'network_error',
        'network',
        'failed',
        'server',
        'abort',
        'aborted',
        'other',
        'cancelled',
      ],
    },
    means: { kind: 'provider.server_error', outcome: 'unknown', scope: 'request', recovery: 'now' },
    why: 'the provider ended the reply with an error of its own',
  },
  {
    id: 'job.failed',
    when: { statusRange: [200, 299], stops: ['job_failed'] },
    means: { kind: 'provider.server_error', scope: 'model', recovery: 'now' },
    why: 'a job that failed, with a reason that names no fault of the request',
  },
  {
    id: 'stream.unrecognised',
    when: { phases: ['streaming'], statuses: [NONE, 200] },
    means: { kind: 'provider.stream_interrupted', scope: 'request', recovery: 'now' },
    why: 'something broke inside the stream, and nothing says what',
  },
];
