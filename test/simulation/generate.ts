/**
 * Workflows of every shape that the machine knows, generated from a seed; as JSON, which is YAML.
 */
import { randomFrom, type Random } from '../../src/rehearsal/world/random.ts';
import {
  agent,
  AGENT_KINDS,
  budgetLimits,
  runtime,
  SUPERVISOR_KINDS,
  supervisor,
  TOOL_KINDS,
  toolNode,
} from './generate-agents.ts';
import { withLaterKeys } from './later-keys.ts';
import { AUTHOR_KINDS, SECRET, type Fields, type Shape } from './shape.ts';

/** Texts by file name; `main.yaml` is the one to run. */
export type Files = Readonly<Record<string, string>>;

interface Content {
  readonly workflow: Fields;
  readonly nodes: readonly Fields[];
  readonly parallel?: readonly Fields[];
  readonly for_each?: readonly Fields[];
  readonly output?: Fields;
}

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
/**
 * Some plans give the same result however long anything takes: only those can be compared across
 * crashes.
 */
export function generate(seed: number): { readonly files: Files; readonly isTimeless: boolean } {
  const random = randomFrom('workflow', seed);
  const isTimeless = random.chance(0.3);
  const grandchild = file('grandchild', { random, children: [], isChild: true, isTimeless });
  const child = file('child', {
    random,
    children: random.chance(0.5) ? ['grandchild'] : [],
    isChild: true,
    isTimeless,
  });
  const main = file('main', { random, children: ['child'], isChild: false, isTimeless });
  // drawn separately, so that older seeds keep their shapes
  const checks = randomFrom('checks', seed);
  const later = randomFrom('later keys', seed);
  const texts = { 'main.yaml': main, 'child.yaml': child, 'grandchild.yaml': grandchild };
  const files = Object.entries(texts).map(([name, content]) => [
    name,
    JSON.stringify(withLaterKeys(withFailingCheck(content, checks), later, isTimeless), null, 1),
  ]);
  return { files: Object.fromEntries(files) as Files, isTimeless };
}

/**
 * In one of eight files a part that only reads a result fails: a guard, a route, an assertion, an
 * output.
 */
function withFailingCheck(content: Content, random: Random): Content {
  if (!random.chance(1 / 8)) return content;
  const groups = [...(content.parallel ?? []), ...(content.for_each ?? [])];
  const routed = [...content.nodes, ...groups].filter((each) => 'routes' in each);
  const broken = routed.length === 0 ? undefined : random.pick(routed);
  if (broken === undefined || random.chance(0.25))
    return { ...content, output: { total: '{{ state.total.missing }}' } };
  const mend = random.pick([withBadGuard, withoutMatch, withBadAssertion]);
  const replace = (each: Fields): Fields => (each === broken ? mend(each) : each);
  return {
    ...content,
    nodes: content.nodes.map(replace),
    ...(content.parallel === undefined ? {} : { parallel: content.parallel.map(replace) }),
    ...(content.for_each === undefined ? {} : { for_each: content.for_each.map(replace) }),
  };
}

function withBadGuard(each: Fields): Fields {
  // the checks refuse a field that they know to be missing, and cannot know the name of this one
  return {
    ...each,
    routes: [{ to: '$end', when: '{{ output[workflow.name].field }}' }, ...routesOf(each)],
  };
}

function withoutMatch(each: Fields): Fields {
  const routes = routesOf(each).map((route) =>
    'on_error' in route ? route : { ...route, when: '{{ false }}' },
  );
  return { ...each, routes };
}

function withBadAssertion(each: Fields): Fields {
  // its routes may name the kinds that the others raise
  const others = (each['assert'] ?? []) as readonly Fields[];
  return { ...each, assert: [{ that: '{{ false }}' }, ...others] };
}

function routesOf(each: Fields): readonly Fields[] {
  return each['routes'] as readonly Fields[];
}

function file(
  name: string,
  given: Pick<Shape, 'random' | 'children' | 'isChild' | 'isTimeless'>,
): Content {
  const { random, isChild, isTimeless } = given;
  const names = NAMES.slice(0, 1 + random.int(isChild ? 2 : 5));
  const hasAgents = random.chance(0.5);
  const shape: Shape = { ...given, names, hasAgents, mayLoop: random.chance(0.2) };
  const groups = random.chance(isChild ? 0.2 : 0.4) ? groupsOf(shape) : {};
  const groupNames = Object.values(groups).flatMap((list) => list.map(({ name: each }) => each));
  const nodes = names.map((each, index) => node(each, index, shape));
  return {
    workflow: {
      name,
      entry_point: groupNames[0] ?? 'a',
      input: { items: { type: 'array', default: [1, 2, 3] } },
      ...limits(shape),
      ...runtime(shape),
      state: { total: { type: 'number', merge: 'sum' }, tags: { type: 'array', merge: 'append' } },
      ...(random.chance(0.25) ? { on_error: errorRoutes(shape, [], { isTable: true }) } : {}),
    },
    nodes,
    ...groups,
    ...(random.chance(0.3) && !isTimeless ? { output: { total: '{{ state.total }}' } } : {}),
  };
}

