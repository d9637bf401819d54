/** How a leg that did not fail ends, in words: what is waited for, and the command that goes on. */
import { onScreen } from '../../errors/on-screen.ts';
import type { JsonValue } from '../../errors/json.ts';
import { jsonText, oneLine, singleLine } from '../../errors/printable.ts';
import { durationWords } from '../../errors/render/words.ts';
import type { NamedDoubt } from '../../machine/doubt.ts';
import type { RunEvent, Wait, Waiting } from '../../machine/events.ts';
import type { Costs } from '../../machine/ledger.ts';
import { IN_CODE } from '../../workflow/model.ts';
import { countWords, shellWord, timeWords, usdWords } from './words.ts';

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
  const story =
    handled === 0 ? '' : `; ${countWords(handled, 'failure')} handled: errand explain ${run}`;
  return `▪ completed in ${durationWords(tookMs)}${cost}${story}`;
}

/** How many are named; `errand show` has all of them. */
const NAMED_DOUBTS = 3;

/** It has come to its end, and whether these were done nobody knows. */
export function doubtText(run: string, given: readonly NamedDoubt[]): string {
  const named = onScreen(given.slice(0, NAMED_DOUBTS)).map(({ path, target }) =>
    oneLine(`${path} (${target})`),
  );
  const rest = given.length > NAMED_DOUBTS ? ', …' : '';
  const are = given.length === 1 ? 'is' : 'are';
  return `▪ ${countWords(given.length, 'effect')} ${are} in doubt: ${named.join(', ')}${rest}; see errand show ${run}`;
}

interface PausePlace {
  readonly events: readonly RunEvent[];
  readonly nowMs: number;
  /** Where the workflow of the run is. */
  readonly file?: string | null;
}

export function pausedText(run: string, waiting: Waiting, place: PausePlace): string {
  const all = waiting.all.length === 0 ? [waiting] : waiting.all;
  const waits = all.map((wait) => waitLines(run, wait, place).join('\n  '));
  return [`▪ paused; the run is safe`, ...waits.map((wait) => `  ${wait}`)].join('\n');
}

export function interruptedText(run: string, file?: string | null): string {
  return `▪ interrupted; the run is safe. ${isInCode(file) ? RESUME_IN_CODE : `Resume with: errand resume ${run}`}`;
}

/** The command has neither its functions nor its workflow. */
export const RESUME_IN_CODE = 'Its workflow was made in code: resume it in the program that has it';

export function isInCode(file: string | null | undefined): boolean {
  return file?.startsWith(IN_CODE) === true;
}

export function cancelledText(run: string): string {
  return `▪ ${run} is cancelled, for good. Look with: errand show ${run}`;
}

/** What is waited for, in one line without a command. */
export function waitWords(given: Wait): string {
  const { reason, path, until, options, inDoubt } = onScreen(given);
  const place = path ?? 'the run';
  const choice = options === undefined ? '' : ` (${options.map(asTyped).join(', ')})`;
  switch (reason) {
    case 'gate':
      return `${place} waits for an answer${choice}`;
    case 'budget':
      return `${place} has reached a budget and asks whether to raise it${choice}`;
    case 'outcome':
      return inDoubt?.processes === undefined
        ? `it is unknown whether ${place} finished; a person must decide${choice}`
        : `${place} was still running beside the run; a person must say what it did${choice}`;
    case 'person':
      return `${place} is parked until someone resumes it`;
    case 'time':
      return `${place} waits until ${until === undefined ? 'its time' : timeWords(until)}`;
  }
}

function waitLines(run: string, given: Wait, { events, nowMs, file }: PausePlace): string[] {
  const wait = onScreen(given);
  const { reason, gate, until } = wait;
  if (isInCode(file)) return [waitWords(wait), RESUME_IN_CODE];
  if (reason === 'person') return [waitWords(wait), `resume: errand resume ${run}`];
  if (reason === 'time') {
    const leftMs = until === undefined ? 0 : Date.parse(until) - nowMs;
    const left = leftMs > 0 ? ` (${durationWords(leftMs)} from now)` : '';
    return [
      `${waitWords(wait)}${left}`,
      `resume then: errand resume ${run}`,
      `or wait for it here: errand resume ${run} --wait`,
      ...(isWaitNode(given, events) ? [] : [`or cut it short: errand resume ${run} --now`]),
    ];
  }
  const opened = events.findLast(
    (event) => event.type === 'gate:opened' && event.gate === given.gate,
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

/** A `wait` node is never cut short; a park and a backoff begin with a failure. */
function isWaitNode({ path }: Wait, events: readonly RunEvent[]): boolean {
  return (
    events.findLast((event) => 'path' in event && event.path === path)?.type === 'node:started'
  );
}

/** As it may be given to `--value`. */
function asTyped(option: JsonValue): string {
  return typeof option === 'string' ? option : jsonText(option);
}

/** An edit carries its value, and some options a text, so the bare word would be refused. */
function answerForm(option: JsonValue, { promptFor = [] }: Wait): string {
  if (promptFor.some(({ value }) => value === option))
    return shellWord(JSON.stringify({ selected: option, additional_input: '…' }));
  return option === 'edit' ? `'{"edit": …}'` : shellWord(asTyped(option));
}
