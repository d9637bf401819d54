/**
 * Times of a cron expression in a time zone, by `croner`. A time that a clock change skips comes
 * right after the change; one that occurs twice counts once. Nothing here reads the clock.
 */
import { Cron } from 'croner';

/** When it happens: five fields, in the time of a zone. */
export interface CronTimes {
  readonly cron: string;
  readonly timezone: string;
}

/**
 * Every expression that ever matches does so within eight years: 29 February skips one leap day.
 */
const REFERENCE = new Date(Date.UTC(2000, 0, 1));

/** `?` stands for the time at which the expression is read, and a date is not an expression. */
const NOT_CRON = /\?|^\s*\d{4}-/;

/** The problem of an expression or a zone; undefined when both can be used. */
export function cronProblem({
  cron,
  timezone,
}: CronTimes): 'cron' | 'never' | 'timezone' | undefined {
  if (!isZone(timezone)) return 'timezone';
  if (NOT_CRON.test(cron)) return 'cron';
  try {
    return timesOf({ cron, timezone }).nextRun(REFERENCE) === null ? 'never' : undefined;
  } catch {
    // croner throws for an unreadable expression, with words for programmers
    return 'cron';
  }
}

/** The first time after this one; null when there is none. */
export function nextTick(times: CronTimes, afterMs: number): number | null {
  return timesOf(times).nextRun(new Date(afterMs))?.getTime() ?? null;
}

/** The last time up to and including this one; null when there was none. */
export function latestTick(times: CronTimes, untilMs: number): number | null {
  // times are whole seconds, and croner looks before the one that is given
  const [latest] = timesOf(times).previousRuns(
    1,
    new Date(Math.floor(untilMs / 1000) * 1000 + 1000),
  );
  return latest?.getTime() ?? null;
}

function timesOf({ cron, timezone }: CronTimes): Cron {
  return new Cron(cron, { timezone, mode: '5-part', paused: true });
}

function isZone(timezone: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone !== '';
  } catch {
    // a name that this system does not know
    return false;
  }
}
