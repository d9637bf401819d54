/**
 * The kinds that a node can fail with: those of its type, its declarations, its assertions, its routes
 * and its children. Runtime kinds that no route can handle are left out. Warnings rely on this list being
 * complete, except where `mayRaise` is set.
 */
import { RUNTIME_KINDS, type RuntimeKind } from '../../errors/catalog/catalog.ts';
import { TRANSIENT_KINDS } from '../plan/attempt-bound.ts';
import type { FilePlan } from '../plan/plan.ts';
import { isTemplate } from '../plan/model-names.ts';
import type { AgentPlan, NodePlan, ScriptPlan, SupervisorPlan } from '../plan/node-plan.ts';
import type { Route } from '../plan/route-plan.ts';
import { isNamed } from './routing.ts';
import { templatesCanFail } from './template-failure.ts';
import type { Parse } from './template-sites.ts';

/** The kinds that a child propagates, by its file. */
export type Escaping = (file: string) => readonly string[];

/** Failures of a model call that no schedule retries. */
const MODEL_KINDS: readonly RuntimeKind[] = [
  'provider.exhausted',
  'provider.auth',
  'provider.permission',
  'provider.not_configured',
  'provider.model_not_found',
  'provider.invalid_request',
  'provider.tool_schema',
  'provider.context_length',
  'provider.request_too_large',
  'provider.content_filter',
  'provider.truncated',
  'provider.unsupported',
  'provider.quota_exhausted',
  'provider.unknown',
  'provider.capability_missing',
  'provider.stream_interrupted',
  'provider.outcome_unknown',
];

const TOOL_KINDS: readonly RuntimeKind[] = [
  'tool.failed',
  'tool.timeout',
  'tool.busy',
  'tool.denied',
  'tool.input_invalid',
  'tool.output_malformed',
  'tool.not_found',
  'tool.forbidden',
  'tool.unavailable',
  'mcp.unreachable',
  'mcp.tool_failed',
  'breaker.open',
];

/** Kinds that the classifier can give to anything that an SDK throws. */
const THROWN_BY_SDKS: readonly RuntimeKind[] = RUNTIME_KINDS.filter(
  (kind) =>
    kind.startsWith('provider.') &&
    kind !== 'provider.exhausted' &&
    kind !== 'provider.capability_missing',
);

export function kindsOf(
  node: NodePlan,
  plan: FilePlan,
  escaping: Escaping,
  parse?: Parse,
): readonly string[] {
  const all = new Set<string>([
    ...byType(node, plan, escaping),
    ...(templatesCanFail(node, plan, parse) ? ['validation.template'] : []),
    ...(node.raises ?? []),
    ...(node.assert.length === 0 ? [] : ['validation.template']),
    ...node.assert.map(({ raise }) => raise),
  ]);
  for (const kind of routeKinds(node, plan, all.size > 0)) all.add(kind);
  return [...all].sort();
}

/** Kinds that the routes themselves can raise, whatever the node did. */
function routeKinds(node: NodePlan, { onError }: FilePlan, canFail: boolean): readonly string[] {
  const success = node.routes.filter((route) => route.onError === undefined);
  // a gate whose options all have a route never uses its table
  const isChosen =
    node.type === 'human_gate' && node.options.every(({ route }) => route !== undefined);
  const isSure = success.length === 0 || success.some(({ when }) => when === undefined);
  const kinds = isSure || isChosen || node.type === 'terminate' ? [] : ['route.no_match'];
  const isEvaluated =
    node.routes.some(canBreak) || ((canFail || kinds.length > 0) && onError.some(canBreak));
  return isEvaluated ? [...kinds, 'route.guard_failed'] : kinds;
}

/** A guard that cannot be evaluated, or the message of a halt. */
function canBreak({ when, move }: Route): boolean {
  if (when !== undefined) return true;
  return move.type === 'halt' && move.message !== undefined && isTemplate(move.message);
}

