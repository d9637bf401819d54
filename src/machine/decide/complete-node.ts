/** Completes a node with its output when every assertion holds; otherwise fails it. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { givesErrors, type NodePlan } from '../../workflow/plan/node-plan.ts';
import type { EffectInput } from './effect-input.ts';
import { evaluateText, conditionHolds, isBare } from './evaluate-templates.ts';
import type { EventBody } from '../state/events.ts';
import { afterWork, failureAt, thrownAt } from './failure-reports.ts';
import { asJson, templateContext } from './template-context.ts';
import { fileOf, nodeOf, visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';
import type { Ending } from './stop-effects.ts';
import type { WrittenState } from './written-state.ts';

/** Either events, or a time to decide again. */
export interface Decision {
  readonly events: readonly EventBody[];
  readonly wakeAtMs?: number | undefined;
  /** Blocked by other calls; decided again when one of them ends. */
  readonly isHeldBack?: boolean;
  /** Input of the requested effect: computed for its key, and kept to run it. */
  readonly input?: EffectInput | undefined;
  /** An end that has to wait until the effects that it stops have ended. */
  readonly ending?: Ending | undefined;
  /** The effects that it stopped have ended. */
  readonly isEnded?: boolean;
}

/** Results of a node beside its output. */
export interface Beside extends WrittenState {
  /** Why its output is partial. */
  readonly errors?: readonly ErrorReport[] | undefined;
}

export function completeNode(
  state: RunState,
  scope: Scope,
  output: JsonValue,
  beside: Beside = {},
): readonly EventBody[] {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const { state: merged, wrote, errors } = beside;
  const error = brokenAssertion(state, scope, node, { output, errors });
  const { node: name, path } = visit;
  if (error !== undefined) return [{ type: 'node:failed', node: name, path, error, output }];
  const completed: EventBody = { type: 'node:completed', node: name, path, output };
  if (errors === undefined && merged === undefined) return [completed];
  return [
    {
      ...completed,
      ...(errors === undefined ? {} : { errors }),
      ...(merged === undefined ? {} : { state: merged }),
      ...(wrote === undefined ? {} : { wrote }),
    },
  ];
}

function brokenAssertion(
  state: RunState,
  scope: Scope,
  node: NodePlan,
  { output, errors }: { readonly output: JsonValue; readonly errors: Beside['errors'] },
): ErrorReport | undefined {
  const { path, number, attempt } = visitOf(scope);
  const at = { node: node.name, path, visit: number, attempt };
  for (const { that, raise, message, index } of node.assert) {
    const names = templateContext(state, scope, {
      output,
      fields: isBare(that),
      ...(givesErrors(node) ? { errors: (errors ?? []).map(asJson) } : {}),
    });
    try {
      const isBroken = state.interference?.breaksAssertion(at, index) === true;
      if (!isBroken && conditionHolds(that, names)) continue;
      return failureAt(state, scope, node.name, {
        kind: raise,
        message:
          message === undefined
            ? `An assertion of ${node.name} does not hold`
            : evaluateText(message, names),
      });
    } catch (thrown) {
      return afterWork(thrownAt(state, scope, node.name, thrown));
    }
  }
  return undefined;
}
