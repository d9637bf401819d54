/** Lists of codes that several rules share. */

export const RATE_CODES = [
  'rate_limit',
  'rate_limit_exceeded',
  'rate_limited',
  'ratelimit',
  'ratelimit_exceeded',
  'request_rate_limit_exceeded',
  'too_many_requests',
  'too_many_requests_for_model',
  'throttling',
  'throttled',
  'request_throttled',
  'tokens',
  'requests',
  'resource_exhausted',
  'slow_down',
  'request_limit_exceeded',
  'concurrency_limit_exceeded',
  'engine_rate_limit',
  'rate_limit_reached',
  'tokens_per_minute_limit_exceeded',
  'throttling_rate_quota',
  'throttling_allocation_quota',
  'throttling_burst_rate',
  'limit_requests',
  'limit_burst_rate',
] as const;

export const DENIED_CODES = [
  'permission_denied',
  'permission',
  'forbidden',
  'access_denied',
  'request_forbidden',
] as const;
