/** The phrases that every renderer shares, so that no two surfaces describe a failure differently. */
import type { AttemptSummary, ErrorReport, Location } from '../report.ts';
import { CATEGORY_MEANING } from '../vocabulary.ts';

type Retryability = Pick<ErrorReport, 'retryable' | 'provider'>;

/** True, false and unknown are three different words on every screen. */
export function retryableWords({ retryable, provider }: Retryability): string {
  if (retryable === null) return 'unknown';
  if (!retryable) return 'no';
  const hintMs = provider?.retryAfterMs;
  return hintMs === undefined ? 'yes' : `yes, after ${durationWords(hintMs)}`;
}

export function categoryWords(report: Pick<ErrorReport, 'category'>): string {
  return `${report.category} (goes away by ${CATEGORY_MEANING[report.category]})`;
}

/** `each[3]/one/fetch (triage.yaml:34:5)`, as much of it as is known. */
export function locationWords(location: Location | undefined): string | undefined {
  if (location === undefined) return undefined;
  const inside = location.path ?? location.node;
  const place = [inside, location.workflow === undefined ? undefined : `in ${location.workflow}`]
    .filter((part) => part !== undefined)
    .join(' ');
  const at = [location.file ?? location.pointer, location.line, location.column]
    .filter((part) => part !== undefined)
    .join(':');
  if (place === '') return at === '' ? undefined : at;
  return at === '' ? place : `${place} (${at})`;
}

export function providerWords(report: Pick<ErrorReport, 'provider'>): string | undefined {
  const { name, model, status, code, type, requestId, limit } = report.provider ?? {};
  const words = [
    [name, model].filter((part) => part !== undefined).join('/'),
    status === undefined ? '' : `HTTP ${status}`,
    code ?? type ?? '',
    limit === undefined ? '' : `limit: ${limit}`,
    requestId === undefined ? '' : `request ${requestId}`,
  ].filter((part) => part !== '');
  return words.length === 0 ? undefined : words.join(', ');
}

export function attemptWords(attempt: AttemptSummary): string {
  const target = attempt.target === undefined ? '' : ` ${attempt.target}`;
  const waited =
    attempt.waitedMs === undefined ? '' : `, after waiting ${durationWords(attempt.waitedMs)}`;
  return `${attempt.number}.${target} ${attempt.kind}${waited}`;
}

/** The reports below this one, outermost first. */
export function causesOf(report: ErrorReport): readonly ErrorReport[] {
  return report.cause === undefined ? [] : [report.cause, ...causesOf(report.cause)];
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** `0 ms`, `1.5 s`, `2 min 5 s`, `1 d 3 h`: two units at most. */
export function durationWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`;
  const index = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[index] ?? UNITS[3];
  const whole = Math.floor(ms / size);
  const below = UNITS[index + 1];
  const rest = below === undefined ? 0 : Math.floor((ms - whole * size) / below[1]);
  return rest === 0 || below === undefined ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${below[0]}`;
}
