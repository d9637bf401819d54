/** Draws agents and supervisors, their tools, and their budgets. */
import type { Random } from '../../src/rehearsal/world/random.ts';
import { AUTHOR_KINDS, SECRET, type Fields, type Shape } from './shape.ts';

/** Kinds that routes of an agent may name; the transient ones replace the default schedule. */
export const AGENT_KINDS = [
  'provider.rate_limited',
  'provider.overloaded',
  'provider.network',
  'provider.exhausted',
  'provider.exhausted',
  'provider.stream_interrupted',
  'provider.content_filter',
  'agent.output_invalid',
  'agent.permission_denied',
  'tool.denied',
  'limit.turns',
];

export const SUPERVISOR_KINDS = [
  'supervisor.routing',
  'provider.exhausted',
  'provider.overloaded',
  'limit.turns',
];

export const TOOL_KINDS = [
  'tool.failed',
  'tool.busy',
  'tool.timeout',
  'tool.denied',
  'mcp.unreachable',
  'mcp.tool_failed',
  'tool.unavailable',
];

const MODELS = ['sim/one', 'sim/two', 'sim/three'];

/** Models with scripted replies; the others reply by the seed. */
export function runtime({ random, isChild, isTimeless, hasAgents }: Shape): Fields {
  // a child without a runtime has that of its caller
  if (!hasAgents && isChild) return {};
  const price = random.pick([null, { input: 3, output: 15 }, { input: 0, output: 400 }]);
  return {
    runtime: {
      default_model: chain(random, isTimeless),
      simulate: {
        ...(random.chance(0.5) ? { one: script(random, isTimeless) } : {}),
        ...(random.chance(0.2) ? { two: script(random, isTimeless) } : {}),
      },
      ...(price === null ? {} : { simulate_price_per_mtok: price }),
      mcp_servers: { box: { type: 'stdio', command: 'x' } },
    },
  };
}

/** One entry if nothing may depend on which model works at the moment. */
function chain(random: Random, isTimeless: boolean): unknown {
  const [first, second, third] = random.chance(0.5) ? MODELS : MODELS.toReversed();
  if (isTimeless || random.chance(0.4)) return first;
  const on = random.pick([
    ['provider.content_filter', 'provider.context_length'],
    ['provider.auth', 'provider.stream_interrupted'],
    'any',
  ]);
  const fallback = random.chance(0.5) ? { model: second, on } : second;
  return random.chance(0.3) ? [first, fallback, third] : [first, fallback];
}

const FAILURES: readonly Fields[] = [
  { kind: 'provider.rate_limited', retry_after: 2 },
  { kind: 'provider.rate_limited', retry_after: 300 },
  { kind: 'provider.rate_limited' },
  { kind: 'provider.overloaded' },
  { kind: 'provider.server_error', retry_after: 0.5 },
  { kind: 'provider.network' },
  { kind: 'provider.quota_exhausted' },
  { kind: 'provider.content_filter' },
  { kind: 'provider.context_length' },
  { kind: 'provider.auth', message: `Incorrect API key provided: ${SECRET}` },
  {
    provider: 'openai',
    status: 401,
    body: { error: { code: 'invalid_api_key', message: `Incorrect API key provided: ${SECRET}` } },
  },
  { provider: 'openai', status: 429, headers: { 'retry-after': '1' }, body: { error: {} } },
];

/** A cooldown that has ended is the same for every run; a breaker that opens is not. */
const TIMELESS_FAILURES: readonly Fields[] = [
  { kind: 'provider.rate_limited', retry_after: 2 },
  { kind: 'provider.content_filter' },
];

function script(random: Random, isTimeless: boolean): readonly Fields[] {
  const entry = (): Fields => {
    const draw = random.int(10);
    const usage = random.chance(0.3)
      ? { usage: { input_tokens: random.int(500), output_tokens: random.pick([5, 200, 4000]) } }
      : {};
    const delay = random.chance(0.2) ? { delay: random.pick(['50ms', '4s']) } : {};
    if (draw < 4)
      return {
        fail: random.pick(isTimeless ? TIMELESS_FAILURES : FAILURES),
        ...usage,
        ...delay,
      };
    if (draw < 5) {
      const stream = random.pick(isTimeless ? [['The lab']] : [[], ['The lab', 'el is']]);
      return { stream, cut: true, ...usage };
    }
    if (draw < 7) return { tool_calls: [{ name: 'lookup', arguments: { id: 7 } }], ...usage };
    return { answer: random.pick(['done', { n: 2 }, { n: 'two' }]), ...usage, ...delay };
  };
  return Array.from({ length: 1 + random.int(4) }, entry);
}

