/** Checks the inputs of `workflow.schedule`: nobody is there to correct them when a run starts. */
import { suggest } from '../../errors/support/suggest.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { describeValue, listed, quoted } from '../diagnostics/diagnostic-words.ts';
import { checkValue } from '../json-schema/check-value.ts';
import type { FilePlan, SchedulePlan } from '../plan/plan.ts';
import type { Path } from '../plan/pointer.ts';

export function checkScheduledInputs(plan: FilePlan, report: ReportProblem): void {
  for (const [index, entry] of (plan.schedule ?? []).entries())
    checkEntry(plan, entry, ['workflow', 'schedule', index], report);
}

function checkEntry(
  plan: FilePlan,
  { input }: SchedulePlan,
  path: Path,
  report: ReportProblem,
): void {
  const known = Object.keys(plan.input);
  for (const name of Object.keys(input))
    if (!Object.hasOwn(plan.input, name))
      report({
        code: 'unknown-input',
        message: `The workflow has no input ${quoted(name)}`,
        path: [...path, 'input', name],
        at: 'key',
        expected:
          known.length === 0 ? 'nothing, because it declares no input' : listed(known, 'or'),
        suggestion: suggest(name, known) ?? 'Remove it, or declare it in `workflow.input`',
      });
  for (const [name, field] of Object.entries(plan.input)) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined) {
      if (field.required)
        report({
          code: 'missing-input',
          message: `A scheduled run needs the input ${quoted(name)}`,
          path,
          expected: `a value of type ${field.type}`,
          suggestion: `Add \`input: {${name}: …}\`, or a default in \`workflow.input\``,
        });
      continue;
    }
    const [finding] = checkValue(field.schema, value);
    if (finding === undefined || finding.of === 'schema') continue;
    report({
      code: 'bad-input',
      message: `The input ${quoted(name)} ${finding.message}, not ${describeValue(value)}`,
      path: [...path, 'input', name],
      suggestion: `Pass a value of type ${field.type}`,
    });
  }
}
