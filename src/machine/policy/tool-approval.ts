/**
 * Approval of a `tool` node's call when a guard wants it. The call fails as denied, a person is asked,
 * and it is repeated when they approve; the approval is for this attempt only.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { askPerson } from '../gates/ask-person.ts';
import { isApproval } from './approval-grants.ts';
import { effectRequest, requestedEvent } from '../decide/effect-request.ts';
import type { EventBody } from '../state/events.ts';
import { nodeFailed, failureAt } from '../decide/failure-reports.ts';
import { visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope, ScopeResult } from '../state/state.ts';

type Ended = Pick<ScopeResult, 'keptBack' | 'error'>;

/**
 * Only a guard asks for an approval: a tool that itself fails in a guard's words has been called.
 */
export function guardWantsApproval({ keptBack, error }: Ended): boolean {
  return keptBack === 'guard' && error?.details?.['ask'] === true;
}

/** The gate to open; undefined when the failure is final. */
export function approvalOfNode(state: RunState, scope: Scope, ended: Ended): EventBody | undefined {
  const visit = visitOf(scope);
  const { node, path, isApproved } = visit;
  const { error } = ended;
  if (error === undefined || !guardWantsApproval(ended) || isApproved || !state.hasPeople)
    return undefined;
  const input = effectRequest(state, scope)?.work;
  if (input?.type !== 'tool') return undefined;
  return askPerson(state, visit, {
    gate: `${path}/${input.tool}`,
    prompt: `${error.message}. May ${node} call ${input.tool} with ${JSON.stringify(input.arguments)}?`,
    options: ['approve', 'deny'],
  });
}

export function afterApproval(state: RunState, scope: Scope, value: JsonValue): EventBody {
  const visit = visitOf(scope);
  const { node } = visit;
  const request = effectRequest(state, scope);
  if (request !== undefined && isApproval(value)) return requestedEvent(state, visit, request.ref);
  const error = failureAt(state, scope, node, {
    kind: 'tool.denied',
    message: `${request?.ref.target ?? node} needs the approval of a person, and did not get it`,
    outcome: 'not_started',
    details: { by: 'person' },
  });
  return nodeFailed(visit, error);
}
