/**
 * The failure panel: the failure, the remedy, the reason of its classification, and every attempt.
 */
import type { JSX } from 'preact';
import type { PersonReport } from '../../../src/errors/report/audiences.ts';
import * as words from '../../../src/errors/render/report-words.ts';
import type { FailureHistory } from '../../../src/history/failure-history.ts';
import type { SourceFile } from '../../../src/history/run-page.ts';
import { failedLine } from '../../text/expression-line.ts';
import { spaced } from '../../text/words.ts';
import { CopyButton, DateTime, Facts, KindLink, StepLink, Value } from '../parts.tsx';
import { StatusIcon } from '../status.tsx';
import { useSurroundings } from '../surroundings.ts';
import { AttemptTable, FailureStory } from './failure-story.tsx';
import type { UselessReply } from './useless-replies.ts';

export interface FailurePanelProps {
  readonly run: string;
  readonly report: PersonReport;
  readonly history?: FailureHistory | undefined;
  /** The calls of its step that failed, or whose reply was unusable. */
  readonly replies?: readonly UselessReply[] | undefined;
  readonly lastReply?: unknown;
  /** A file, possibly the one that contains the failure. */
  readonly source?: SourceFile | undefined;
  readonly copyReport?: ((id: string, form: 'markdown' | 'problem') => Promise<string>) | undefined;
}

export function FailurePanel(props: FailurePanelProps): JSX.Element {
  const { run, report, history, replies = [], lastReply, source, copyReport } = props;
  return (
    <div class="failure">
      <p class="failure-head">
        <StatusIcon status="failed" />
        <strong class="failure-title">{report.title}</strong>
        <KindLink kind={report.kind} />
      </p>
      <p class="message">{report.message}</p>
      <p class="what-to-do">
        <strong>What to do</strong> {report.action.detail}
      </p>
      <Stderr report={report} />
      {lastReply !== undefined && (
        <div class="sub">
          <h3>The last reply of the model</h3>
          <Value value={lastReply} />
        </div>
      )}
      <Members run={run} report={report} />
      <Facts
        facts={[
          ['Category', words.categoryWords(report)],
          ['Retryable', words.retryableWords(report)],
          ['Outcome', spaced(report.outcome)],
          ['Where', where(run, report)],
          ['When', <DateTime at={report.at} />],
          ['Report', <code>{report.id}</code>],
          ['Rule and evidence', ruleOf(report, history)],
          ['Provider', words.providerWords(withProvider(report))],
          ['Attempt', words.attemptCount(report.attempt)],
          ['Exit code', exitCodeOf(report)],
          ['Declared by the node', report.undeclared === true ? 'no' : undefined],
        ]}
      />
      <SourceLines report={report} source={source} />
      <AttemptTable report={report} history={history} replies={replies} />
      {history !== undefined && <FailureStory history={history} />}
      <Frames report={report} />
      <Causes report={report} />
      <Details report={report} />
      <Cut run={run} report={report} />
      {copyReport !== undefined && (
        <p class="buttons">
          <CopyButton name="Copy as Markdown" text={() => copyReport(report.id, 'markdown')} />
          <CopyButton name="Copy as problem JSON" text={() => copyReport(report.id, 'problem')} />
        </p>
      )}
    </div>
  );
}

function where(run: string, { location }: PersonReport): JSX.Element | undefined {
  const text = words.locationWords(location);
  if (text === undefined) return undefined;
  const path = location?.path;
  if (path === undefined) return <>{text}</>;
  return (
    <StepLink run={run} path={path}>
      {text}
    </StepLink>
  );
}

function ruleOf(report: PersonReport, history: FailureHistory | undefined): string | undefined {
  const rule = report.rule ?? history?.rule;
  return rule === undefined ? undefined : words.ruleWords({ rule });
}

/** The facts of a provider belong to the report that came from it, which may be a cause. */
function withProvider(report: PersonReport): PersonReport {
  const all = [report, ...words.causesOf(report)];
  return all.find(({ provider }) => provider !== undefined) ?? report;
}

const AROUND = 2;
const BELOW = 6;

