/** One failure, in the provider's own form, for each provider without one in the corpus. */
export interface ProviderCase {
  readonly provider: string;
  readonly status: number;
  readonly body: unknown;
}

export const PROVIDER_CASES: readonly ProviderCase[] = [
  {
    provider: 'zhipu',
    status: 429,
    body: { error: { code: '1302', message: 'Rate limit reached for requests' } },
  },
  {
    provider: 'qwen',
    status: 400,
    body: {
      error: {
        code: 'data_inspection_failed',
        message: 'Input data may contain inappropriate content.',
        type: 'data_inspection_failed',
      },
    },
  },
  {
    provider: 'cerebras',
    status: 429,
    body: {
      message: 'Requests per minute limit exceeded',
      type: 'too_many_requests_error',
      param: 'quota',
      code: 'request_quota_exceeded',
    },
  },
  {
    provider: 'sambanova',
    status: 429,
    body: { error: { message: 'Rate limit exceeded', type: 'rate_limit_exceeded', code: null } },
  },
  {
    provider: 'github',
    status: 401,
    body: { error: { code: 'unauthorized', message: 'Bad credentials' } },
  },
];
