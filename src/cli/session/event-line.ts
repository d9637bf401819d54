/** Renders an event as one line, for people who follow a run. */
import { onScreen } from '../../errors/support/on-screen.ts';
import { singleLine } from '../../errors/support/printable.ts';
import { forPerson } from '../../errors/report/audiences.ts';
import { durationWords } from '../../errors/render/report-words.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { clockWords, tokenWords, usdWords } from '../screen/number-words.ts';

export class EventLines {
  readonly #isVerbose: boolean;
  /** A failure is printed in full once; the node that fails with it gets a short line. */
  #shownId: string | undefined;
  /** The model that failed last, by the path of its node. */
  readonly #failed = new Map<string, string>();

  /** `verbose` prints every step, with its time. */
  constructor({ verbose = false }: { readonly verbose?: boolean } = {}) {
    this.#isVerbose = verbose;
  }

  /** Returns undefined for an event that adds nothing. */
  of(raw: RunEvent): string | undefined {
    const event = onScreen(raw);
    const line =
      event.type === 'node:failed' && event.error.id === this.#shownId
        ? `  ${event.path} failed (${event.error.kind})`
        : (usualLine(event) ??
          this.#callLine(event) ??
          (this.#isVerbose ? detailLine(event) : undefined));
    if (event.type === 'effect:failed' && event.effect.type === 'model')
      this.#failed.set(event.path, event.effect.target);
    if ('error' in event && line !== undefined) this.#shownId = event.error?.id;
    return line !== undefined && this.#isVerbose ? `${clockWords(event.at)} ${line}` : line;
  }

  /** A call gets a line only where it follows a failure. */
  #callLine(event: RunEvent): string | undefined {
    if (event.type !== 'effect:requested' || event.effect.type !== 'model') return undefined;
    const { path, effect, attempt } = event;
    const failed = this.#failed.get(path);
    this.#failed.delete(path);
    if (event.isCorrection === true)
      return `  ${path}: the reply does not fit, so ${effect.target} is called again to correct it`;
    if (event.isRejected === true)
      return `  ${path}: the output was refused by its judge, so ${effect.target} is called again with its words`;
    if (failed === undefined) return undefined;
    const key = event.refreshesKey === true ? ' with a fresh key' : '';
    return failed === effect.target
      ? `  ${path}: ${effect.target} is called again${key} (attempt ${attempt + 1})`
      : `  ${path}: ${effect.target} is called instead`;
  }
}

function usualLine(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run:started':
      return `▸ ${event.workflow} (${event.run})`;
    case 'run:resumed':
      return `▸ resumed (${event.run})${resumedHow(event)}`;
    case 'node:started':
      return `  ${event.path} started${event.attempt === 0 ? '' : ` again (re-run ${event.attempt})`}`;
    case 'node:completed':
      return `  ${event.path} completed`;
    case 'node:failed':
      return `  ${event.path} failed: ${errorWords(event.error)}`;
    case 'node:retrying':
      return `  ${event.path} runs again in ${durationWords(event.delayMs)}`;
    case 'node:skipped':
      return `  ${event.path} skipped: ${event.reason}`;
    case 'route:taken':
      return routeLine(event);
    case 'effect:failed':
      // for other effects the failure of the node follows at once
      return event.effect.type === 'model' || event.effect.type === 'tool'
        ? `  ${event.path}: ${event.effect.target} failed: ${errorWords(event.error)}`
        : undefined;
    case 'gate:opened':
      return `  ${event.path} asks: ${singleLine(event.prompt)} [${event.options.map(String).join(', ')}]`;
    case 'gate:answered':
      return `  ${event.path} answered ${event.by === 'prepared' ? 'in advance' : `by ${event.by}`}`;
    case 'gate:expired':
      return `  ${event.path}: no answer in time`;
    case 'breaker:changed':
      return `  the breaker of ${event.target} is ${event.to} (was ${event.from})`;
    case 'budget:warning':
      return `  ${holderOf(event)} has spent ${spentOf(event)}`;
    case 'budget:paused':
      return `  ${holderOf(event)} stops at its budget: the next call would exceed it, with ${spentOf(event)} spent`;
    case 'error:suppressed':
      return `  ${suppressedWords(event)}`;
    // the end of a leg is printed separately
    case 'run:completed':
    case 'run:cancelled':
    case 'run:failed':
    case 'run:paused':
    case 'effect:requested':
    case 'effect:succeeded':
    case 'child:started':
    case 'child:ended':
      return undefined;
  }
}