function SourceLines({
  report,
  source,
}: Pick<FailurePanelProps, 'report' | 'source'>): JSX.Element | null {
  const { line: begin, file } = report.location ?? {};
  if (begin === undefined || source === undefined || source.file !== file) return null;
  const line = failedLine(report, source.lines) ?? begin;
  if (line > source.lines.length) return null;
  // the beginning of the node is shown too, if it is near
  const above = line - begin <= BELOW ? begin : line;
  const from = Math.max(1, above - AROUND);
  const shown = source.lines.slice(from - 1, line + BELOW);
  return (
    <div class="sub">
      <h3>
        {file}, line {line}
      </h3>
      <pre class="lines" tabIndex={0}>
        {shown.map((text, index) => {
          const number = from + index;
          return (
            <span key={number} class={number === line ? 'line here' : 'line'}>
              <span class="line-number">{number === line ? `▸ ${number}` : number}</span>
              {text}
              {'\n'}
            </span>
          );
        })}
      </pre>
    </div>
  );
}

function exitCodeOf({ details }: PersonReport): string | undefined {
  const code = details?.['exit_code'];
  return typeof code === 'number' ? String(code) : undefined;
}

/** The last lines of a script as lines, because they are hard to read in JSON. */
function Stderr({ report }: Pick<FailurePanelProps, 'report'>): JSX.Element | null {
  const tail = report.details?.['stderr_tail'];
  if (typeof tail !== 'string' || tail.trim() === '') return null;
  return (
    <div class="sub">
      <h3>The end of stderr</h3>
      <Value value={tail} />
    </div>
  );
}

function Members({ run, report }: Pick<FailurePanelProps, 'run' | 'report'>): JSX.Element | null {
  const { counts, members, unlisted } = words.groupWords(report);
  if (counts === undefined && members.length === 0) return null;
  return (
    <div class="sub">
      <h3>Failed members{counts === undefined ? '' : `: ${counts}`}</h3>
      <ul>
        {members.map(({ name, kind, message, path }) => (
          <li key={name}>
            member <code>{name}</code>: <KindLink kind={kind} /> {message}
            {path !== undefined && (
              <>
                {' '}
                <StepLink run={run} path={path} />
              </>
            )}
          </li>
        ))}
        {unlisted > 0 && <li>and {unlisted} more, in their steps</li>}
      </ul>
    </div>
  );
}

/** Its origin, then each boundary that it crossed. */
function Frames({ report }: Pick<FailurePanelProps, 'report'>): JSX.Element | null {
  const { frames = [] } = report;
  if (frames.length < 2) return null;
  return (
    <div class="sub">
      <h3>Crossed, from the inside out</h3>
      <ol>
        {frames.map((frame, index) => (
          <li key={index}>{words.locationWords(frame)}</li>
        ))}
      </ol>
    </div>
  );
}

function Causes({ report }: Pick<FailurePanelProps, 'report'>): JSX.Element | null {
  const causes = words.causesOf(report);
  if (causes.length === 0) return null;
  return (
    <div class="sub">
      <h3>Caused by</h3>
      <ol>
        {causes.map((cause) => (
          <li key={cause.id}>
            <KindLink kind={cause.kind} /> <span class="message">{cause.message}</span>{' '}
            <code class="quiet">{cause.id}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Details({ report }: Pick<FailurePanelProps, 'report'>): JSX.Element | null {
  const { others } = words.groupWords(report);
  if (Object.keys(others).length === 0) return null;
  return (
    <div class="sub">
      <h3>Details</h3>
      <Value value={others} />
    </div>
  );
}

/** A report has bounds; this counts the omitted parts, and links to the whole. */
function Cut({ run, report }: Pick<FailurePanelProps, 'run' | 'report'>): JSX.Element | null {
  const { base } = useSurroundings();
  const parts = Object.entries(report.cut ?? {});
  const path = report.location?.path;
  const query = new URLSearchParams({ of: 'error', ...(path === undefined ? {} : { path }) });
  return (
    <>
      {parts.length > 0 && (
        <p>
          Left out of the report to keep it small:{' '}
          {parts.map(([name, count]) => `${count} ${CUT_WORDS[name] ?? name}`).join(', ')}.
        </p>
      )}
      {base !== undefined && (
        <p>
          <a
            href={`${base}/v1/runs/${encodeURIComponent(run)}/value?${query.toString()}`}
            data-file=""
            target="_blank"
            rel="noreferrer"
          >
            The whole report as JSON
          </a>
        </p>
      )}
    </>
  );
}

const CUT_WORDS: Readonly<Record<string, string>> = {
  messageChars: 'characters of the message',
  details: 'details',
  attempts: 'attempts',
  frames: 'frames',
  causes: 'causes',
};
