/** The commands that help after a refusal, as a person can type them. */
import type { ErrorReport } from '../../errors/report/report.ts';
import { shellWord } from '../../errors/support/shell-word.ts';

export function helpfulCommands(
  { kind, class: errorClass, details }: ErrorReport,
  {
    run = '',
    isBegun,
  }: { readonly run?: string | undefined; readonly isBegun?: boolean | undefined },
): readonly string[] {
  if (isBegun === true && errorClass === 'extension') return [`Resume it: errand resume ${run}`];
  if (kind === 'run.already_active') return [`Follow it: errand watch ${run}`];
  // results of removed nodes cannot be kept
  if (kind !== 'run.drifted' || details?.['gone'] !== undefined) return [];
  const names: unknown = details?.['nodes'];
  const nodes: readonly unknown[] = Array.isArray(names) ? names : [];
  const first = nodes.find((node) => typeof node === 'string' && !node.includes(' '));
  return [
    `Keep their results: errand resume ${run} --accept-drift`,
    ...(typeof first === 'string'
      ? [`Run them again: errand retry ${run} --from ${shellWord(first)} --accept-drift`]
      : []),
  ];
}