function limits(shape: Shape): Fields {
  const { random, mayLoop, isTimeless, isChild } = shape;
  const drawn = {
    ...(mayLoop ? { max_iterations: 2 + random.int(6) } : {}),
    ...(random.chance(0.15) && !isTimeless
      ? { timeout_seconds: random.pick([1, 30, 300, 4000]) }
      : {}),
    ...(random.chance(0.15) && !isChild && !isTimeless ? { max_retries: random.int(4) } : {}),
    ...budgetLimits(shape),
  };
  return Object.keys(drawn).length === 0 ? {} : { limits: drawn };
}

function node(name: string, index: number, shape: Shape): Fields {
  const targets = targetsFrom(index, shape);
  const body = nodeBody(shape, name, targets);
  if (body['type'] === 'terminate') return { name, ...body };
  return { name, ...body, routes: routes(shape, targets, canRaise(body)) };
}

/**
 * Forward only, or anywhere if the file limits its loops; never to a group, because a member that
 * leads to its own group would nest it in itself.
 */
function targetsFrom(index: number, { names, mayLoop }: Shape): readonly string[] {
  return mayLoop ? [...names, '$end'] : [...names.slice(index + 1), '$end'];
}

function nodeBody(shape: Shape, name: string, targets: readonly string[]): Fields {
  const { random, children, isTimeless, hasAgents } = shape;
  const [child] = children;
  // members of a supervisor may not lead back to it, which would nest one round in another
  const managed = shape.mayLoop ? [] : targets.filter((target) => target !== '$end');
  const kinds: (() => Fields)[] = [
    () => script(shape),
    () => script(shape),
    () => script(shape),
    () => call(shape),
    () => call(shape),
    () => ({ type: 'transform', code: '1', arguments: { n: random.int(3) } }),
    () => ({
      type: 'set',
      value: { n: random.int(3) },
      state: random.chance(0.5) ? { total: 1, tags: [name] } : {},
    }),
    () => ({
      type: 'wait',
      duration: random.pick(isTimeless ? ['1s', '5s'] : ['1s', '40s', '3m', '2h']),
    }),
    () => gate(shape),
    ...(child === undefined
      ? []
      : [
          () => ({ type: 'workflow', workflow: `./${child}.yaml`, ...timed(shape) }),
          () => ({ type: 'workflow', workflow: `./${child}.yaml`, ...timed(shape) }),
        ]),
    ...(random.chance(0.3) && !isTimeless ? [() => terminate(shape)] : []),
    ...(hasAgents ? Array.from({ length: 5 }, () => () => agent(shape, name)) : []),
    ...(hasAgents ? [() => toolNode(shape), () => toolNode(shape)] : []),
    ...(hasAgents && managed.length > 0
      ? [() => supervisor(shape, managed), () => supervisor(shape, managed)]
      : []),
  ];
  return random.pick(kinds)();
}

/** A time limit that the work inside may or may not meet. */
function timed({ random, isTimeless }: Shape): Fields {
  return random.chance(0.3) && !isTimeless ? { timeout_seconds: random.pick([1, 5, 20]) } : {};
}

function script({ random, isTimeless }: Shape): Fields {
  return {
    type: 'script',
    command: 'x',
    ...(random.chance(0.3) ? { args: ['{{ workflow.input.items | default([]) | length }}'] } : {}),
    ...(random.chance(0.5) ? { idempotent: true } : {}),
    ...(random.chance(0.5)
      ? { timeout_seconds: isTimeless ? 86_400 : random.pick([1, 10, 60]) }
      : {}),
    ...declared(random),
    ...(random.chance(0.2) ? { output: { n: { type: 'number' } } } : {}),
  };
}

function call({ random, isTimeless }: Shape): Fields {
  return {
    type: 'call',
    function: 'f',
    arguments: { n: random.int(3) },
    ...(random.chance(0.5) ? { idempotent: true } : {}),
    ...(random.chance(0.4)
      ? { timeout_seconds: isTimeless ? 86_400 : random.pick([1, 10, 60]) }
      : {}),
    ...declared(random),
  };
}

