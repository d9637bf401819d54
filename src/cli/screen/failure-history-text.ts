/** Renders the history of each failure of a run: its origin, the reactions to it, and its end. */
import { escapeMarkdown } from '../../errors/render/escape-markdown.ts';
import { jsonText, singleLine } from '../../errors/support/printable.ts';
import { padEnd, wrap } from '../../errors/render/columns.ts';
import {
  boundaryWords,
  categoryWords,
  durationWords,
  locationWords,
  providerWords,
  retryableWords,
  ruleWords,
} from '../../errors/render/report-words.ts';
import { unknownOutcomeWords, inDoubtOf } from '../../machine/policy/unknown-outcome-details.ts';
import type { FailureHistory, FailureStep } from '../../history/failure-history.ts';
import { paintWith } from './paint.ts';
import { clockWords, countWords, usdWords } from './number-words.ts';

export interface RunFailures {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  readonly failures: readonly FailureHistory[];
}

const LABEL_COLUMNS = 15;
const HANGING = '    ';
/** More would push the first ones off the screen. */
const MAX_SHOWN = 50;
/** How many similar failures are printed in full; the others are counted. */
const MAX_ALIKE = 3;
const MAX_PATHS = 5;

const STATUS_WORDS: Readonly<Record<FailureHistory['status'], string>> = {
  handled: 'handled',
  failed: 'ended the run',
  joined: 'became part of the failure of its group',
  cancelled: 'superseded: the run ended for another reason',
  open: 'not resolved yet',
};

export function failuresText(
  { run, workflow, status, failures }: RunFailures,
  look: { readonly columns: number; readonly color: boolean },
): string {
  const columns = Math.min(100, Math.max(40, look.columns));
  const bold = (text: string): string => paintWith(look.color)(text, 'bold');
  const handled = failures.filter((failure) => failure.status === 'handled').length;
  const all = handled === failures.length ? 'all handled' : `${handled} handled`;
  const count =
    failures.length === 0 ? 'nothing failed' : `${countWords(failures.length, 'failure')}, ${all}`;
  return [
    `${workflow} ${run} is ${status}: ${count}`,
    ...alike(failures)
      .slice(0, MAX_SHOWN)
      .flatMap(({ shown, others }) => [
        ...shown.flatMap(({ failure, at }) => [
          '',
          bold(titleOf(failure, at)),
          ...failureLines(failure, columns),
        ]),
        ...(others.length === 0 ? [] : ['', ...othersLines(others, columns)]),
      ]),
    ...(failures.length > MAX_ALIKE
      ? ['', `All of them in full: errand explain ${run} --format json`]
      : []),
  ].join('\n');
}

interface NumberedFailure {
  readonly failure: FailureHistory;
  readonly at: number;
}

interface Alike {
  readonly shown: readonly NumberedFailure[];
  readonly others: readonly FailureHistory[];
}

/** Groups failures by kind, node and how they ended; the members of a group count as one node. */
function alike(failures: readonly FailureHistory[]): readonly Alike[] {
  const numbered = failures.map((failure, at) => ({ failure, at }));
  const groups = Map.groupBy(numbered, ({ failure: { kind, path, status } }) =>
    [kind, status, nodeOf(path)].join(' '),
  );
  return Array.from(groups.values(), (group) => ({
    shown: group.slice(0, group.length > MAX_ALIKE ? MAX_ALIKE - 1 : MAX_ALIKE),
    others:
      group.length > MAX_ALIKE ? group.slice(MAX_ALIKE - 1).map(({ failure }) => failure) : [],
  }));
}

/** Removes the keys of members. */
function nodeOf(path: string | undefined): string {
  return (path ?? '').replace(/\[[^\]]*\]/g, '[…]');
}

function othersLines(others: readonly FailureHistory[], columns: number): string[] {
  const [first] = others;
  if (first === undefined) return [];
  const where = first.path === undefined ? '' : ` at ${nodeOf(first.path)}`;
  const paths = [...new Set(others.map(({ path }) => path ?? 'the run'))];
  const more = paths.length > MAX_PATHS ? ', …' : '';
  const text = `and ${others.length} more of ${first.kind}${where}: ${STATUS_WORDS[first.status]} (${paths.slice(0, MAX_PATHS).join(', ')}${more})`;
  // a key may contain anybody's text, which must not begin a line
  return wrap(text, columns - HANGING.length).map((line, at) => (at === 0 ? '' : HANGING) + line);
}

export function failuresMarkdown({ run, workflow, status, failures }: RunFailures): string {
  const parts = failures.map((failure, at) =>
    [
      `### ${at + 1}. ${escapeMarkdown(headOf(failure))}`,
      '',
      ...factsOf(failure).map(([label, value]) => `- ${label}: ${escapeMarkdown(value)}`),
      '',
      ...stepsOf(failure).map(([time, text]) =>
        time === '' ? `   - ${escapeMarkdown(text)}` : `1. ${time}: ${escapeMarkdown(text)}`,
      ),
    ].join('\n'),
  );
  return [`## ${escapeMarkdown(`${workflow} ${run}`)}: ${status}`, ...parts, ''].join('\n\n');
}

function titleOf(failure: FailureHistory, at: number): string {
  return `${at + 1}. ${headOf(failure)}`;
}

