/** The phrases that every renderer shares, so that no two surfaces describe a failure differently. */
import { isJsonObject, type JsonObject, type JsonValue } from '../support/safe-json.ts';
import { singleLine } from '../support/printable.ts';
import type { CatalogRow } from '../catalog/row.ts';
import type { AttemptSummary, ErrorReport, Location } from '../report/report.ts';
import { CATEGORY_MEANING } from '../catalog/vocabulary.ts';

type Retryability = Pick<ErrorReport, 'retryable' | 'provider'>;

/** True, false and unknown are three different words on every screen. */
export function retryableWords({ retryable, provider }: Retryability): string {
  if (retryable === null) return 'unknown';
  if (!retryable) return 'no';
  const hintMs = provider?.retryAfterMs;
  return hintMs === undefined ? 'yes' : `yes, after ${durationWords(hintMs)}`;
}

export function categoryWords(report: Pick<ErrorReport, 'category'>): string {
  return `${report.category} (${CATEGORY_MEANING[report.category]})`;
}

/** The default retries of a kind. */
export function scheduleWords(schedule: CatalogRow['schedule']): string {
  if (schedule === null) return 'none by default';
  const waits = schedule.waitsMs.map(durationWords).join(', ');
  return `${schedule.attempts} calls in all, after the wait that the server asks for, else ${waits} (±20 %)`;
}

/** `each[3]/one/fetch in triage (triage.yaml:34:5)`, as far as it is known. */
export function locationWords(location: Location | undefined): string | undefined {
  if (location === undefined) return undefined;
  const inRun = locationInRun(location);
  const inFile = locationInFile(location);
  if (inRun === '') return inFile === '' ? undefined : inFile;
  return inFile === '' ? inRun : `${inRun} (${inFile})`;
}

function locationInRun({ path, node, workflow }: Location): string {
  const inside = path ?? node;
  if (inside === undefined) return workflow === undefined ? '' : `workflow ${workflow}`;
  return joinKnown([inside, workflow], ' in ');
}

/** A line without a file is in the workflow's own file. */
function locationInFile({ file, pointer, line, column }: Location): string {
  if (file !== undefined) return joinKnown([file, line, column], ':');
  const spot = line === undefined ? undefined : `line ${joinKnown([line, column], ':')}`;
  return joinKnown([spot, pointer], ', ');
}

/** The boundaries that it crossed after it was raised, from the inside out. */
export function boundaryWords({ frames = [] }: Pick<ErrorReport, 'frames'>): string | undefined {
  const crossed = frames.slice(1).map((frame) => locationWords(frame));
  return crossed.length === 0 ? undefined : joinKnown(crossed, ', then ');
}

/** The rule that classified it, with its evidence. */
export function ruleWords({ rule }: Pick<ErrorReport, 'rule'>): string | undefined {
  if (rule === undefined) return undefined;
  const evidence = rule.evidence.length === 0 ? '' : ` (${rule.evidence.join(', ')})`;
  return rule.id + evidence + (rule.confidence === 'low' ? ', low confidence' : '');
}

export function providerWords(report: Pick<ErrorReport, 'provider'>): string | undefined {
  const { name, model, status, code, type, requestId, limit } = report.provider ?? {};
  // each simulated model is its own provider, `sim/clerk`, with the model `clerk`
  const isNamedByModel = model !== undefined && name?.endsWith(`/${model}`) === true;
  const target = isNamedByModel ? name : joinKnown([name, model], '/');
  const words = joinKnown(
    [
      target === '' ? undefined : target,
      status === undefined ? undefined : `HTTP ${status}`,
      code ?? type,
      limit === undefined ? undefined : `limit: ${limit}`,
      requestId === undefined ? undefined : `request ${requestId}`,
    ],
    ', ',
  );
  return words === '' ? undefined : words;
}

export function attemptWords(attempt: AttemptSummary): string {
  const target = attempt.target === undefined ? '' : ` ${attempt.target}:`;
  const waited =
    attempt.waitedMs === undefined ? '' : `, after waiting ${durationWords(attempt.waitedMs)}`;
  return `${attempt.number}.${target} ${attempt.kind}${waited}`;
}

export function attemptCount(attempt: ErrorReport['attempt']): string | undefined {
  // without a maximum the number means little, and the calls are listed beside it
  if (attempt?.max === undefined) return undefined;
  return `${attempt.number} of ${attempt.max}`;
}

/** The reports below this one, outermost first. */
export function causesOf(report: ErrorReport): readonly ErrorReport[] {
  return report.cause === undefined ? [] : [report.cause, ...causesOf(report.cause)];
}

/** The failed members of a group, apart from its other details. */
export interface GroupWords {
  /** `3 × tool.failed, 1 × call.failed`, the most frequent first. */
  readonly counts: string | undefined;
  readonly members: readonly {
    readonly name: string;
    readonly kind: string;
    readonly message: string;
    /** Where in the run it failed. */
    readonly path?: string;
  }[];
  /** Failed members that are counted but not listed. */
  readonly unlisted: number;
  readonly others: JsonObject;
}

export function groupWords(report: Pick<ErrorReport, 'class' | 'details'>): GroupWords {
  const details = report.details ?? {};
  if (report.class !== 'group')
    return { counts: undefined, members: [], unlisted: 0, others: details };

  const { counts, members, ...others } = details;
  const counted = Object.entries(isJsonObject(counts) ? counts : {})
    .map(([kind, count]) => [kind, Number(count)] as const)
    .toSorted(([, a], [, b]) => b - a);
  const listed = Object.entries(isJsonObject(members) ? members : {});
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  return {
    counts:
      counted.length === 0 ? undefined : counted.map(([kind, n]) => `${n} × ${kind}`).join(', '),
    members: listed.map(([name, member]) => ({ name, ...memberWords(member) })),
    unlisted: Math.max(0, total - listed.length),
    others,
  };
}

function memberWords(member: JsonValue): Omit<GroupWords['members'][number], 'name'> {
  if (!isJsonObject(member)) return { kind: 'unknown', message: JSON.stringify(member) };
  const { kind, message, location } = member;
  const path = isJsonObject(location) ? location['path'] : undefined;
  return {
    kind: typeof kind === 'string' ? kind : 'unknown',
    message: typeof message === 'string' ? singleLine(message) : '',
    ...(typeof path === 'string' ? { path } : {}),
  };
}

function joinKnown(parts: readonly (string | number | undefined)[], separator: string): string {
  return parts.filter((part) => part !== undefined).join(separator);
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
  return rest === 0 || below === undefined
    ? `${whole} ${unit}`
    : `${whole} ${unit} ${rest} ${below[0]}`;
}
