/**
 * A guard wants a person to approve the call of a `tool` node. The call fails as denied, is asked
 * about, and is made once more when someone approves it; what is approved is this try and no other.
 */
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { isApproval } from './grants.ts';
import { effectRequest } from './effect-request.ts';
import type { EventBody } from './events.ts';
import { failureAt } from './failure.ts';
import { visitOf } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';

export function guardWants({ kind, details }: ErrorReport): boolean {
  return kind === 'tool.denied' && details?.['by'] === 'guard' && details['ask'] === true;
}

/** Undefined where the failure stands. */
export function approvalOfNode(
  state: RunState,
  scope: Scope,
  error: ErrorReport,
): EventBody | undefined {
  const { node, path, isApproved } = visitOf(scope);
  if (!guardWants(error) || isApproved || !state.hasPeople) return undefined;
  const work = effectRequest(state, scope)?.work;
  if (work?.type !== 'tool') return undefined;
  const prompt = `${error.message}. May ${node} call ${work.tool} with ${JSON.stringify(work.arguments)}?`;
  const options = ['approve', 'deny'];
  return { type: 'gate:opened', node, path, gate: `${path}/${work.tool}`, prompt, options };
}

export function afterApproval(state: RunState, scope: Scope, value: JsonValue): EventBody {
  const { node, path, asked } = visitOf(scope);
  const request = effectRequest(state, scope);
  if (request !== undefined && isApproval(value)) {
    const attempt = asked.get(request.ref.key) ?? 0;
    return { type: 'effect:requested', node, path, effect: request.ref, attempt };
  }
  const error = failureAt(state, scope, node, {
    kind: 'tool.denied',
    message: `A person has to approve ${request?.ref.target ?? node}, and did not`,
    outcome: 'not_started',
    details: { by: 'person' },
  });
  return { type: 'node:failed', node, path, error };
}