function declared(random: Random): Fields {
  return {
    ...(random.chance(0.3) ? { raises: ['order.missing', 'stock.empty'] } : {}),
    ...(random.chance(0.2)
      ? {
          assert: [
            { that: '{{ output.n > 0 }}', raise: 'order.small', message: `Too small, ${SECRET}` },
          ],
        }
      : {}),
  };
}

function gate({ random, isTimeless }: Shape): Fields {
  const expires = random.chance(0.5) && !isTimeless;
  return {
    type: 'human_gate',
    prompt: 'Go on?',
    options: [
      { label: 'Yes', value: 'yes', ...(random.chance(0.2) ? { route: '$end' } : {}) },
      { label: 'No', value: 'no' },
    ],
    ...(expires ? { timeout: random.pick(['30s', '10m', '1d']) } : {}),
    ...(expires && random.chance(0.5) ? { default: 'no' } : {}),
  };
}

function terminate({ random }: Shape): Fields {
  return random.chance(0.5)
    ? { type: 'terminate', status: 'success', output_template: { done: true } }
    : { type: 'terminate', status: 'failed', reason: `Enough, ${SECRET}` };
}

/** Groups in groups: the second and the third may be members of the first. */
function groupsOf(shape: Shape): Record<string, { name: string }[]> {
  const { random, names } = shape;
  const each = { name: 'each', ...forEach(shape), ...groupFields(shape, 3) };
  const inner = {
    name: 'inner',
    agents: names.slice(0, 2),
    ...groupFields(shape, names.slice(0, 2).length),
  };
  const hasEach = random.chance(0.6);
  const hasInner = names.length > 2 && random.chance(0.4);
  const members = [
    ...names.slice(hasInner ? 2 : 0, 3),
    ...(hasEach ? ['each'] : []),
    ...(hasInner ? ['inner'] : []),
  ];
  if (!random.chance(0.75) || members.length === 0) return { for_each: [each] };
  const outer = { name: 'outer', agents: members, ...groupFields(shape, members.length) };
  return {
    parallel: [outer, ...(hasInner ? [inner] : [])],
    ...(hasEach ? { for_each: [each] } : {}),
  };
}

/** A user may choose any id for a ticket. */
const HOSTILE_KEYS = ['7]/one[y', '%5B', '#budget', '\u001b[2J\n▪ done', '../..'];

/**
 * A group in each member of a group, where a key that forges a path would be taken for another
 * member.
 */
function hostileForEach(shape: Shape): Fields {
  const { random } = shape;
  // the second is part of a path of the first
  const keys = ['7', '7]/one[x', random.pick(HOSTILE_KEYS)];
  return {
    source: `{{ ${JSON.stringify(random.chance(0.5) ? keys : keys.toReversed())} }}`,
    as: 'item',
    key_by: 'item',
    agent: {
      name: 'one',
      type: 'for_each',
      source: '{{ ["x", "y"] }}',
      as: 'part',
      key_by: 'part',
      failure_mode: random.pick(
        shape.isTimeless ? ['continue_on_error'] : ['fail_fast', 'continue_on_error'],
      ),
      agent: { name: 'two', ...nodeBody({ ...shape, mayLoop: false }, 'two', []) },
    },
  };
}

function forEach(shape: Shape): Fields {
  const { random } = shape;
  if (random.chance(0.2)) return hostileForEach(shape);
  const body = nodeBody({ ...shape, mayLoop: false }, 'one', []);
  return {
    source: random.pick(['workflow.input.items', '{{ [1, 2] }}', '{{ [] }}', '{{ [7, 8, 9] }}']),
    as: 'item',
    ...(random.chance(0.3) ? { key_by: 'item' } : {}),
    agent: {
      name: 'one',
      ...body,
      ...(body['type'] === 'terminate' ? {} : { routes: routes(shape, ['$end'], canRaise(body)) }),
    },
  };
}

function groupFields(shape: Shape, size: number): Fields {
  const { random, isTimeless } = shape;
  const mode = random.pick(
    isTimeless
      ? ['continue_on_error', 'all_or_nothing']
      : ['fail_fast', 'continue_on_error', 'all_or_nothing', 'quorum'],
  );
  return {
    failure_mode: mode,
    ...(mode === 'quorum' ? { quorum: 1 + random.int(Math.max(1, size)) } : {}),
    ...(random.chance(0.4) ? { max_concurrent: 1 + random.int(3) } : {}),
    routes: [
      { to: random.pick(['$end', '$end', shape.names.at(-1) ?? '$end']) },
      ...(random.chance(0.4)
        ? [{ on_error: mode === 'quorum' ? 'group.quorum' : 'group.failed', retry: retry(shape) }]
        : []),
      ...(random.chance(0.3) ? [{ on_error: true, to: '$end' }] : []),
    ],
  };
}

