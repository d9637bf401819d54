/** Evaluates the output of a file when it ends; a field that fails is named with its own line. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { fileOf } from '../state/plan-lookup.ts';
import type { RunState, Scope, ScopeResult } from '../state/state.ts';
import { evaluateDeep } from './evaluate-templates.ts';
import { afterWork, thrownByText } from './failure-reports.ts';
import { templateContext } from './template-context.ts';

/** `over`: values of the route that ended the file, which replace those of the same name. */
export function evaluateOutput(
  state: RunState,
  scope: Scope,
  output: JsonObject,
  over: JsonObject = {},
): ScopeResult {
  const names = templateContext(state, scope);
  const fields: [string, JsonValue][] = [];
  for (const [field, template] of Object.entries(output)) {
    if (Object.hasOwn(over, field)) continue;
    try {
      fields.push([field, evaluateDeep(template, names)]);
    } catch (thrown) {
      return { error: failureOf(state, scope, field, thrown) };
    }
  }
  return { output: { ...Object.fromEntries(fields), ...over } };
}

/** Locates the failure at its field: the run itself is at its last node. */
function failureOf(state: RunState, scope: Scope, field: string, thrown: unknown): ErrorReport {
  const { outputAt = {} } = fileOf(state.plan, scope.file);
  const writtenAt = Object.hasOwn(outputAt, field) ? outputAt[field] : undefined;
  return afterWork(thrownByText(state, scope, writtenAt, thrown));
}
