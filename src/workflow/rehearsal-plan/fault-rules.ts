/** Rules of a plan that its form cannot say: one fault at a time, names once, and keys that go together. */
import { listed, quoted } from '../diagnostics/diagnostic-words.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import type { Path } from '../plan/pointer.ts';
import { FAULTS, type PlannedFault, type RehearsalPlan } from './plan-schema.ts';

export function checkFaults({ scenarios = [] }: RehearsalPlan, report: ReportProblem): void {
  const names = new Set<string>();
  for (const [index, { name, faults = [] }] of scenarios.entries()) {
    const path: Path = ['scenarios', index];
    if (names.has(name))
      report({
        code: 'duplicate-name',
        message: `Two scenarios are called ${quoted(name)}`,
        path: [...path, 'name'],
        suggestion: 'Give each scenario a name of its own',
      });
    names.add(name);
    for (const [at, fault] of faults.entries()) checkFault(fault, [...path, 'faults', at], report);
  }
}

function checkFault(fault: PlannedFault, path: Path, report: ReportProblem): void {
  const found = FAULTS.filter((key) => fault[key] !== undefined);
  const isStore = fault.store !== undefined;
  if (isStore === (fault.at !== undefined)) {
    report({
      code: 'either-or',
      message: isStore ? 'A fault has `at` and `store`' : 'A fault has neither `at` nor `store`',
      path,
      suggestion: 'Write `at` for a node, a model or a tool, or `store`',
    });
    return;
  }
  if (isStore ? found.length > 0 : found.length !== 1)
    report({
      code: 'either-or',
      message:
        found.length === 0
          ? 'The fault says where, and not what goes wrong'
          : `The fault is more than one: ${listed([...(isStore ? ['store'] : []), ...found].map(quoted))}`,
      path,
      suggestion: `Write one of ${FAULTS.join(', ')}`,
    });
  if (fault.cut !== undefined && fault.stream === undefined)
    report({
      code: 'either-or',
      message: '`cut` needs a `stream` that it cuts',
      path: [...path, 'cut'],
      suggestion: 'Add `stream: [pieces]`',
    });
  const { fail } = fault;
  if (fail !== undefined && (fail.kind === undefined) === (fail.status === undefined))
    report({
      code: 'either-or',
      message: 'A failure has a `kind` or a `status`, one of them',
      path: [...path, 'fail'],
      suggestion: 'Write `fail: {kind: …}` or `fail: {status: 429}`',
    });
}
