/**
 * A guard wants a person to approve the call of a `tool` node. The call fails as denied, is asked
 * about, and is made once more when someone approves it; what is approved is this try and no other.
 */
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { askPerson } from './ask-person.ts';
import { isApproval } from './grants.ts';
import { effectRequest, requestedEvent } from './effect-request.ts';
import type { EventBody } from './events.ts';
import { failed, failureAt } from './failure.ts';
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
  const visit = visitOf(scope);
  const { node, path, isApproved } = visit;
  if (!guardWants(error) || isApproved || !state.hasPeople) return undefined;
  const work = effectRequest(state, scope)?.work;
  if (work?.type !== 'tool') return undefined;
  return askPerson(state, visit, {
    gate: `${path}/${work.tool}`,
    prompt: `${error.message}. May ${node} call ${work.tool} with ${JSON.stringify(work.arguments)}?`,
    options: ['approve', 'deny'],
  });
}

export function afterApproval(state: RunState, scope: Scope, value: JsonValue): EventBody {
  const visit = visitOf(scope);
  const { node } = visit;
  const request = effectRequest(state, scope);
  if (request !== undefined && isApproval(value)) return requestedEvent(visit, request.ref);
  const error = failureAt(state, scope, node, {
    kind: 'tool.denied',
    message: `A person has to approve ${request?.ref.target ?? node}, and did not`,
    outcome: 'not_started',
    details: { by: 'person' },
  });
  return failed(visit, error);
}
