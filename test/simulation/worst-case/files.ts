/**
 * Workflow files of every node type and every sort of route, small enough to reach their bound by
 * playing: retries, parks, gates, loops, supervisors, groups and calls.
 */
import type { Random } from '../../../src/rehearsal/world/random.ts';

type Fields = Record<string, unknown>;

/** Kinds that a route may name, including those of other node types. */
const ROUTE_KINDS = [
  'provider.rate_limited',
  'provider.overloaded',
  'provider.network',
  'provider.exhausted',
  'provider.auth',
  'provider.context_length',
  'provider.stream_interrupted',
  'provider.*',
  'agent.output_invalid',
  'agent.permission_denied',
  'tool.forbidden',
  'tool.denied',
  'tool.failed',
  'tool.*',
  'effect.outcome_unknown',
  'limit.turns',
  'limit.node_timeout',
  'limit.steps',
  'limit.retries',
  'route.no_match',
  'route.guard_failed',
  'route.*',
  'assert.failed',
  'order.missing',
  'order.*',
  'supervisor.routing',
  'internal.envelope_invalid',
  'internal.script_error',
  'internal.*',
  'validation.template',
  'call.failed',
  'group.failed',
  'group.quorum',
  'gate.expired',
  'gate.*',
  'sandbox.runtime',
  'terminate.failed',
] as const;

/** All of them by name: no default schedule applies, and a call is one request. */
const TRANSIENT = [
  'provider.rate_limited',
  'provider.overloaded',
  'provider.server_error',
  'provider.timeout',
  'provider.network',
  'provider.conflict',
];

const GUARDS = [
  '{{ attempt == 0 }}',
  '{{ attempt > 0 }}',
  '{{ false }}',
  // cannot be evaluated while it is 0, which an agent may change
  '{{ 1 / state.n > 0 }}',
  '{{ state.n == 1 }}',
];

const NAMES = ['a', 'b', 'c', 'd', 'e'];

interface Shape {
  readonly random: Random;
  readonly children: readonly string[];
  readonly isChild: boolean;
  readonly mayLoop: boolean;
}

export function drawFiles(random: Random): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  const children: string[] = [];
  if (random.chance(0.35)) {
    if (random.chance(0.3)) {
      files['leaf.yaml'] = JSON.stringify(
        drawFile({ random, children: [], isChild: true, mayLoop: false }),
      );
      children.push('./leaf.yaml');
    }
    files['child.yaml'] = JSON.stringify(
      drawFile({ random, children: [...children], isChild: true, mayLoop: random.chance(0.2) }),
    );
    children.push('./child.yaml');
  }
  const main = drawFile({ random, children, isChild: false, mayLoop: random.chance(0.3) });
  return { ...files, 'main.yaml': JSON.stringify(main) };
}

function drawFile(shape: Shape): Fields {
  const { random, isChild, mayLoop } = shape;
  const count = isChild ? 1 + random.int(2) : 1 + random.int(NAMES.length);
  const names = NAMES.slice(0, count);
  const nodes = names.map((name, index) => drawNode(shape, names, index, name));
  const groups = drawGroups(shape, names);
  const hasGroup = groups !== undefined && random.chance(0.8);
  return {
    workflow: {
      name: 't',
      entry_point: hasGroup ? 'g' : 'a',
      state: { n: { type: 'number', default: 0 } },
      limits: {
        ...(mayLoop ? { max_iterations: 1 + random.int(5) } : {}),
        ...(random.chance(0.2) ? { max_retries: random.int(4) } : {}),
      },
      // a child without one has that of its caller
      ...(isChild && random.chance(0.6) ? {} : { runtime: { default_model: drawChain(random) } }),
      ...(random.chance(0.5)
        ? { on_error: drawErrorRoutes(shape, mayLoop ? names : names.slice(-1), 2) }
        : {}),
    },
    nodes,
    ...groups,
  };
}

function drawGroups(shape: Shape, names: readonly string[]): Fields | undefined {
  const { random } = shape;
  if (!random.chance(0.35)) return undefined;
  const routes = [{ to: '$end' }, ...drawErrorRoutes({ ...shape, mayLoop: false }, ['$end'], 2)];
  const how = random.pick(['fail_fast', 'continue_on_error', 'all_or_nothing', 'quorum']);
  const mode = { failure_mode: how, ...(how === 'quorum' ? { quorum: 1 } : {}) };
  if (random.chance(0.75))
    return {
      parallel: [{ name: 'g', agents: names.slice(0, 1 + random.int(2)), ...mode, routes }],
    };
  const member = drawBody(shape, [], 'm');
  return {
    for_each: [
      {
        name: 'g',
        source: '{{ [1, 2] }}',
        as: 'item',
        agent: { name: 'm', ...member },
        ...mode,
        routes,
      },
    ],
  };
}

function drawNode(shape: Shape, names: readonly string[], index: number, name: string): Fields {
  const { mayLoop } = shape;
  const onward = [...(mayLoop ? names : names.slice(index + 1)), '$end'];
  const body = drawBody(shape, names.slice(index + 1), name);
  if (body['type'] === 'terminate') return { name, ...body };
  const routes = drawRoutes(shape, onward, body);
  return { name, ...body, ...(routes.length === 0 ? {} : { routes }) };
}

function drawRoutes(shape: Shape, onward: readonly string[], body: Fields): Fields[] {
  const { random } = shape;
  const errors = drawErrorRoutes(shape, onward, 3, body['raises'] as string[] | undefined);
  const guarded = random.chance(0.4)
    ? [{ to: random.pick(onward), when: random.pick(GUARDS) }]
    : [];
  const sure = guarded.length > 0 && random.chance(0.4) ? [] : [{ to: random.pick(onward) }];
  return [...guarded, ...sure, ...errors];
}