function byType(node: NodePlan, plan: FilePlan, escaping: Escaping): readonly string[] {
  switch (node.type) {
    case 'agent':
      return agentKinds(node, plan);
    case 'supervisor':
      return [...talkKinds(node, plan), 'supervisor.routing'];
    case 'call':
      return ['call.failed', ...thrownKinds(node), ...effectKinds(node)];
    case 'tool':
      return [
        ...TOOL_KINDS,
        ...thrownKinds(node),
        ...effectKinds(node),
        ...(node.keepsTruncated === true ? [] : ['internal.output_too_large']),
      ];
    case 'script':
      return scriptKinds(node);
    case 'transform':
      return [
        'sandbox.syntax',
        'sandbox.runtime',
        'sandbox.memory',
        'sandbox.result',
        'sandbox.timeout',
        ...(node.outputSchema === undefined ? [] : ['internal.schema_violation']),
      ];
    case 'set':
    case 'terminate':
      return [];
    case 'wait':
      return timeoutKind(node);
    case 'human_gate':
      return [
        'gate.no_one_to_ask',
        ...(node.expiresMs === undefined || node.default !== undefined ? [] : ['gate.expired']),
        ...(node.questions?.source === undefined ? [] : ['validation.input']),
      ];
    case 'workflow':
      return [...escaping(node.workflow), 'validation.input', ...timeoutKind(node)];
    case 'parallel':
      return [groupKind(node), ...timeoutKind(node)];
    case 'for_each':
      return [groupKind(node), 'validation.input', ...timeoutKind(node)];
  }
}

function groupKind({
  failureMode,
}: Extract<NodePlan, { type: 'parallel' | 'for_each' }>): RuntimeKind {
  return failureMode === 'quorum' ? 'group.quorum' : 'group.failed';
}

function timeoutKind({ timeoutMs }: NodePlan): readonly string[] {
  return timeoutMs === undefined ? [] : ['limit.node_timeout'];
}

/** Kinds of any node that calls a model. */
function talkKinds(node: AgentPlan | SupervisorPlan, plan: FilePlan): readonly string[] {
  return [
    ...modelKinds(node, plan),
    'agent.output_invalid',
    'internal.envelope_invalid',
    'limit.turns',
    ...(node.budget === undefined ? [] : ['limit.budget']),
    ...timeoutKind(node),
  ];
}

function agentKinds(node: AgentPlan, plan: FilePlan): readonly string[] {
  return [
    ...talkKinds(node, plan),
    ...(node.validator === undefined ? [] : ['agent.output_rejected']),
    // a model may also call a tool that was not offered
    'agent.permission_denied',
    'tool.forbidden',
    ...(node.images === undefined ? [] : ['validation.input']),
    ...(node.tools !== null && node.tools.length === 0
      ? []
      : ['tool.denied', 'effect.outcome_unknown']),
  ];
}

function scriptKinds(node: ScriptPlan): readonly string[] {
  return [
    'internal.script_error',
    'internal.script_unspawnable',
    ...(node.keepsTruncated === true ? [] : ['internal.output_too_large']),
    'internal.envelope_invalid',
    ...(node.timeoutMs === undefined ? [] : ['internal.script_timeout']),
    ...(node.outputSchema === undefined ? [] : ['internal.schema_violation']),
    ...(node.hasBreaker === true ? ['breaker.open'] : []),
    ...(node.isIdempotent ? [] : ['effect.outcome_unknown']),
  ];
}

/** A transient kind ends the node under its own name only where a route names it. */
function modelKinds(node: NodePlan, plan: FilePlan): readonly string[] {
  const routes = [...node.routes, ...plan.onError];
  return [
    ...MODEL_KINDS,
    ...TRANSIENT_KINDS.filter((kind) => routes.some((route) => isNamed(route, kind))),
  ];
}

/** A function or tool may throw anything that its SDKs throw, unless the node declares what it raises. */
function thrownKinds({ raises }: NodePlan): readonly string[] {
  return raises === undefined ? THROWN_BY_SDKS : [];
}

function effectKinds(node: Extract<NodePlan, { type: 'call' | 'tool' }>): readonly string[] {
  return [
    ...timeoutKind(node),
    ...(node.outputSchema === undefined ? [] : ['internal.schema_violation']),
    ...(node.hasBreaker === true ? ['breaker.open'] : []),
    ...(node.isIdempotent ? [] : ['effect.outcome_unknown']),
  ];
}
