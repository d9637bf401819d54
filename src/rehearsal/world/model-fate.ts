/** How a provider handles one call that has no script. */
import type { Usage } from '../../machine/state/events.ts';
import type { ModelCall } from '../../machine/conversation/model-message.ts';
import type { SimulatedAnswer, SimulatedFailure } from '../../workflow/plan/plan.ts';
import type { Random } from './random.ts';

/** A model's reply to a call; undefined: that of the script, or any fitting value. */
export type Speaker = (call: ModelCall, random: Random) => SimulatedAnswer | undefined;

/** The waits that providers ask for; 0 where they name none. */
const HINTS_MS = [0, 0, 500, 7000, 90_000, 600_000];

const KINDS = [
  'provider.rate_limited',
  'provider.rate_limited',
  'provider.overloaded',
  'provider.overloaded',
  'provider.server_error',
  'provider.timeout',
  'provider.network',
  'provider.conflict',
  'provider.quota_exhausted',
  'provider.auth',
  'provider.context_length',
  'provider.content_filter',
  'provider.truncated',
  'provider.invalid_request',
  'provider.unknown',
  // a registered model with a breaker of its own
  'breaker.open',
] as const;

/** Like real ones: by kind, or as the answer that a provider would give, with usage or without. */
export function drawModelFailure(random: Random): SimulatedAnswer {
  const how = { delayMs: 0, ...drawUsage(random) };
  if (random.chance(0.2))
    return {
      ...how,
      type: 'stream',
      chunks: random.pick([[], ['The'], ['{"n"', ': 1']]),
      isCut: true,
    };
  return { ...how, type: 'fail', fail: drawFailure(random) };
}

function drawFailure(random: Random): SimulatedFailure {
  if (random.chance(0.15)) return random.pick(ANSWERS);
  const kind = random.pick(KINDS);
  const retryAfterMs = random.pick(HINTS_MS);
  return retryAfterMs === 0 ? { kind } : { kind, retryAfterMs };
}

/** Failures whose status alone does not decide the kind. */
const ANSWERS: readonly SimulatedFailure[] = [
  {
    status: 429,
    provider: 'openai',
    headers: { 'retry-after': '3' },
    body: { error: { code: 'rate_limit_exceeded', message: 'Slow down' } },
  },
  {
    status: 429,
    provider: 'openai',
    headers: {},
    body: { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
  },
  {
    status: 529,
    provider: 'anthropic',
    headers: {},
    body: { error: { type: 'overloaded_error' } },
  },
  { status: 502, provider: 'openai', headers: {}, body: '<html>Bad gateway</html>' },
];

/** Usually none: failed calls are free, but some providers charge for them. */
function drawUsage(random: Random): { readonly usage?: Usage } {
  if (!random.chance(0.25)) return {};
  return { usage: { inputTokens: random.int(300), outputTokens: random.int(200) } };
}