/** The kinds that a route of this node may name. */
function canRaise(body: Fields): readonly string[] {
  const asserted = body['assert'] === undefined ? [] : ['order.small'];
  const inDoubt = body['idempotent'] === true ? [] : ['effect.outcome_unknown'];
  const own = (body['raises'] as readonly string[] | undefined) ?? AUTHOR_KINDS;
  switch (body['type']) {
    case 'script':
      return ['internal.script_error', ...own, ...asserted, ...inDoubt];
    case 'call':
      return ['call.failed', ...own, ...asserted, ...inDoubt];
    case 'transform':
      return ['sandbox.runtime', 'sandbox.timeout'];
    case 'agent':
      return [
        ...AGENT_KINDS,
        ...own,
        ...asserted,
        ...(body['tools'] === null || (body['tools'] as unknown[]).length > 0 ? inDoubt : []),
      ];
    case 'tool':
      return [...TOOL_KINDS, ...own, ...inDoubt];
    case 'supervisor':
      return SUPERVISOR_KINDS;
    case 'workflow':
      return body['timeout_seconds'] === undefined
        ? AUTHOR_KINDS
        : [...AUTHOR_KINDS, 'limit.node_timeout', 'limit.node_timeout'];
    case 'human_gate':
      return body['timeout'] !== undefined && body['default'] === undefined
        ? ['gate.expired', 'gate.no_one_to_ask']
        : ['gate.no_one_to_ask'];
    default:
      return [];
  }
}

function routes(shape: Shape, targets: readonly string[], kinds: readonly string[]): Fields[] {
  const { random } = shape;
  const onward = targets[0] ?? '$end';
  const guarded = random.chance(0.2)
    ? [{ to: random.pick(targets), when: random.pick(['{{ attempt == 0 }}', '{{ false }}']) }]
    : [];
  const to = random.chance(0.7) ? onward : random.pick(targets);
  return [...guarded, { to }, ...errorRoutes(shape, kinds, { targets })];
}

function errorRoutes(
  shape: Shape,
  kinds: readonly string[],
  { targets = ['$end'], isTable = false }: { targets?: readonly string[]; isTable?: boolean },
): Fields[] {
  const { random, isChild } = shape;
  const named = kinds.length === 0 ? [] : [random.pick(kinds), random.pick(kinds)];
  const moves: Fields[] = [];
  for (const on_error of new Set(named)) {
    if (random.chance(0.5)) moves.push({ on_error, ...move(shape, targets, { isFinal: false }) });
  }
  if (isTable || (kinds.length > 0 && random.chance(0.5)))
    moves.push({ on_error: true, ...move(shape, targets, { isFinal: true }) });
  return moves.map((each) =>
    isChild && random.chance(0.1) && 'to' in each
      ? { on_error: each['on_error'], propagate: true }
      : each,
  );
}

function move(
  shape: Shape,
  targets: readonly string[],
  { isFinal }: { readonly isFinal: boolean },
): Fields {
  const { random, isTimeless } = shape;
  const draw = random.int(isTimeless ? 7 : 12);
  if (draw < 4) return { retry: retry(shape) };
  if (draw < 6) return { to: random.pick(targets) };
  if (draw < 7) return { ask: ask(shape) };
  if (draw < 8) return { halt: random.chance(0.5) ? true : { message: `Stop, ${SECRET}` } };
  if (draw < 9) return { ask: { ...ask(shape), timeout: random.pick(['20s', '1h']) } };
  if (draw < 11)
    return { park: { for: random.pick(['30s', '15m', '3h']), max: 1 + random.int(2) } };
  return isFinal ? { park: true } : { park: { for: '10s' } };
}

function ask({ random }: Shape): Fields {
  return {
    options: random.pick([
      ['retry', 'abort'],
      ['skip', 'abort'],
      ['retry', 'edit', 'skip', 'abort'],
    ]),
  };
}

function retry({ random }: Shape): Fields {
  return {
    max: 1 + random.int(3),
    backoff: random.pick(['none', 'fixed', 'linear', 'exponential']),
    ...(random.chance(0.3)
      ? { initial_seconds: random.pick([0.1, 5, 200]), max_seconds: 300 }
      : {}),
    ...(random.chance(0.3) ? { jitter: 0 } : {}),
  };
}
