/**
 * A world that always makes the most expensive choice: it fails every effect that still has a
 * retry, continues conversations to their last turn, and ends an attempt with a failure that some
 * route repeats.
 */
import type { JsonValue } from '../../../src/errors/support/safe-json.ts';
import type { ReportDraft } from '../../../src/errors/report/report.ts';
import type { EffectRequest } from '../../../src/machine/decide/effect-request.ts';
import type { ModelReply, ToolCall } from '../../../src/machine/conversation/model-message.ts';
import {
  fileOf,
  nodeOf,
  scopeAndAncestors,
  scopeOf,
  visitOf,
} from '../../../src/machine/state/plan-lookup.ts';
import type { PendingEffect, RunState, Scope } from '../../../src/machine/state/state.ts';
import type { Conversation } from '../../../src/machine/conversation/conversation.ts';
import { takes } from '../../../src/workflow/check/routing.ts';
import { TOOL_CORRECTIONS, SCHEMA_CORRECTIONS } from '../../../src/workflow/plan/plan-limits.ts';
import { isTakenOver, TRANSIENT_KINDS } from '../../../src/workflow/plan/attempt-bound.ts';
import { defaultSchedule } from '../../../src/workflow/plan/attempt-bound.ts';
import type { FilePlan } from '../../../src/workflow/plan/plan.ts';
import { END, type Move } from '../../../src/workflow/plan/route-plan.ts';
import { offeredRoutes } from '../../../src/machine/decide/offered-routes.ts';
import type { NodePlan } from '../../../src/workflow/plan/node-plan.ts';
import type { Random } from '../../../src/rehearsal/world/random.ts';

export type Outcome =
  | { readonly type: 'gives'; readonly output: JsonValue }
  | {
      readonly type: 'fails';
      readonly failure: ReportDraft;
      readonly keptBack?: 'breaker';
      readonly output?: JsonValue;
    };

/** The goal for a node: a failure of this kind, or its success. */
type Goal = string;
const BROKEN = 'provider.stream_interrupted';
const SUCCESS = 'success';

const TRANSIENT = ['provider.rate_limited', 'provider.overloaded', 'provider.network'];

const FATAL = ['provider.auth', 'provider.context_length', 'provider.unknown'];

/** Kinds that each type can fail with by its effects and by its model's replies. */
const BY_MODEL = [
  ...TRANSIENT,
  ...FATAL,
  'provider.exhausted',
  'provider.stream_interrupted',
  'agent.output_invalid',
  'agent.permission_denied',
  'tool.forbidden',
  'tool.denied',
  'effect.outcome_unknown',
  'limit.turns',
  'order.missing',
  'order.late',
  'internal.envelope_invalid',
  'supervisor.routing',
];

const BY_EFFECT: Readonly<Partial<Record<NodePlan['type'], readonly string[]>>> = {
  script: [
    'internal.script_error',
    'order.missing',
    'internal.envelope_invalid',
    'effect.outcome_unknown',
  ],
  call: [
    'call.failed',
    ...TRANSIENT,
    ...FATAL,
    'order.missing',
    'tool.failed',
    'group.failed',
    'limit.turns',
  ],
  tool: ['tool.failed', ...TRANSIENT, ...FATAL, 'order.missing', 'tool.denied', 'gate.expired'],
  transform: ['sandbox.runtime'],
};

export class Player {
  readonly #random: Random;
  /** The probability of the choice that seems most expensive, instead of any choice. */
  readonly #greed: number;
  readonly #goals = new Map<string, Goal>();

  constructor(random: Random, greed: number) {
    this.#random = random;
    this.#greed = greed;
  }

