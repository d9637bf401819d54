/** What a decision is, and how a node's result becomes one: an answer only when every assertion holds. */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { givesErrors, type NodePlan } from '../workflow/node-model.ts';
import type { EffectWork } from './effect-work.ts';
import { evaluateText, holds, isBare } from './evaluate.ts';
import type { EventBody } from './events.ts';
import { failureAt, thrownAt } from './failure.ts';
import { asJson, namesIn } from './names.ts';
import { fileOf, nodeOf, visitOf } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';
import type { Ending } from './stopping.ts';

/** Either events, or a time to be asked again. */
export interface Decision {
  readonly events: readonly EventBody[];
  readonly wakeAtMs?: number | undefined;
  /** Others hold up its call: it is asked again when one of theirs is over. */
  readonly isHeldBack?: boolean;
  /** Of the effect that is requested: worked out to name it, so it need not be again to run it. */
  readonly work?: EffectWork | undefined;
  /** It cannot be said before what it stops has ended. */
  readonly ending?: Ending | undefined;
  /** What it had to wait for has ended. */
  readonly isEnded?: boolean;
}

/** What a node gives besides its output. */
export interface Beside {
  /** What it writes to the shared state, merged already. */
  readonly state?: JsonObject | undefined;
  /** Why its output is only a part of what was asked for. */
  readonly errors?: readonly ErrorReport[] | undefined;
}

export function completion(
  state: RunState,
  scope: Scope,
  output: JsonValue,
  beside: Beside = {},
): readonly EventBody[] {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const { state: written, errors } = beside;
  const error = brokenAssertion(state, scope, node, { output, errors });
  const { node: name, path } = visit;
  if (error !== undefined) return [{ type: 'node:failed', node: name, path, error, output }];
  const completed: EventBody = { type: 'node:completed', node: name, path, output };
  if (errors === undefined && written === undefined) return [completed];
  return [
    {
      ...completed,
      ...(errors === undefined ? {} : { errors }),
      ...(written === undefined ? {} : { state: written }),
    },
  ];
}

function brokenAssertion(
  state: RunState,
  scope: Scope,
  node: NodePlan,
  { output, errors }: { readonly output: JsonValue; readonly errors: Beside['errors'] },
): ErrorReport | undefined {
  for (const { that, raise, message } of node.assert) {
    const names = namesIn(state, scope, {
      output,
      fields: isBare(that),
      ...(givesErrors(node) ? { errors: (errors ?? []).map(asJson) } : {}),
    });
    try {
      if (holds(that, names)) continue;
      return failureAt(state, scope, node.name, {
        kind: raise,
        message:
          message === undefined
            ? `An assertion of ${node.name} does not hold`
            : evaluateText(message, names),
      });
    } catch (thrown) {
      return thrownAt(state, scope, node.name, thrown);
    }
  }
  return undefined;
}
