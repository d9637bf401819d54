/**
 * The story of a failure: every attempt with its cost, every wait, the route that took it and the
 * others.
 */
import type { ComponentChildren, JSX } from 'preact';
import type { PersonReport } from '../../../src/errors/report/audiences.ts';
import { durationWords } from '../../../src/errors/render/report-words.ts';
import type { FailureHistory, FailureStep } from '../../../src/history/failure-history.ts';
import type { SkippedRoute } from '../../../src/history/skipped-routes.ts';
import { optionWord } from '../../text/words.ts';
import { clockWords } from '../../text/time.ts';
import { KindLink, Money } from '../parts.tsx';
import { useSurroundings } from '../surroundings.ts';
import { StackedTable } from '../stacked-table.tsx';
import type { UselessReply } from './useless-replies.ts';

interface AttemptRow {
  readonly number: number;
  readonly target: string;
  readonly kind: string;
  readonly message: string;
  readonly waitedMs: number | undefined;
  readonly costUsdMicros: number | undefined;
}

interface AttemptsOf {
  readonly report: PersonReport;
  readonly history: FailureHistory | undefined;
  /** The calls of its step that failed, or whose reply was unusable. */
  readonly replies: readonly UselessReply[];
}

/** Attempts from the history of the failure, which has all of them; else those in the report. */
function attemptRows({ report, history, replies }: AttemptsOf): readonly AttemptRow[] {
  const failed = (history?.steps ?? []).flatMap((step, at, all) => {
    if (step.type !== 'failed' || step.layer !== 'effect') return [];
    return [{ ...step, waitedMs: waitBefore(all.slice(0, at)) }];
  });
  if (failed.length > 0 && replies.length === 0)
    return failed.map(({ target = '', kind, message, waitedMs, costUsdMicros }, index) => ({
      number: index + 1,
      target,
      kind,
      message,
      waitedMs,
      costUsdMicros,
    }));
  if (replies.length > 0)
    return replies.map(
      ({ target, kind = report.kind, outcome, message, costUsdMicros }, index) => ({
        number: index + 1,
        target,
        kind,
        message:
          outcome === 'succeeded' ? 'The reply did not have the required form' : (message ?? ''),
        waitedMs: undefined,
        costUsdMicros,
      }),
    );
  return (report.attempts ?? []).map(
    ({ number, target = '', kind, message = '', waitedMs, costUsdMicros }) => ({
      number,
      target,
      kind,
      message,
      waitedMs,
      costUsdMicros,
    }),
  );
}

/**
 * The wait after the previous attempt: of the call by its schedule, of its node by a retry route.
 */
function waitBefore(steps: readonly FailureStep[]): number | undefined {
  for (const step of steps.toReversed()) {
    if (step.type === 'asked_again') return step.waitedMs;
    if (step.type === 'retrying') return step.delayMs;
    if (step.type === 'failed' && step.layer === 'effect') return undefined;
  }
  return undefined;
}

export function AttemptTable(attempts: AttemptsOf): JSX.Element | null {
  const rows = attemptRows(attempts);
  if (rows.length === 0) return null;
  return (
    <div class="sub">
      <h3>Every attempt</h3>
      <StackedTable
        name="Every attempt"
        isInOrder
        columns={[
          'No.',
          'Asked',
          'Kind',
          'Message',
          { numbers: 'Waited before' },
          { numbers: 'Cost' },
        ]}
        rows={rows.map(({ number, target, kind, message, waitedMs, costUsdMicros }) => [
          number,
          target,
          <KindLink kind={kind} />,
          <span class="message">{message}</span>,
          waitedMs === undefined ? '' : durationWords(waitedMs),
          <Money micros={costUsdMicros ?? 0} />,
        ])}
      />
    </div>
  );
}

/** The routes that were considered, the one that took it, and the answers of people. */
export function FailureStory({
  history,
}: {
  readonly history: FailureHistory;
}): JSX.Element | null {
  const { zone } = useSurroundings();
  const shown = history.steps.filter(({ type }) => type !== 'asked_again');
  if (shown.length === 0) return null;
  return (
    <div class="sub">
      <h3>What became of it</h3>
      <ol class="story">
        {shown.map((step, index) => (
          <li key={index}>
            <time dateTime={step.at} class="quiet">
              {clockWords(step.at, zone)}
            </time>{' '}
            {stepWords(step)}
          </li>
        ))}
      </ol>
    </div>
  );
}

function stepWords(step: FailureStep): ComponentChildren {
  switch (step.type) {
    case 'failed': {
      const who = step.layer === 'effect' ? (step.target ?? 'the call') : (step.path ?? 'the run');
      return (
        <>
          {who} failed as <KindLink kind={step.kind} />
        </>
      );
    }
    case 'asked_again':
      return `${step.target} was asked again`;
    case 'retrying':
      return `re-run ${step.attempt} after ${durationWords(step.delayMs)}`;
    case 'route':
      return <RouteStep step={step} />;
    case 'asked':
      return `a person was asked: ${step.options.map(optionWord).join(', ')}`;
    case 'answered':
      return `${step.by} answered ${optionWord(step.value)}`;
    case 'expired':
      return 'nobody answered in time';
    case 'suppressed':
      return step.reason;
    case 'ended':
      return step.how;
  }
}

function RouteStep({
  step,
}: {
  readonly step: Extract<FailureStep, { type: 'route' }>;
}): JSX.Element {
  const { path = '', move, to, passed } = step;
  const target = move === 'to' ? `to ${to ?? '$end'}` : move;
  return (
    <>
      {path}: <strong>{target}</strong> <span class="quiet">by {ruleName(step)}</span>
      {passed.length > 0 && (
        <ul class="passed">
          {passed.map((route) => (
            <li key={`${route.bucket} ${route.rule}`}>
              {ruleName(route)}{' '}
              <span class="quiet">
                ({onWords(route)} → {route.move})
              </span>
              : {route.why}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function ruleName({ bucket, rule }: { readonly bucket: string; readonly rule?: number }): string {
  if (rule === undefined || bucket === 'default') return 'the default, as no route took it';
  return bucket === 'workflow' ? `on_error[${rule}] of the workflow` : `routes[${rule}]`;
}

function onWords({ on }: SkippedRoute): string {
  return on === true ? 'any failure' : on.join(', ');
}