/** Limits of the file on money and tokens; the smallest allow nothing, and 0 means 0. */
export function budgetLimits({ random, isTimeless, hasAgents }: Shape): Fields {
  if (isTimeless || !hasAgents || !random.chance(0.35)) return {};
  return {
    ...(random.chance(0.6) ? { budget_usd: random.pick([0, 0.001, 0.02, 0.05, 0.4]) } : {}),
    ...(random.chance(0.6) ? { budget_tokens: random.pick([0, 900, 2500, 8000]) } : {}),
    ...(random.chance(0.7) ? { budget_mode: random.pick(['enforce', 'ask', 'audit']) } : {}),
  };
}

export function agent({ random, isTimeless }: Shape, name: string): Fields {
  const tools = random.pick(
    isTimeless
      ? [[], ['lookup']]
      : [
          [],
          ['lookup'],
          ['lookup', 'charge'],
          ['send', 'lookup', 'box/read'],
          ['box/*', 'charge'],
          ['plain', 'box/write'],
          null,
        ],
  );
  const hasTools = tools === null || tools.length > 0;
  const fields: Fields = {
    type: 'agent',
    prompt: `Do ${name} with {{ workflow.input.items | default([]) | length }} items`,
    ...(random.chance(0.2) ? { system_prompt: 'You are a clerk.' } : {}),
    ...(random.chance(0.6) ? { model: chain(random, isTimeless) } : {}),
    tools,
    ...(hasTools && random.chance(0.7) ? { policy: policy(random, isTimeless, tools) } : {}),
    ...(random.chance(0.7) ? { max_turns: random.pick([1, 2, 3, 5, 8]) } : {}),
    ...(random.chance(0.3) ? { writes: random.pick([['total'], ['total', 'tags']]) } : {}),
    ...(random.chance(0.3) ? { raises: ['order.missing', 'stock.empty'] } : {}),
    ...(random.chance(0.5) ? { output: { n: { type: 'number' } } } : {}),
    ...(random.chance(0.5) ? { on_partial: random.pick(['restart', 'keep_partial']) } : {}),
    ...(random.chance(0.3) && !isTimeless ? { timeout_seconds: random.pick([1, 20, 90]) } : {}),
    ...(random.chance(0.2) ? { max_tokens: random.pick([50, 400]) } : {}),
    ...(random.chance(0.25) && !isTimeless ? { budget: nodeBudget(random) } : {}),
  };
  if (!random.chance(0.15)) return fields;
  // the checks refuse a field that no reply can have, and cannot know the name of the other one
  const read = 'output' in fields ? 'output.n' : 'output[workflow.name]';
  const that = `{{ ${read} > 0 }}`;
  return { ...fields, assert: [{ that, raise: 'order.small', message: 'Too small' }] };
}

function policy(random: Random, isTimeless: boolean, tools: readonly string[] | null): Fields {
  if (isTimeless) return { ask: ['lookup'] };
  const own = tools ?? ['lookup', 'box/read'];
  return {
    ...(random.chance(0.3) ? { allow: ['lookup', 'charge'] } : {}),
    ...(random.chance(0.3) ? { deny: ['send'] } : {}),
    ask: random.pick([own, own, own, own.slice(0, 1), ['box/*', 'charge'], []]),
    ...(random.chance(0.4) ? { ask_timeout: random.pick(['2s', '10m', '2h']) } : {}),
  };
}

function nodeBudget(random: Random): Fields {
  return random.chance(0.5)
    ? { tokens: random.pick([0, 1200, 5000]) }
    : { usd: random.pick([0, 0.02, 0.1]), tokens: 20_000 };
}

export function toolNode({ random, isTimeless }: Shape): Fields {
  return {
    type: 'tool',
    tool: random.pick(['lookup', 'charge', 'send', 'box/read', 'box/write', 'plain']),
    arguments: { id: random.int(3) },
    ...(random.chance(0.2) ? { idempotent: true } : {}),
    ...(random.chance(0.4) ? { timeout_seconds: isTimeless ? 60 : random.pick([1, 10, 60]) } : {}),
    ...(random.chance(0.3) ? { raises: AUTHOR_KINDS.slice(0, 2) } : {}),
  };
}

export function supervisor({ random, isTimeless }: Shape, managed: readonly string[]): Fields {
  return {
    type: 'supervisor',
    prompt: 'Who is next?',
    manages: managed.slice(0, 1 + random.int(managed.length)),
    ...(random.chance(0.5) ? { model: chain(random, isTimeless) } : {}),
    ...(random.chance(0.8) ? { max_rounds: 1 + random.int(3) } : {}),
    ...(random.chance(0.2) && !isTimeless ? { timeout_seconds: random.pick([20, 90]) } : {}),
    ...(random.chance(0.2) && !isTimeless ? { budget: nodeBudget(random) } : {}),
  };
}
