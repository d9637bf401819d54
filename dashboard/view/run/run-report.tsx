/**
 * The page of a run: status, the open failure, the remedy, then graph, steps, timeline, output and
 * costs.
 */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { usdWords } from '../../../src/errors/render/money.ts';
import { durationWords } from '../../../src/errors/render/report-words.ts';
import { elapsedMs } from '../../../src/history/run-view/read-view.ts';
import { stepAt } from '../../../src/history/run-view/steps.ts';
import { grouped, waitWords } from '../../text/words.ts';
import { Ago, Empty, Facts, type Fact, KindLink, PageLink, Region, Value } from '../parts.tsx';
import { RunStatusWords } from '../status.tsx';
import { useSurroundings } from '../surroundings.ts';
import { Costs } from './costs.tsx';
import { RunGraph } from './run-graph.tsx';
import type { FailuresProps } from './failures.tsx';
import { NextMoves } from './next-moves.tsx';
import { openFailures } from './open-failures.ts';
import type { RunActions, RunPageData, WholeRunPage } from './page-data.ts';
import { Steps } from './steps.tsx';
import { Timeline } from './timeline.tsx';

/**
 * A workflow that a person wrote shows all its steps at once, a run of thousands shows fewer: each
 * row takes time to draw.
 */
const FIRST_STEPS = 300;
const FEW_STEPS = 100;
const MOST_LANES = 200;
const FEW_LANES = 60;
/** With more steps than this, the rest of the page is far below. */
const LONG = 20;

export interface RunReportProps {
  readonly page: RunPageData;
  /** Absent in a file. */
  readonly actions?: RunActions | undefined;
  /** Most runs have no open failure, so a page loads this only if there is one. */
  readonly Failures: (props: FailuresProps) => JSX.Element | null;
  /** The details of every step, if none can be opened. */
  readonly AllSteps?: (props: { readonly page: WholeRunPage }) => JSX.Element;
}

export function runHeading({ workflow, run }: Pick<RunPageData, 'workflow' | 'run'>): string {
  return `${workflow} ${run}`;
}

export function RunReport({ page, actions, Failures, AllSteps }: RunReportProps): JSX.Element {
  const { view } = page;
  return (
    <>
      <RunHead page={page} />
      <div class="failure-and-moves">
        {openFailures(page).length > 0 && <Failures page={page} actions={actions} />}
        <NextMoves page={page} actions={actions} />
      </div>
      {view === undefined ? (
        <Empty>Reading the log…</Empty>
      ) : (
        <FromTheLog page={{ ...page, view }} actions={actions} AllSteps={AllSteps} />
      )}
    </>
  );
}

interface WholeProps {
  readonly page: WholeRunPage;
  readonly actions: RunActions | undefined;
  readonly AllSteps: RunReportProps['AllSteps'] | undefined;
}

function FromTheLog({ page, actions, AllSteps }: WholeProps): JSX.Element {
  const { view } = page;
  const step = page.step === undefined ? undefined : stepAt(view, page.step);
  const [isLong, setIsLong] = useState(false);
  const first = useFirstSteps(view.steps.length);
  const limit = actions === undefined || isLong ? undefined : first;
  const isCut = actions !== undefined && view.steps.length > FIRST_STEPS;
  return (
    <>
      {actions !== undefined && view.steps.length > LONG && <Parts />}
      <RunGraph page={page} actions={actions} />
      <div class={step === undefined ? '' : 'with-drawer'}>
        <Steps page={page} actions={actions} limit={limit} showMore={() => setIsLong(true)} />
        {step !== undefined && actions !== undefined && (
          <actions.parts.StepDrawer page={page} step={step} actions={actions} />
        )}
        {AllSteps !== undefined && <AllSteps page={page} />}
      </div>
      <Timeline view={view} most={isCut && !isLong ? FEW_LANES : MOST_LANES} />
      <div class="side-by-side">
        <Output page={page} />
        <Input page={page} />
      </div>
      <Costs view={view} />
      <People page={page} />
    </>
  );
}

/** Links past many steps. */
function Parts(): JSX.Element {
  return (
    <nav aria-label="On this page" class="buttons">
      {['Steps', 'Timeline', 'Output', 'Input', 'Costs'].map((name) => (
        <a key={name} href={`#${name.toLowerCase()}`}>
          {name}
        </a>
      ))}
    </nav>
  );
}

/** Rows stay visible when more steps start. */
function useFirstSteps(all: number): number {
  const shown = useRef(0);
  shown.current = Math.max(shown.current, all > FIRST_STEPS ? FEW_STEPS : all);
  return shown.current;
}

function RunHead({ page }: { readonly page: RunPageData }): JSX.Element {
  const { nowMs } = useSurroundings();
  const { view, workflow, run, status, attention, file } = page;
  const facts = view === undefined ? [] : factsOf({ ...page, view }, nowMs);
  return (
    <header class="page-head">
      <h1 tabIndex={-1}>
        {workflow} <span class="id">{run}</span>
      </h1>
      <p class="page-status">
        <RunStatusWords status={status} attention={attention} />
        {openFailures(page).length > 0 && (
          <a class="to-moves" href="#next-moves">
            What can be done
          </a>
        )}
      </p>
      <Facts
        facts={[
          ...facts,
          [
            'Workflow',
            // the server has no page of a workflow that it does not serve
            page.resumeObstacle === 'not_served' ? (
              (file ?? workflow)
            ) : (
              <PageLink to={`/workflows/${encodeURIComponent(workflow)}`}>
                {file ?? workflow}
              </PageLink>
            ),
          ],
        ]}
      />
    </header>
  );
}

