/** One step with all its facts: tries, failures, prompt and answer, calls, state, events. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { durationWords } from '../../../src/errors/render/report-words.ts';
import { isUnhandled } from '../../../src/history/run-view/read-view.ts';
import type { StepFailure, StepView, TryView } from '../../../src/history/run-view/view.ts';
import { clockWords } from '../../text/time.ts';
import { counted, grouped, spaced } from '../../text/words.ts';
import { Facts, KindLink, Money, Ago } from '../parts.tsx';
import { StatusWord, StepStatusWord } from '../status.tsx';
import { useSurroundings } from '../surroundings.ts';
import type { StepDrawerProps, WholeRunPage } from './page-data.ts';
import { StepEvents } from './step-events.tsx';

/** Every step with its details, for a file, in which no script can open anything. */
export function AllSteps({ page }: { readonly page: WholeRunPage }): JSX.Element {
  const { events = [], view } = page;
  const byPath = Map.groupBy(events, (event) => ('path' in event ? event.path : ''));
  return (
    <div class="all-steps">
      {view.steps.map((step) => (
        <details key={step.path}>
          <summary>Step {step.path}</summary>
          <StepDrawer
            page={{ ...page, step: step.path, stepEvents: byPath.get(step.path) ?? [] }}
            step={step}
            actions={undefined}
          />
        </details>
      ))}
    </div>
  );
}

/** An opened step is read from its heading. */
function useFocusOn(path: string | undefined): { current: HTMLHeadingElement | null } {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (path !== undefined) heading.current?.focus();
  }, [path]);
  return heading;
}

export function StepDrawer({ page, step, actions }: StepDrawerProps): JSX.Element {
  const { path } = step;
  const heading = useFocusOn(actions === undefined ? undefined : path);
  // a file has many of them
  const id = actions === undefined ? `step-${step.firstSeq}` : 'step';
  const canRetry = page.nextMoves.some(({ move }) => move === 'resume' || move === 'retry');
  return (
    <section class="region drawer" aria-labelledby={`${id}-name`} id={id}>
      <div class="region-head">
        <h2 id={`${id}-name`} tabIndex={-1} ref={heading}>
          Step {path}
        </h2>
        {actions !== undefined && (
          <button type="button" class="small" onClick={() => actions.openStep(undefined)}>
            Close
          </button>
        )}
      </div>
      <Facts
        facts={[
          ['Status', <StepStatusWord status={step.status} isBad={isUnhandled(page.view, step)} />],
          ['Started', <Ago at={step.startedAt} />],
          ['Took', tookWords(step)],
          ['Attempts', step.attempts],
          ['Calls', step.calls === 0 ? undefined : step.calls],
          ['Tokens', step.tokens === 0 ? undefined : grouped(step.tokens)],
          ['Cost', <Money micros={step.costUsdMicros} />],
          ['Runs', step.child],
          ['Asks now', step.pending.map(({ target }) => target).join(', ')],
        ]}
      />
      {actions?.mayRun === true && canRetry && (
        <p class="buttons">
          <button
            type="button"
            aria-disabled={actions.isBusy}
            onClick={() => actions.retryFrom(path)}
          >
            Retry from here
          </button>
          <span class="quiet">runs this step and what follows it again, in the same run</span>
        </p>
      )}
      {step.live !== undefined && (
        <div class="sub">
          <h3>Comes in now</h3>
          <pre class="value" tabIndex={0}>
            {step.live.text}
          </pre>
        </div>
      )}
      <Failures step={step} />
      <Tries step={step} />
      {page.stepEvents !== undefined && <StepEvents events={page.stepEvents} />}
    </section>
  );
}

/** The time of all its attempts, without the time between two legs of the run. */
function tookWords({ startedAt, endedAt, tries }: StepView): string | undefined {
  if (endedAt === undefined) return undefined;
  const between = (from: string, to: string): number =>
    Math.max(0, Date.parse(to) - Date.parse(from));
  const all = between(startedAt, endedAt);
  const took = [...tries].reduce(
    (sum, each) => sum + between(each.startedAt, each.endedAt ?? endedAt),
    0,
  );
  const words = durationWords(Math.min(took, all));
  return took < all ? `${words}, over ${durationWords(all)}` : words;
}

function Failures({ step }: { readonly step: StepView }): JSX.Element | null {
  const { zone } = useSurroundings();
  const failures = ownFailures(step);
  if (failures.length === 0) return null;
  return (
    <div class="sub">
      <h3>Failures</h3>
      <ol class="story">
        {failures.map((failure) => (
          <li key={failure.seq}>
            <time dateTime={failure.at} class="quiet">
              {clockWords(failure.at, zone)}
            </time>{' '}
            <KindLink kind={failure.error.kind} />
            {failure.target !== undefined && <span class="quiet"> of {failure.target}</span>}{' '}
            <StatusWord status={failure.fate} />
            <p class="message">{failure.error.message}</p>
            <p class="quiet">{failureWords(failure)}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** A failure of a call that became the failure of its node counts once. */
function ownFailures({ failures }: StepView): readonly StepFailure[] {
  const ofNode = new Set(
    failures.filter(({ layer }) => layer === 'node').map(({ error }) => error.id),
  );
  return failures.filter(({ layer, error }) => layer === 'node' || !ofNode.has(error.id));
}

function failureWords({ error, route, costUsdMicros, layer }: StepFailure): string {
  const taken =
    route === undefined
      ? []
      : [`route: ${route.move === 'to' ? `to ${route.to ?? ''}` : route.move}`];
  const cost =
    costUsdMicros === undefined || costUsdMicros === 0
      ? []
      : [`cost $${costUsdMicros / 1_000_000}`];
  return [`of the ${layer}`, `outcome ${spaced(error.outcome)}`, ...taken, ...cost, error.id].join(
    ' · ',
  );
}

function Tries({ step }: { readonly step: StepView }): JSX.Element | null {
  if (step.tries.length < 2) return null;
  return (
    <div class="sub">
      <h3>{counted(step.tries.length, 'try', 'tries')}</h3>
      <ol class="story">
        {step.tries.map((each) => (
          <li key={each.seq}>
            <StatusWord status={each.status} /> {tryWords(each)}
            {each.error !== undefined && <KindLink kind={each.error.kind} />}
          </li>
        ))}
      </ol>
    </div>
  );
}

function tryWords({ startedAt, endedAt, calls }: TryView): string {
  const took =
    endedAt === undefined
      ? ''
      : ` in ${durationWords(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)))}`;
  return `${took}${calls === 0 ? '' : `, ${counted(calls, 'call')}`} `;
}
