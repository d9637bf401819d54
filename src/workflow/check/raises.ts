/**
 * The closed set of kinds that a node can fail with: what its type brings, what it declares, what its
 * assertions raise, what its children let through. Runtime kinds that nothing can route are left out.
 */
import type { RuntimeKind } from '../../errors/catalog.ts';
import { TRANSIENT_KINDS } from '../attempts.ts';
import type { FilePlan } from '../model.ts';
import type { AgentPlan, NodePlan, ScriptPlan } from '../node-model.ts';
import { isNamed } from './routing.ts';

/** What a child lets through, by its file. */
export type Escaping = (file: string) => readonly string[];

/** Ends of a model call that no schedule retries. */
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

export function kindsOf(node: NodePlan, plan: FilePlan, escaping: Escaping): readonly string[] {
  const all = new Set<string>([
    ...byType(node, plan, escaping),
    ...(node.raises ?? []),
    ...node.assert.map(({ raise }) => raise),
  ]);
  return [...all].sort();
}

function byType(node: NodePlan, plan: FilePlan, escaping: Escaping): readonly string[] {
  switch (node.type) {
    case 'agent':
      return agentKinds(node, plan);
    case 'supervisor':
      return [
        ...modelKinds(node, plan),
        'supervisor.routing',
        'limit.turns',
        'validation.template',
      ];
    case 'call':
      return ['call.failed', ...effectKinds(node)];
    case 'tool':
      return [
        ...TOOL_KINDS,
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
        'validation.template',
        ...(node.outputSchema === undefined ? [] : ['internal.schema_violation']),
      ];
    case 'set':
    case 'wait':
      return ['validation.template'];
    case 'human_gate':
      return [
        'gate.no_one_to_ask',
        'validation.template',
        ...(node.expiresMs === undefined || node.default !== undefined ? [] : ['gate.expired']),
      ];
    case 'workflow':
      return [...escaping(node.workflow), 'validation.input', 'validation.template'];
    case 'terminate':
      return [];
    case 'parallel':
      return [node.failureMode === 'quorum' ? 'group.quorum' : 'group.failed'];
    case 'for_each':
      return [
        node.failureMode === 'quorum' ? 'group.quorum' : 'group.failed',
        'validation.template',
        'validation.input',
      ];
  }
}

function agentKinds(node: AgentPlan, plan: FilePlan): readonly string[] {
  return [
    ...modelKinds(node, plan),
    'agent.output_invalid',
    'internal.envelope_invalid',
    'limit.turns',
    'validation.template',
    ...(node.budget === undefined ? [] : ['limit.budget']),
    ...(node.timeoutMs === undefined ? [] : ['limit.node_timeout']),
    ...(node.writes.length === 0 ? [] : ['agent.permission_denied']),
    ...(node.tools !== null && node.tools.length === 0
      ? []
      : ['tool.forbidden', 'tool.denied', 'effect.outcome_unknown']),
  ];
}

function scriptKinds(node: ScriptPlan): readonly string[] {
  return [
    'internal.script_error',
    'internal.script_unspawnable',
    ...(node.keepsTruncated === true ? [] : ['internal.output_too_large']),
    'internal.envelope_invalid',
    'validation.template',
    ...(node.timeoutMs === undefined ? [] : ['internal.script_timeout']),
    ...(node.outputSchema === undefined ? [] : ['internal.schema_violation']),
    ...(node.hasBreaker === true ? ['breaker.open'] : []),
    ...(node.isIdempotent ? [] : ['effect.outcome_unknown']),
  ];
}

/** A transient kind ends the node by its own name only where a route takes it over. */
function modelKinds(node: NodePlan, plan: FilePlan): readonly string[] {
  const routes = [...node.routes, ...plan.onError];
  return [
    ...MODEL_KINDS,
    ...TRANSIENT_KINDS.filter((kind) => routes.some((route) => isNamed(route, kind))),
  ];
}

function effectKinds(node: Extract<NodePlan, { type: 'call' | 'tool' }>): readonly string[] {
  return [
    'validation.template',
    ...(node.timeoutMs === undefined ? [] : ['limit.node_timeout']),
    ...(node.outputSchema === undefined ? [] : ['internal.schema_violation']),
    ...(node.hasBreaker === true ? ['breaker.open'] : []),
    ...(node.isIdempotent ? [] : ['effect.outcome_unknown']),
  ];
}