function factsOf(page: WholeRunPage, nowMs: number): readonly Fact[] {
  const { view, status } = page;
  return [
    ['Elapsed', <span class="number">{durationWords(elapsedMs(view, status, nowMs))}</span>],
    ['Spent', spentWords(page)],
    ['Started', <Ago at={view.startedAt} />],
    ['Ended', view.endedAt === undefined ? undefined : <Ago at={view.endedAt} />],
    ['Resumed', resumedTimes(page)],
    ['Waits for', waitedFor(page)],
    ['Cancelled by', cancelWords(page)],
  ];
}

/** A run that was resumed and failed the same way again looks unchanged except for this. */
function resumedTimes({ view }: WholeRunPage): JSX.Element | undefined {
  const legs = view.legs.filter(({ cause, by }) => cause === 'resumed' && by !== undefined);
  const last = legs.at(-1);
  if (last === undefined) return undefined;
  return (
    <>
      {legs.length === 1 ? 'once' : `${legs.length} times, last`}, <Ago at={last.from} />, by{' '}
      {resumer(last.by)}
    </>
  );
}

function spentWords({ view }: WholeRunPage): string {
  const { total } = view.costs;
  const { usdMicros, tokens } = view.budget ?? {};
  const money = `${usdWords(total.usdMicros)}${usdMicros === undefined ? '' : ` of ${usdWords(usdMicros)}`}`;
  const counted =
    tokens === undefined ? '' : `, ${grouped(total.tokens)} of ${grouped(tokens)} tokens`;
  const lost =
    total.failedUsdMicros === 0
      ? ''
      : `, ${usdWords(total.failedUsdMicros)} of it on failed attempts`;
  return money + counted + lost;
}

/** Undefined if it waits for nothing. */
function waitedFor({
  view,
  questions,
  attention,
  nextTry,
}: WholeRunPage): JSX.Element | string | undefined {
  const { path, until } = view.waiting ?? {};
  const [question] = questions;
  if (attention === 'retrying') {
    const next = nextTry ?? (path === undefined ? undefined : { path, at: until });
    return next === undefined ? 'the next try' : within(`the next try of ${next.path}`, next.at);
  }
  if (view.waiting !== undefined) return within(waitWords(view.waiting), until);
  return question === undefined
    ? undefined
    : within(waitWords({ reason: 'gate', gate: question.gate }), question.deadline);
}

function within(words: string, at: string | undefined): JSX.Element {
  return (
    <>
      {words}
      {at !== undefined && (
        <>
          , <Ago at={at} />
        </>
      )}
    </>
  );
}

function cancelWords({ view }: WholeRunPage): string | undefined {
  if (view.cancelled === undefined) return undefined;
  const { by, reason } = view.cancelled;
  return reason === undefined ? by : `${by}: ${reason}`;
}

function Output({ page }: { readonly page: WholeRunPage }): JSX.Element {
  const { output, endedAt } = page.view;
  const none = endedAt === undefined ? 'The run has no output yet.' : 'The run ended without one.';
  return (
    <Region name="Output" id="output">
      {output === undefined ? <Empty>{none}</Empty> : <Value value={output} />}
    </Region>
  );
}

function Input({ page }: { readonly page: WholeRunPage }): JSX.Element {
  return (
    <Region name="Input" id="input">
      <Value value={page.view.input} />
    </Region>
  );
}

/** Servers continue runs too, without being asked. */
const SERVER_REASONS: Readonly<Record<string, string>> = {
  timer: 'a server, because its time had come',
  adoption: 'a server, because the process that had it was gone',
};

function resumer(by = 'errand'): string {
  return SERVER_REASONS[by] ?? by;
}

/** Who answered and resumed, and the notes of the run. */
function People({ page }: { readonly page: WholeRunPage }): JSX.Element | null {
  const { answers, legs, notes } = page.view;
  const resumed = legs.filter(({ cause }) => cause === 'resumed');
  if (answers.length + resumed.length + notes.length === 0) return null;
  return (
    <Region name="Notes" id="notes">
      <ul class="story">
        {resumed.map(({ seq, from, by }) => (
          <li key={seq}>
            <Ago at={from} /> resumed by {resumer(by)}
          </li>
        ))}
        {answers.map(({ seq, at, by, gate, value }) => (
          <li key={seq}>
            <Ago at={at} />{' '}
            {value === undefined
              ? `nobody answered ${gate} in time`
              : `${by ?? ''} answered ${gate}: ${JSON.stringify(value)}`}
          </li>
        ))}
        {notes.map(({ seq, at, text, error }) => (
          <li key={seq}>
            <Ago at={at} /> {text} {error !== undefined && <KindLink kind={error.kind} />}
          </li>
        ))}
      </ul>
    </Region>
  );
}