/** Lines of `--verbose`. */
function detailLine(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'effect:requested':
      return `  ${event.path}: calls ${event.effect.type} ${event.effect.target}${event.attempt === 0 ? '' : ` (attempt ${event.attempt + 1})`}`;
    case 'effect:succeeded': {
      const { inputTokens = 0, outputTokens = 0 } = event.usage ?? {};
      const tokens =
        inputTokens + outputTokens === 0
          ? ''
          : `, ${tokenWords(inputTokens)} in, ${tokenWords(outputTokens)} out`;
      const cost = event.costUsdMicros === undefined ? '' : `, ${usdWords(event.costUsdMicros)}`;
      return `  ${event.path}: ${event.effect.target} succeeded${tokens}${cost}`;
    }
    case 'effect:failed':
      return `  ${event.path}: ${event.effect.target} failed: ${errorWords(event.error)}`;
    case 'route:taken':
      return `  ${event.path} → ${moveWords(event)}`;
    case 'child:started':
      return `  ${event.path} calls ${event.workflow}`;
    case 'child:ended':
      return `  ${event.path}: ${event.workflow} ${event.status}`;
    case 'run:paused':
      return `▪ paused: ${event.waiting.reason}`;
    case 'run:failed':
      return `▪ failed: ${errorWords(event.error)}`;
    default:
      return undefined;
  }
}

/** Describes a failure that did not stop the run. */
function suppressedWords({
  error,
  reason,
  at,
  isWarning,
}: Extract<RunEvent, { type: 'error:suppressed' }>): string {
  if (isStoreKind(error.kind)) {
    const awayMs = Math.max(0, Date.parse(at) - Date.parse(error.at));
    return `recovered: the store came back after ${durationWords(awayMs)}`;
  }
  return isWarning === true
    ? `warning: ${singleLine(forPerson(error).message)}`
    : `warning: ${errorWords(error)} (${reason})`;
}

function isStoreKind(kind: string): boolean {
  return kind.startsWith('store.');
}

function errorWords(error: ErrorReport): string {
  const { kind, message } = forPerson(error);
  return `${kind}: ${singleLine(message)}`;
}

/** A retry and a question have an event of their own, which follows. */
function routeLine(event: Extract<RunEvent, { type: 'route:taken' }>): string | undefined {
  const { bucket, move, path } = event;
  if (bucket === 'success' || move === 'retry' || move === 'ask') return undefined;
  if (bucket !== 'default') return `  ${path} → ${moveWords(event)}`;
  const around = enclosing(path);
  return `  ${path}: ${around === undefined ? 'no route matches' : `passes to ${around}`}`;
}

/** The path of the group, sub-workflow or supervisor around a path; keys of members hold no `/` or `[`. */
function enclosing(path: string): string | undefined {
  const end = path.lastIndexOf('/');
  return end === -1 ? undefined : path.slice(0, end).replace(/\[[^[\]]*\]$/, '');
}

function moveWords({ move, to, until }: Extract<RunEvent, { type: 'route:taken' }>): string {
  if (move === 'park' && until !== undefined) return `park until ${until}`;
  return to ?? move;
}

function resumedHow({ from, drift }: Extract<RunEvent, { type: 'run:resumed' }>): string {
  const parts = [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(drift === undefined || drift.changed.length === 0
      ? []
      : [`changed since: ${drift.changed.join(', ')}`]),
    ...(drift === undefined || drift.kept.length === 0
      ? []
      : [`changed, results kept: ${drift.kept.join(', ')}`]),
    ...changedModules(drift?.modules),
  ];
  return parts.length === 0 ? '' : `, ${parts.join('; ')}`;
}

function changedModules(modules: readonly string[] = []): readonly string[] {
  if (modules.length === 0) return [];
  return [`changed since: the module${modules.length === 1 ? '' : 's'} ${modules.join(', ')}`];
}

type BudgetEvent = Extract<RunEvent, { type: 'budget:warning' | 'budget:paused' }>;

function holderOf({ holder }: BudgetEvent): string {
  return holder === '' ? 'the run' : holder;
}

function spentOf({ spent, limit, unit }: BudgetEvent): string {
  return `${amount(spent, unit)} of its ${amount(limit, unit)}`;
}

function amount(value: number, unit: 'usd' | 'tokens'): string {
  return unit === 'usd' ? usdWords(value) : `${tokenWords(value)} tokens`;
}