  /** Whether the time of running effects passes before anything answers. */
  letsTimePass(state: RunState): boolean {
    const [pending] = state.effects.values();
    if (pending === undefined) return false;
    const around = [...scopeAndAncestors(state, scopeOf(state, pending.scope))];
    return (
      around.some((scope) => this.#goalOf(state, scope) === 'limit.node_timeout') &&
      this.#random.chance(0.3)
    );
  }

  outcome(state: RunState, pending: PendingEffect, request: EffectRequest): Outcome {
    const scope = scopeOf(state, pending.scope);
    const goal = this.#goalOf(state, scope);
    if (request.work.type === 'model') return this.#model(state, scope, goal);
    const { type } = nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node);
    if (type === 'agent') return this.#tool(goal);
    return !(BY_EFFECT[type] ?? []).includes(goal)
      ? { type: 'gives', output: { n: this.#random.int(2), exit_code: 0 } }
      : fails(goal);
  }

  /** Chosen for each attempt: a kind that a route with runs left takes, else any. */
  #goalOf(state: RunState, scope: Scope): Goal {
    const visit = visitOf(scope);
    const name = `${visit.path} ${visit.number} ${visit.attempt}`;
    const known = this.#goals.get(name);
    if (known !== undefined) return known;
    const file = fileOf(state.plan, scope.file);
    const node = nodeOf(file, visit.node);
    const possible = [
      ...(node.type === 'agent' || node.type === 'supervisor'
        ? BY_MODEL
        : (BY_EFFECT[node.type] ?? [])),
      ...(node.timeoutMs === undefined ? [] : ['limit.node_timeout']),
    ].filter((kind) => kind !== 'effect.outcome_unknown' || !isRepeatable(node));
    const ranked = [SUCCESS, ...possible].map((goal) => ({
      goal,
      rank: rankOf(state, scope, goal),
    }));
    const best = Math.max(...ranked.map(({ rank }) => rank));
    const wanted = ranked.filter(({ rank }) => rank === best).map(({ goal }) => goal);
    const isGreedy = this.#random.chance(this.#greed);
    const goal = this.#random.pick(isGreedy ? wanted : [SUCCESS, SUCCESS, ...possible]);
    this.#goals.set(name, goal);
    return goal;
  }

  #tool(goal: Goal): Outcome {
    if (goal === 'effect.outcome_unknown') return fails(goal);
    return this.#random.chance(0.7) ? { type: 'gives', output: 'ok' } : fails('tool.failed');
  }