function headOf({ kind, path, status }: FailureHistory): string {
  return `${kind}${path === undefined ? '' : ` at ${path}`}: ${STATUS_WORDS[status]}`;
}

function failureLines(failure: FailureHistory, columns: number): string[] {
  const rows = [...factsOf(failure), ...stepsOf(failure)];
  return rows.flatMap(([label, value]) =>
    wrap(value, columns - LABEL_COLUMNS).map(
      (line, at) => `${padEnd(at === 0 ? `  ${label}` : '', LABEL_COLUMNS)}${line}`,
    ),
  );
}

function factsOf({
  error,
  source,
  rule,
  joined,
  status,
}: FailureHistory): (readonly [string, string])[] {
  const inDoubt = inDoubtOf(error);
  const facts: (readonly [string, string | undefined])[] = [
    ['message', singleLine(error.message)],
    ['source', error.class === 'group' ? 'its members' : sourceWords(source)],
    ['provider', providerWords(error)],
    ['rule', rule === undefined ? undefined : ruleWords({ rule })],
    ['category', categoryWords(error)],
    ['retryable', retryableWords(error)],
    ['where', locationWords(error.location)],
    ['in doubt', inDoubt === undefined ? undefined : singleLine(unknownOutcomeWords(inDoubt))],
    ['crossed', boundaryWords(error)],
    ['joined', joined],
    ['id', error.id],
    ['next', status === 'handled' ? undefined : `${error.action.detail} (${error.action.kind})`],
  ];
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
}

function sourceWords({ type, target }: FailureHistory['source']): string {
  if (type === 'node') return 'the node itself: a template, a check, a limit or a raise';
  if (type === 'run') return 'the run itself';
  return target === undefined ? type : `${type} ${target}`;
}

function stepsOf({ steps }: FailureHistory): (readonly [string, string])[] {
  let shown: string | undefined;
  return steps.flatMap((step): (readonly [string, string])[] => {
    const text = stepWords(step, shown);
    const more = reasonsOf(step, shown);
    if (step.type === 'failed') shown = step.id;
    return [[clockWords(step.at), text], ...more.map((line) => ['', line] as const)];
  });
}

/** Names the rule that classified it, and the reasons why earlier routes did not match. */
function reasonsOf(step: FailureStep, shown: string | undefined): readonly string[] {
  if (step.type === 'route') return step.passed.map(passedWords);
  if (step.type !== 'failed' || step.id === shown || step.rule === undefined) return [];
  return [`  classified by the rule ${ruleWords({ rule: step.rule }) ?? ''}`];
}

function stepWords(step: FailureStep, shown: string | undefined): string {
  switch (step.type) {
    case 'failed':
      return failedWords(step, shown);
    case 'asked_again': {
      const waited =
        step.waitedMs === 0 ? 'at once' : `after waiting ${durationWords(step.waitedMs)}`;
      return step.because === 'fallback'
        ? `${step.target} was called instead, ${waited}`
        : `${step.target} was called again, ${waited} (attempt ${step.attempt + 1})`;
    }
    case 'retrying':
      return `${step.path ?? 'the node'} runs again in ${durationWords(step.delayMs)} (re-run ${step.attempt})`;
    case 'route':
      return routeWords(step);
    case 'asked':
      return `a person was asked: ${step.options.map(String).join(', ')}`;
    case 'answered':
      return `${step.by} answered ${typeof step.value === 'string' ? step.value : jsonText(step.value)}`;
    case 'expired':
      return 'no answer in time';
    case 'suppressed':
      return `suppressed: ${step.reason}`;
    case 'ended':
      return `end: ${step.how}`;
  }
}

/** A failure is printed in full once; one layer further out it is only referred to. */
function failedWords(
  step: Extract<FailureStep, { type: 'failed' }>,
  shown: string | undefined,
): string {
  const { layer, id, kind, message, target, path, costUsdMicros } = step;
  const who = layer === 'effect' ? (target ?? 'the effect') : (path ?? 'the run');
  if (id === shown) return `${who} failed with the same error`;
  const cost =
    costUsdMicros === undefined || costUsdMicros === 0 ? '' : ` (${usdWords(costUsdMicros)})`;
  return `${who} failed: ${kind}: ${singleLine(message)}${cost}`;
}

function routeWords({
  bucket,
  rule,
  move,
  to,
  until,
  path,
}: Extract<FailureStep, { type: 'route' }>): string {
  const does = to === undefined ? move : `${move} ${to}`;
  const end = until === undefined ? '' : ` until ${until}`;
  if (bucket === 'default')
    return `no route matched, so ${isTop(path) ? 'the run fails' : 'it passes to the enclosing group or workflow'}`;
  const table =
    bucket === 'workflow' ? 'on_error of the workflow' : `routes of ${path ?? 'the node'}`;
  return `${table}, number ${(rule ?? 0) + 1}, matched: ${does}${end}`;
}

/** False inside a child or a group. */
function isTop(path: string | undefined): boolean {
  return path === undefined || !/[/[]/.test(path);
}

function passedWords({
  bucket,
  rule,
  move,
  on,
  why,
}: Extract<FailureStep, { type: 'route' }>['passed'][number]): string {
  const table = bucket === 'workflow' ? 'on_error' : 'route';
  const kinds = on === true ? 'any kind' : on.join(', ');
  return `  not ${table} number ${rule + 1} (${kinds}: ${move}): ${why}`;
}
