/** Findings about what servers do with the store: schedules and webhooks. */
import type { EndpointState, KeptSchedule, ServerNotes } from '../../engine/carry-on.ts';
import { countWords } from '../screen/number-words.ts';

export interface ServerFinding {
  readonly check: string;
  readonly state: 'ok' | 'warning';
  readonly detail: string;
  readonly next?: string;
}

export function serverFindings({ schedules, endpoints }: ServerNotes): readonly ServerFinding[] {
  return [...schedules.map(scheduleFinding), ...endpoints.map(webhookFinding)];
}

function scheduleFinding(schedule: KeptSchedule): ServerFinding {
  const { workflow, cron, timezone, next, missed, last, queued = 0, isAhead = false } = schedule;
  const check = `schedule ${workflow}`;
  const parts = [
    `${cron} (${timezone})`,
    ...(last === undefined ? [] : [`${lastWords(last)}${isAhead ? AHEAD : ''}`]),
    ...(queued === 0 ? [] : [`${countWords(queued, 'time')} queued`]),
  ];
  if (missed !== undefined)
    return {
      check,
      state: 'warning',
      detail: [...parts, `${missed} came and no server served it`].join('; '),
      next: 'Start errand serve with the file; a server makes up for the latest time.',
    };
  const advice = adviceOn(schedule);
  return {
    check,
    state: advice === undefined ? 'ok' : 'warning',
    detail: [...parts, next === null ? 'never again' : `next ${next}`].join('; '),
    ...(advice === undefined ? {} : { next: advice }),
  };
}

const AHEAD = ', which is later than the clock of the store';

function adviceOn({ last, isAhead = false }: KeptSchedule): string | undefined {
  if (last?.outcome === 'refused') return `${last.error?.message ?? 'The start was refused'}.`;
  return isAhead
    ? 'Check the clock of the machine that has the store: it was ahead, or is behind now.'
    : undefined;
}

function lastWords({ at, outcome, run }: NonNullable<KeptSchedule['last']>): string {
  switch (outcome) {
    case 'started':
      return `last ${at}, run ${run ?? ''}`;
    case 'skipped':
      return `last ${at}, skipped because the run before was not over`;
    case 'refused':
      return `last ${at}, refused`;
  }
}

function webhookFinding({ name, waiting, failed, problem }: EndpointState): ServerFinding {
  const check = `webhook ${name}`;
  if (failed === 0)
    return { check, state: 'ok', detail: waiting === 0 ? 'nothing waits' : `${waiting} waiting` };
  return {
    check,
    state: 'warning',
    detail: `${countWords(failed, 'message')} given up${problem === undefined ? '' : `: ${problem}`}`,
    next: 'Repair the receiver. It can ask for what it missed with GET /v1/runs.',
  };
}
