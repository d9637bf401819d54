/** The page of a run: status, the open failure, what to do, then graph, steps, timeline, output and costs. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { PersonReport } from '../../../src/errors/report/audiences.ts';
import { usdWords } from '../../../src/errors/render/money.ts';
import { durationWords } from '../../../src/errors/render/phrases.ts';
import type { LedgerRow } from '../../../src/history/run-view/ledger-row.ts';
import { elapsedMs } from '../../../src/history/run-view/read-view.ts';
import { stepAt } from '../../../src/history/run-view/steps.ts';
import { grouped } from '../../text/words.ts';
import { Ago, Empty, Facts, type Fact, KindLink, PageLink, Region, Value } from '../parts.tsx';
import { RunStatusWords } from '../status.tsx';
import { useSurroundings } from '../surroundings.ts';
import { Costs } from './costs.tsx';
import { FailurePanel } from './failure-panel.tsx';
import { RunGraph } from './run-graph.tsx';
import { NextMoves } from './next-moves.tsx';
import { openFailures } from './open-failures.ts';
import type { RunActions, RunPageData, WholeRunPage } from './page-data.ts';
import { Steps } from './steps.tsx';
import { Timeline } from './timeline.tsx';

/** As many steps as people write nodes are shown, of a run of thousands fewer: each row takes its time to draw. */
const FIRST_STEPS = 300;
const FEW_STEPS = 100;
const MOST_LANES = 200;
const FEW_LANES = 60;

export interface RunReportProps {
  readonly page: RunPageData;
  /** Absent in a file. */
  readonly actions?: RunActions | undefined;
  /** The details of every step, where none can be opened. */
  readonly AllSteps?: (props: { readonly page: WholeRunPage }) => JSX.Element;
}

export function runHeading({ workflow, run }: Pick<RunPageData, 'workflow' | 'run'>): string {
  return `${workflow} ${run}`;
}

export function RunReport({ page, actions, AllSteps }: RunReportProps): JSX.Element {
  const { view } = page;
  return (
    <>
      <RunHead page={page} />
      <div class="failure-and-moves">
        <Failures page={page} actions={actions} />
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

/** Rows that were shown stay when more steps start. */
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
      </p>
      <Facts
        facts={[
          ...facts,
          [
            'Workflow',
            <PageLink to={`/workflows/${encodeURIComponent(workflow)}`}>
              {file ?? workflow}
            </PageLink>,
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
    ['Waits for', waitWords(page)],
    ['Cancelled by', cancelWords(page)],
  ];
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

function waitWords({ view, questions }: WholeRunPage): JSX.Element | undefined {
  const { waiting } = view;
  if (waiting === undefined) {
    const [question] = questions;
    return question === undefined ? undefined : <>an answer at {question.gate}</>;
  }
  const { reason, gate, path, until } = waiting;
  return (
    <>
      {WAITS[reason]}
      {(gate ?? path) === undefined ? '' : ` at ${gate ?? path}`}
      {until !== undefined && (
        <>
          , until <Ago at={until} />
        </>
      )}
    </>
  );
}

const WAITS = {
  gate: 'an answer',
  time: 'a time',
  budget: 'a larger budget',
  outcome: 'someone who finds out what happened',
  person: 'a person to resume it',
} as const;

function cancelWords({ view }: WholeRunPage): string | undefined {
  if (view.cancelled === undefined) return undefined;
  const { by, reason } = view.cancelled;
  return reason === undefined ? by : `${by}: ${reason}`;
}

/** The failure that the run ended with or waits for; further open ones lead to their steps. */
function Failures({ page, actions }: RunReportProps): JSX.Element | null {
  const [first, ...others] = openFailures(page);
  if (first === undefined) return null;
  const history = page.life?.find(
    ({ id, error }) => id === first.id || error.cause?.id === first.id,
  );
  return (
    <Region name="Failure" id="failure" class="failure-region">
      <FailurePanel
        run={page.run}
        report={first}
        history={history}
        replies={uselessReplies(page, first)}
        source={page.source}
        copyReport={actions?.copyReport}
      />
      {others.length > 0 && (
        <div class="sub">
          <h3>Open as well</h3>
          <ul>
            {others.map((other) => (
              <li key={other.id}>
                <KindLink kind={other.kind} /> {other.message}{' '}
                {other.location?.path !== undefined && (
                  <PageLink
                    to={`/runs/${encodeURIComponent(page.run)}?step=${encodeURIComponent(other.location.path)}`}
                  >
                    {other.location.path}
                  </PageLink>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Region>
  );
}

/** A reply that has come and does not fit is no failed call, so the report does not list it. */
function uselessReplies({ view }: RunPageData, { kind, location }: PersonReport): LedgerRow[] {
  if (view === undefined || kind !== 'agent.output_invalid') return [];
  const { rows, sentBack } = view.costs;
  return sentBack.flatMap((at) => {
    const row = rows.at(at);
    return row === undefined || row.path !== location?.path ? [] : [row];
  });
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

/** Who answered and resumed, and what was noted on the way. */
function People({ page }: { readonly page: WholeRunPage }): JSX.Element | null {
  const { answers, legs, notes } = page.view;
  const resumed = legs.filter(({ cause }) => cause === 'resumed');
  if (answers.length + resumed.length + notes.length === 0) return null;
  return (
    <Region name="Notes" id="notes">
      <ul class="story">
        {resumed.map(({ seq, from, by }) => (
          <li key={seq}>
            <Ago at={from} /> resumed by {by ?? 'errand'}
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
