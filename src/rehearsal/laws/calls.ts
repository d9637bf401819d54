/** The tool calls of agents in one run: a fold over its log, done once. */
import { evolve } from '../../machine/evolve/evolve.ts';
import type { ToolCall } from '../../machine/conversation/model-message.ts';
import { newRunState, type RunState } from '../../machine/state/state.ts';
import type { AgentPlan } from '../../workflow/plan/node-plan.ts';
import { NOTHING, type Spent } from './model-requests.ts';
import { isType, nodeAt, type EventOf, type Subject } from './subject.ts';

export interface AskedCall {
  readonly path: string;
  readonly node: AgentPlan;
  readonly call: ToolCall;
  /** Key of its effect. */
  readonly key: string;
  /** Which reply of its conversation requested it, from 1, and its index in that reply, from 0. */
  readonly turn: number;
  readonly index: number;
  /** Number of the event with that reply, and of the start of its attempt. */
  readonly answerSeq: number;
  readonly trySeq: number;
  /** Number of the event with which a conversation begins anew, or another visit. */
  untilSeq: number;
}

type Effect = EventOf<'effect:requested' | 'effect:succeeded' | 'effect:failed'>;

export interface Calls {
  /** In the order of the answers. */
  readonly all: readonly AskedCall[];
  /** By the key of the effect; an attempt that is repeated may have the same calls. */
  readonly byKey: ReadonlyMap<string, readonly AskedCall[]>;
  /** Events of tools by the key of the effect. */
  readonly effects: ReadonlyMap<string, readonly Effect[]>;
  /** The amount that budgets count as spent at the end. */
  readonly spent: Spent;
}

const NONE: Calls = { all: [], byKey: new Map(), effects: new Map(), spent: NOTHING };
const KNOWN = new WeakMap<object, Calls>();

export function callsOf(subject: Subject): Calls {
  const known = KNOWN.get(subject);
  if (known !== undefined) return known;
  const hasModels = subject.events.some(
    (event) => event.type === 'effect:requested' && event.effect.type === 'model',
  );
  const found = hasModels ? fold(subject) : NONE;
  KNOWN.set(subject, found);
  return found;
}

function fold({ run, plan, events }: Subject): Calls {
  const state = newRunState(run, plan);
  const all: AskedCall[] = [];
  const effects = new Map<string, Effect[]>();
  const tries = new Map<string, number>();
  for (const event of events) {
    const { seq, run: _run, at, ...body } = event;
    evolve(state, body, Date.parse(at));
    if (event.type === 'node:started') {
      if (!isContinued(state, event.path))
        for (const call of all)
          if (call.path === event.path) call.untilSeq = Math.min(call.untilSeq, seq);
      tries.set(event.path, seq);
    }
    if (!isType(event, 'effect:requested', 'effect:succeeded', 'effect:failed')) continue;
    const { key, type } = event.effect;
    if (type === 'tool') effects.set(key, [...(effects.get(key) ?? []), event]);
    const node = nodeAt(plan, event.path)?.node;
    if (type !== 'model' || event.type !== 'effect:succeeded' || node?.type !== 'agent') continue;
    const { path } = event;
    const trySeq = tries.get(path) ?? 0;
    all.push(...callsAt(state, { path, node, answerSeq: seq, trySeq, untilSeq: Infinity }));
  }
  const byKey = Map.groupBy(all, ({ key }) => key);
  return { all, byKey, effects, spent: state.scopes.get('')?.spent ?? NOTHING };
}

/** Whether the attempt that has just begun continues the conversation of the one before. */
function isContinued({ scopes }: RunState, path: string): boolean {
  return [...scopes.values()].some(
    ({ visit }) => visit?.path === path && visit.conversation !== undefined,
  );
}

function callsAt(
  { scopes }: RunState,
  where: Omit<AskedCall, 'call' | 'key' | 'turn' | 'index'>,
): readonly AskedCall[] {
  for (const { visit } of scopes.values()) {
    if (visit?.path !== where.path || visit.conversation === undefined) continue;
    const { calls, turns: turn } = visit.conversation;
    return calls.map(({ call, key }, index) => ({ ...where, call, key, turn, index }));
  }
  return [];
}

/** The call that an effect of a tool was made for. */
export function callAt(subject: Subject, key: string, beforeSeq: number): AskedCall | undefined {
  return callsOf(subject)
    .byKey.get(key)
    ?.findLast(({ answerSeq }) => answerSeq <= beforeSeq);
}

/** `a/pay#1.2`, or `a/pay#2:1.2` in a later conversation of the same node. */
export function isGateOf(gate: string, { turn, index }: AskedCall): boolean {
  const place = gate.slice(gate.lastIndexOf('#') + 1).replace(/^\d+:/, '');
  return gate.includes('#') && place === `${turn}.${index + 1}`;
}

/** The status of a call by then, in its conversation. */
export function settledBy(
  subject: Subject,
  { key, answerSeq, untilSeq }: AskedCall,
  bySeq = Infinity,
): EventOf<'effect:succeeded' | 'effect:failed'> | undefined {
  const found = callsOf(subject)
    .effects.get(key)
    ?.findLast(({ seq }) => seq > answerSeq && seq <= bySeq && seq < untilSeq);
  return found === undefined || found.type === 'effect:requested' ? undefined : found;
}