  #model(state: RunState, scope: Scope, goal: Goal): Outcome {
    const { conversation: talk, node: name } = visitOf(scope);
    const node = nodeOf(fileOf(state.plan, scope.file), name);
    if (talk === undefined || (node.type !== 'agent' && node.type !== 'supervisor'))
      return says('ok');
    if (this.#random.chance(0.02)) return { ...fails('breaker.open'), keptBack: 'breaker' };
    if (!this.#random.chance(this.#greed)) return this.#anything(node);
    const kept = this.#keepsFailing(fileOf(state.plan, scope.file), node, talk);
    if (kept !== undefined) return kept;
    const goesOn =
      node.type === 'agent' ? this.#nextTurn(node, talk) : this.#nextRound(node, talk, goal);
    return goesOn ?? this.#reach(goal, node);
  }

  /** Whether something in the chain may still be called after it. */
  #keepsFailing(
    plan: FilePlan,
    node: NodePlan,
    { chain, asking }: Conversation,
  ): Outcome | undefined {
    const entry = chain.find(({ model, isSpent }) => model === asking?.model && !isSpent);
    if (entry === undefined) return undefined;
    const isNew = entry.attempts === 0 && entry.refresh === 'none';
    if (isNew && !entry.model.startsWith('sim/') && this.#random.chance(0.5)) return staleKey();
    const scheduled = TRANSIENT_KINDS.filter((kind) => {
      const attempts = defaultSchedule({ kind, category: 'transient' })?.attempts ?? 1;
      return !isTakenOver(plan, node, kind) && entry.attempts + 1 < attempts;
    });
    if (scheduled.length > 0) return fails(this.#random.pick(scheduled));
    const isBroken = node.type === 'agent' && node.onPartial === 'restart' && entry.attempts < 2;
    if (isBroken && !isTakenOver(plan, node, BROKEN))
      return { ...fails(BROKEN), output: { text: 'ha' } };
    const hasOthers = chain.some((each) => each !== entry && !each.isSpent);
    return hasOthers ? fails(this.#random.pick(TRANSIENT)) : undefined;
  }

  #nextTurn(node: Extract<NodePlan, { type: 'agent' }>, talk: Conversation): Outcome | undefined {
    if (talk.turns + 1 >= node.maxTurns) return undefined;
    const calls: ToolCall[] = [];
    if (node.tools === null || node.tools.length > 0)
      calls.push(call(node.tools?.[0] ?? 'look', { at: talk.turns }));
    if (node.writes.length > 0)
      calls.push(call('write_state', { key: 'n', value: this.#random.int(2) }));
    if (calls.length > 0 && this.#random.chance(0.8)) return calling([this.#random.pick(calls)]);
    if (talk.corrections.tools < TOOL_CORRECTIONS)
      return calling([call(this.#random.pick(['nothing', 'look']), { at: talk.turns })]);
    if (node.outputSchema !== undefined && talk.corrections.schema < SCHEMA_CORRECTIONS)
      return says('no JSON');
    return undefined;
  }

  #nextRound(
    node: Extract<NodePlan, { type: 'supervisor' }>,
    talk: Conversation,
    goal: Goal,
  ): Outcome | undefined {
    if (talk.corrections.schema < SCHEMA_CORRECTIONS) return says('no JSON');
    // the last answer serves the goal, which may be to exceed its rounds
    if (talk.rounds.length >= node.maxRounds && goal !== 'limit.turns') return undefined;
    return says(JSON.stringify({ next: this.#random.pick(node.manages), reason: 'x' }));
  }

  #reach(goal: Goal, node: NodePlan): Outcome {
    switch (goal) {
      case SUCCESS:
      case 'limit.node_timeout':
        return node.type === 'supervisor'
          ? says('{"next": "done", "reason": "x"}')
          : says(JSON.stringify({ n: this.#random.int(2) }));
      case 'provider.exhausted':
        return fails('provider.network');
      case 'agent.output_invalid':
      case 'limit.turns':
      case 'supervisor.routing':
        return this.#random.chance(0.5) ? says('no JSON') : calling([call('nothing', {})]);
      case 'agent.permission_denied':
        return calling([call('write_state', { key: 'nobody', value: 1 })]);
      case 'tool.forbidden':
      case 'tool.denied':
        return calling([call('look', {}), call('look', {})]);
      case 'effect.outcome_unknown':
        return calling([call('pay', {})]);
      case 'order.missing':
      case 'order.late':
        return this.#random.chance(0.5)
          ? says(JSON.stringify({ errand_error: true, kind: goal, message: 'x' }))
          : calling([call('raise_error', { kind: goal, message: 'x' })]);
      case 'internal.envelope_invalid':
        return says(JSON.stringify({ errand_error: true, kind: 7 }));
      case 'provider.stream_interrupted':
        return { ...fails(goal), output: { text: 'ha' } };
      default:
        return fails(goal);
    }
  }

  #anything(node: NodePlan): Outcome {
    const goal = this.#random.pick([SUCCESS, ...BY_MODEL]);
    if (node.type === 'supervisor' && this.#random.chance(0.5))
      return says(JSON.stringify({ next: this.#random.pick(node.manages), reason: 'x' }));
    return this.#reach(goal, node);
  }
}

/** 3: the node runs again; 2: the run continues to another; 0: neither. */
function rankOf(state: RunState, scope: Scope, goal: Goal): number {
  const visit = visitOf(scope);
  const file = fileOf(state.plan, scope.file);
  const node = nodeOf(file, visit.node);
  if (goal === SUCCESS) {
    // an assertion, a guard or the lack of a match turns it into a failure
    const broken = [
      ...node.assert.map(({ raise }) => raise),
      ...(node.routes.some(({ when }) => when !== undefined)
        ? ['route.no_match', 'route.guard_failed']
        : []),
    ];
    const onward = node.routes.some(({ onError, move }) => onError === undefined && leadsOn(move));
    return Math.max(onward ? 2 : 0, ...broken.map((kind) => rankOf(state, scope, kind)));
  }
  for (const { route, bucket } of offeredRoutes(file, node, goal)) {
    const { move, index } = route;
    const used = visit.routeUses.get(`${bucket}:${index}`) ?? 0;
    if (!takes(route, goal)) continue;
    if (move.type === 'retry' || move.type === 'park') {
      if (used < (move.max ?? Infinity)) return 3;
      continue;
    }
    return leadsOn(move) ? 2 : 0;
  }
  return 0;
}

function leadsOn(move: Move): boolean {
  return move.type === 'to' && move.to !== END;
}

function isRepeatable(node: NodePlan): boolean {
  return 'isIdempotent' in node && node.isIdempotent;
}

function fails(kind: string): Extract<Outcome, { type: 'fails' }> {
  return { type: 'fails', failure: { kind, message: kind } };
}

/** The key was refused, and its source can make another. */
function staleKey(): Outcome {
  const kind = 'provider.auth';
  return { type: 'fails', failure: { kind, message: kind, details: { refreshable: true } } };
}

function says(text: string): Outcome {
  return gives({ text, toolCalls: [] });
}

function calling(toolCalls: readonly ToolCall[]): Outcome {
  return gives({ text: '', toolCalls: toolCalls.map((each, at) => ({ ...each, id: `c${at}` })) });
}

function gives(answer: ModelReply): Outcome {
  // data of the language, all of it JSON
  return { type: 'gives', output: answer as unknown as JsonValue };
}

function call(name: string, given: Record<string, JsonValue>): ToolCall {
  return { id: 'c', name, arguments: given };
}