function drawErrorRoutes(
  shape: Shape,
  targets: readonly string[],
  most: number,
  raises?: readonly string[],
): Fields[] {
  const { random } = shape;
  const routes: Fields[] = [];
  for (let left = random.int(most + 1); left > 0; left--) {
    const isLast = left === 1;
    const onError = drawOnError(random, isLast, raises);
    const isSure = onError === true;
    const when = !isSure && random.chance(0.15) ? { when: random.pick(GUARDS) } : {};
    routes.push({ on_error: onError, ...drawMove(shape, targets), ...when });
  }
  // routed by name, so that one call is one request
  if (random.chance(0.5)) {
    const taken = random.chance(0.5) ? TRANSIENT : TRANSIENT.slice(0, 1);
    routes.unshift({ on_error: taken, ...drawMove(shape, targets) });
  }
  return routes;
}

function drawOnError(
  random: Random,
  mayBeTrue: boolean,
  raises: readonly string[] | undefined,
): true | string | string[] {
  if (mayBeTrue && random.chance(0.3)) return true;
  const kinds = ROUTE_KINDS.filter(
    (kind) => raises === undefined || kind !== 'order.missing' || raises.includes(kind),
  );
  const kind = random.pick(kinds);
  return random.chance(0.2) ? [kind, random.pick(kinds)] : kind;
}

function drawMove({ random, isChild }: Shape, targets: readonly string[]): Fields {
  const draw = random.int(20);
  if (draw < 11) return { retry: { max: 1 + random.int(3), backoff: 'none' } };
  if (draw < 15) return { to: random.pick(targets) };
  if (draw < 17) return { park: { for: '1m', max: 1 + random.int(2) } };
  if (draw === 17) return { ask: { options: ['edit', 'skip', 'abort'], timeout: '1h' } };
  if (draw === 18) return isChild ? { propagate: true } : { to: random.pick(targets) };
  return random.chance(0.9) ? { retry: { max: 1 } } : { halt: { message: 'no' } };
}

function drawChain(random: Random): unknown {
  const models = ['sim/x', 'sim/y', 'openai/gpt-5'];
  const first = random.pick(models);
  if (random.chance(0.7)) return first;
  const on = random.pick<unknown>(['any', ['provider.context_length'], 'nothing']);
  const second = random.pick(models);
  return [first, on === 'nothing' ? second : { model: second, on }];
}

function drawBody(shape: Shape, later: readonly string[], name: string): Fields {
  const { random, children } = shape;
  const draw = random.int(20);
  if (draw < 9) return drawAgent(random);
  if (draw < 11 && later.length > 0)
    return {
      type: 'supervisor',
      prompt: 'Hi',
      manages: later.slice(0, 1 + random.int(2)),
      max_rounds: 1 + random.int(2),
      ...(random.chance(0.5) ? { model: drawChain(random) } : {}),
      ...(random.chance(0.3) ? { timeout_seconds: 500 } : {}),
    };
  if (draw < 13 && children.length > 0)
    return {
      type: 'workflow',
      workflow: random.pick(children),
      ...(random.chance(0.4) ? { timeout_seconds: 500 } : {}),
    };
  const timeout = random.chance(0.5) ? { timeout_seconds: 5 } : {};
  const work = { idempotent: random.chance(0.5), ...timeout, ...drawAssert(random) };
  switch (random.int(9)) {
    case 0:
      return { type: 'script', command: 'x', ...work };
    case 1:
      return { type: 'call', function: 'act', arguments: {}, ...work };
    case 2:
      return { type: 'tool', tool: 'look', arguments: {}, ...work };
    case 3:
      return { type: 'transform', code: '1', arguments: {}, ...drawAssert(random) };
    case 4:
      return { type: 'wait', duration: '1s' };
    case 5:
      return {
        type: 'human_gate',
        prompt: 'Go on?',
        options: [
          { label: 'Yes', value: 'yes' },
          { label: 'No', value: 'no', ...(later[0] === undefined ? {} : { route: later[0] }) },
        ],
        timeout: '1h',
      };
    case 6:
      return name === 'a' || name === 'm'
        ? { type: 'set', value: 1 }
        : {
            type: 'terminate',
            status: random.pick(['success', 'failed']),
            reason: '{{ 1 / state.n }}',
          };
    default:
      return { type: 'set', value: '{{ 1 / (state.n + 1) }}', state: { n: random.int(2) } };
  }
}

function drawAssert(random: Random): Fields {
  if (!random.chance(0.3)) return {};
  return {
    assert: [
      {
        that: random.pick(GUARDS.slice(2)),
        ...(random.chance(0.5) ? { raise: 'order.missing' } : {}),
      },
    ],
  };
}

function drawAgent(random: Random): Fields {
  const tools = random.pick<unknown>([[], [], ['look'], ['pay'], null, 'unset']);
  return {
    prompt: 'Hi',
    ...(tools === 'unset' ? {} : { tools }),
    ...(random.chance(0.6) ? { model: drawChain(random) } : {}),
    ...(random.chance(0.85) ? { max_turns: 1 + random.int(3) } : {}),
    ...(random.chance(0.3) ? { writes: ['n'] } : {}),
    ...(random.chance(0.3) ? { raises: ['order.missing'] } : {}),
    ...(random.chance(0.3) ? { output: { n: { type: 'number' } } } : {}),
    ...(random.chance(0.3) ? { timeout_seconds: 500 } : {}),
    ...(random.chance(0.3) ? { on_partial: random.pick(['restart', 'keep_partial']) } : {}),
    ...(random.chance(0.2) ? { policy: { deny: ['look'] } } : {}),
    ...(random.chance(0.1) ? { policy: { ask: ['look', 'pay'] } } : {}),
    ...drawAssert(random),
  };
}
