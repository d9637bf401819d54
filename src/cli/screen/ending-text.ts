/** Renders the end of a leg that did not fail: what the run waits for, and the command that resumes it. */
import { onScreen } from '../../errors/support/on-screen.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { jsonText, oneLine, singleLine } from '../../errors/support/printable.ts';
import { durationWords } from '../../errors/render/report-words.ts';
import type { NamedUnknownOutcome } from '../../machine/policy/unknown-outcome.ts';
import type { RunEvent, Wait, Waiting } from '../../machine/state/events.ts';
import type { Costs } from '../../history/cost-ledger.ts';
import { IN_CODE } from '../../workflow/plan/plan.ts';
import { shellWord } from '../../errors/support/shell-word.ts';
import { countWords, timeWords, usdWords } from './number-words.ts';

export interface CompletedRun {
  readonly run: string;
  readonly tookMs: number;
  readonly costs: Costs;
  /** Failures that did not end it. */
  readonly handled: number;
}

export function completedText({ run, tookMs, costs, handled }: CompletedRun): string {
  const { totalUsdMicros, failedUsdMicros } = costs;
  const failed = failedUsdMicros === 0 ? '' : `, ${usdWords(failedUsdMicros)} of it on failures`;
  const cost = totalUsdMicros === 0 ? '' : `; ${usdWords(totalUsdMicros)}${failed}`;
  const handledNote =
    handled === 0 ? '' : `; ${countWords(handled, 'failure')} handled: errand explain ${run}`;
  return `▪ completed in ${durationWords(tookMs)}${cost}${handledNote}`;
}

/** How many are named; `errand show` lists all. */
const MAX_NAMED = 3;

/** The run has completed, but the outcome of these effects is unknown. */
export function inDoubtText(run: string, outcomes: readonly NamedUnknownOutcome[]): string {
  const named = onScreen(outcomes.slice(0, MAX_NAMED)).map(({ path, target }) =>
    oneLine(`${path} (${target})`),
  );
  const more = outcomes.length > MAX_NAMED ? ', …' : '';
  const have = outcomes.length === 1 ? 'has' : 'have';
  return `▪ ${countWords(outcomes.length, 'effect')} ${have} an unknown outcome: ${named.join(', ')}${more}; see errand show ${run}`;
}

interface PauseContext {
  readonly events: readonly RunEvent[];
  readonly nowMs: number;
  /** The workflow file of the run. */
  readonly file?: string | null;
}

export function pausedText(run: string, waiting: Waiting, context: PauseContext): string {
  const all = waiting.all.length === 0 ? [waiting] : waiting.all;
  const waits = all.map((wait) => waitLines(run, wait, context).join('\n  '));
  return [`▪ paused; the run is safe`, ...waits.map((wait) => `  ${wait}`)].join('\n');
}

export function interruptedText(run: string, file?: string | null): string {
  return `▪ interrupted; the run is safe. ${isInCode(file) ? RESUME_IN_CODE : `Resume with: errand resume ${run}`}`;
}

/** Ctrl-C ends the command; the run is not here. */
export function leftText(run: string, server: string): string {
  return `▪ no longer following; ${run} continues at ${server}. Follow it with: errand watch ${run}`;
}

/** The command line has neither its functions nor its workflow. */
export const RESUME_IN_CODE = 'Its workflow is defined in code: resume it from that program';

export function isInCode(file: string | null | undefined): boolean {
  return file?.startsWith(IN_CODE) === true;
}

export function cancelledText(run: string): string {
  return `▪ ${run} cancelled. See: errand show ${run}`;
}

/** Says what the run waits for, in one line without a command. */
export function waitWords(raw: Wait): string {
  const { reason, path, until, options, inDoubt } = onScreen(raw);
  const where = path ?? 'the run';
  const choice = options === undefined ? '' : ` (${options.map(asTyped).join(', ')})`;
  switch (reason) {
    case 'gate':
      return `${where} waits for an answer${choice}`;
    case 'budget':
      return `${where} has reached a budget and asks whether to raise it${choice}`;
    case 'outcome':
      return inDoubt?.processes === undefined
        ? `it is unknown whether ${where} finished; a person must decide${choice}`
        : `${where} was still running after its run had stopped; a person must say what it did${choice}`;
    case 'person':
      return `${where} is parked until someone resumes it`;
    case 'time':
      return `${where} waits until ${until === undefined ? 'its time' : timeWords(until)}`;
  }
}

function waitLines(run: string, raw: Wait, { events, nowMs, file }: PauseContext): string[] {
  const wait = onScreen(raw);
  const { reason, gate, until } = wait;
  if (isInCode(file)) return [waitWords(wait), RESUME_IN_CODE];
  if (reason === 'person') return [waitWords(wait), `resume: errand resume ${run}`];
  if (reason === 'time') {
    const leftMs = until === undefined ? 0 : Date.parse(until) - nowMs;
    const left = leftMs > 0 ? ` (${durationWords(leftMs)} from now)` : '';
    return [
      `${waitWords(wait)}${left}`,
      `resume then: errand resume ${run}`,
      ...(isParkOrUnseen(raw, events) ? [] : [`or wait for it here: errand resume ${run} --wait`]),
      ...(isWaitNode(raw, events) ? [] : [`or cut it short: errand resume ${run} --now`]),
    ];
  }
  const opened = events.findLast(
    (event) => event.type === 'gate:opened' && event.gate === raw.gate,
  );
  const prompt = opened?.type === 'gate:opened' ? [oneLine(singleLine(opened.prompt))] : [];
  return [
    waitWords(wait),
    ...prompt,
    ...(until === undefined ? [] : [`until: ${timeWords(until)}`]),
    ...(wait.options ?? ['ANSWER']).map(
      (option) =>
        `answer: errand answer ${run} ${shellWord(gate ?? '')} --value ${answerForm(option, wait)}`,
    ),
  ];
}

/** `--now` never cuts a `wait` node; a park and a backoff follow a failure. */
function isWaitNode(wait: Wait, events: readonly RunEvent[]): boolean {
  return latestAt(wait, events)?.type === 'node:started';
}

/** A park pauses the run with `--wait` too; a leg without an event of the node may have met one. */
function isParkOrUnseen(wait: Wait, events: readonly RunEvent[]): boolean {
  const latest = latestAt(wait, events);
  return latest === undefined || (latest.type === 'route:taken' && latest.move === 'park');
}

function latestAt({ path }: Wait, events: readonly RunEvent[]): RunEvent | undefined {
  return events.findLast((event) => 'path' in event && event.path === path);
}

/** As it is typed after `--value`. */
function asTyped(option: JsonValue): string {
  return typeof option === 'string' ? option : jsonText(option);
}

/** An edit needs its value, and some options a text; the bare word would be refused. */
function answerForm(option: JsonValue, { promptFor = [], error }: Wait): string {
  if (promptFor.some(({ value }) => value === option))
    return shellWord(JSON.stringify({ selected: option, additional_input: '…' }));
  const isEdit = option === 'edit' && error !== undefined;
  return isEdit ? `'{"edit": …}'` : shellWord(asTyped(option));
}

export function cutOffText(run: string): string {
  return `▪ ${run} was cut off: a function or an extension ended this process. Resume with: errand resume ${run}`;
}
