/** Rules for `workflow.schedule`: expressions that mean a time, and zones that exist. */
import type { ReportProblem } from '../diagnostics/problem.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';
import type { Path } from '../plan/pointer.ts';
import { DEFAULT_TIMEZONE } from '../plan/plan.ts';
import { cronProblem } from '../schedule/cron.ts';
import { asList, asMap } from './read-raw.ts';

const FIELDS = 'minute, hour, day of month, month, day of week';

export function checkSchedule(schedule: unknown, path: Path, report: ReportProblem): void {
  for (const [index, entry] of asList(schedule).entries()) {
    const { cron, timezone = DEFAULT_TIMEZONE } = asMap(entry);
    if (typeof cron !== 'string' || typeof timezone !== 'string') continue;
    const at = [...path, index];
    switch (cronProblem({ cron, timezone })) {
      case 'cron':
        report({
          code: 'bad-schedule',
          message: `${quoted(cron)} is not a cron expression of five fields`,
          path: [...at, 'cron'],
          expected: FIELDS,
          suggestion: fewerFields(cron) ?? 'For each day at six: 0 6 * * *',
        });
        break;
      case 'never':
        report({
          code: 'bad-schedule',
          message: `${quoted(cron)} never comes: no such day exists`,
          path: [...at, 'cron'],
          suggestion: 'For the last day of each month: 0 0 L * *',
        });
        break;
      case 'timezone':
        report({
          code: 'bad-schedule',
          message: `${quoted(timezone)} is not a time zone`,
          path: [...at, 'timezone'],
          expected: 'a name such as Europe/Berlin',
          suggestion: 'Europe/Berlin',
        });
        break;
      case undefined:
    }
  }
}

/** Seconds are the first of six fields; a tick is a minute here. */
function fewerFields(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/);
  return fields.length === 6 ? fields.slice(1).join(' ') : undefined;
}
