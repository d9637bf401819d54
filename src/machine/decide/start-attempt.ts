/** Starts an attempt of a node; fixes the members of a group. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { textOrJson, isArray, type JsonValue } from '../../errors/support/safe-json.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { TemplateContext } from '../../workflow/template/context.ts';
import { evaluateDeep, isBare } from './evaluate-templates.ts';
import type { EventBody, Members } from '../state/events.ts';
import { failureAt, thrownAt } from './failure-reports.ts';
import { templateContext } from './template-context.ts';
import { fileOf, nodeOf, pathOf } from '../state/plan-lookup.ts';
import { isOpenInside } from '../state/scopes.ts';
import type { RunState, Scope } from '../state/state.ts';
import { storableValue } from '../state/storable.ts';

export function startAttempt(
  state: RunState,
  scope: Scope,
  name: string,
  attempt: number,
): readonly EventBody[] {
  const plan = fileOf(state.plan, scope.file);
  const node = nodeOf(plan, name);
  const path = pathOf(scope, name);
  if (scope.starts >= plan.limits.maxIterations) {
    const cause = scope.visit?.node === name ? scope.visit.error : undefined;
    const error = failureAt(state, scope, name, {
      kind: 'limit.steps',
      message: `${plan.name} has started ${scope.starts} nodes, the most that its limit allows`,
      details: { limit: plan.limits.maxIterations, spent: scope.starts },
      frames: [{ workflow: plan.name, node: name, path }],
      // the failure that it would have retried
      ...(cause === undefined ? {} : { cause }),
    });
    return [{ type: 'node:failed', node: name, path, error }];
  }
  try {
    const members = begunMembers(state, scope, name) ?? membersOf(state, scope, node);
    return members === undefined
      ? [{ type: 'node:started', node: name, path, attempt }]
      : [{ type: 'node:started', node: name, path, attempt, members }];
  } catch (thrown) {
    const error = thrownAt(state, scope, name, thrown);
    return [
      { type: 'node:started', node: name, path, attempt },
      { type: 'node:failed', node: name, path, error },
    ];
  }
}

/**
 * A group that continues after a park or an answer keeps the members it began with, even if its
 * list has changed: with others it would begin anew and repeat completed work.
 */
function begunMembers(state: RunState, { visit }: Scope, name: string): Members | undefined {
  if (visit?.node !== name || visit.error === undefined) return undefined;
  if (visit.members === undefined || !isOpenInside(state, visit)) return undefined;
  const { keys, items } = visit.members;
  return items === undefined ? { keys } : { keys, items };
}

function membersOf(state: RunState, scope: Scope, node: NodePlan): Members | undefined {
  if (node.type === 'parallel') return { keys: node.members };
  if (node.type !== 'for_each') return undefined;
  const names = templateContext(state, scope, { node });
  const source = isBare(node.source) ? `{{ ${node.source} }}` : node.source;
  // keys become part of paths, so they must not contain secrets
  const items = storableValue(state, evaluateDeep(source, names));
  if (!isArray(items)) throw invalid(`The source of ${node.name} is not a list`);
  const { keyBy } = node;
  if (keyBy === undefined) return { keys: items.map((_, index) => String(index)), items };
  const keys = items.map((item) => keyOf(node.as, keyBy, item, names));
  const double = firstDouble(keys);
  if (double !== undefined)
    throw invalidInput(
      `Two members of ${node.name} have the key ${double}`,
      'Choose a `key_by` that differs for each item, or take the double item out of the list.',
    );
  return { keys, items };
}

function firstDouble(keys: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const key of keys) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

function keyOf(as: string, keyBy: string, item: JsonValue, names: TemplateContext): string {
  const withItem = {
    lookup: (name: string) => (name === as ? item : names.lookup(name)),
    names: () => [as, ...names.names()],
  };
  const key = evaluateDeep(isBare(keyBy) ? `{{ ${keyBy} }}` : keyBy, withItem);
  return textOrJson(key);
}

function invalid(message: string): ErrandError {
  return new ErrandError({ kind: 'validation.template', message });
}

function invalidInput(message: string, detail: string): ErrandError {
  const action = { kind: 'change_input', detail } as const;
  return new ErrandError({ kind: 'validation.input', message, action });
}
