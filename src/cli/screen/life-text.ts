/** The life of each failure of a run, for a person: where it came from, what was done, how it ended. */
import { escapeMarkdown } from '../../errors/render/escape-markdown.ts';
import { jsonText, singleLine } from '../../errors/printable.ts';
import { padEnd, wrap } from '../../errors/render/columns.ts';
import {
  boundaryWords,
  categoryWords,
  durationWords,
  locationWords,
  providerWords,
  retryableWords,
  ruleWords,
} from '../../errors/render/words.ts';
import { doubtWords, inDoubtOf } from '../../machine/doubt-details.ts';
import type { FailureLife, LifeStep } from '../../machine/failure-life.ts';
import { paintWith } from './paint.ts';
import { clockWords, countWords, usdWords } from './words.ts';

export interface RunLives {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  readonly lives: readonly FailureLife[];
}

const LABEL_COLUMNS = 15;
const HANGING = '    ';
/** Nobody reads on after so many, and the last ones would push the first off the screen. */
const MAX_TOLD = 50;
/** Of failures that are alike, so many are told in full; the others are counted. */
const MAX_ALIKE = 3;
const MAX_PATHS = 5;

const STATUS_WORDS: Readonly<Record<FailureLife['status'], string>> = {
  handled: 'handled',
  failed: 'ended the run',
  joined: 'became part of the failure of its group',
  cancelled: 'superseded: the run ended for another reason',
  open: 'still being dealt with',
};

export function livesText(
  { run, workflow, status, lives }: RunLives,
  look: { readonly columns: number; readonly color: boolean },
): string {
  const columns = Math.min(100, Math.max(40, look.columns));
  const bold = (text: string): string => paintWith(look.color)(text, 'bold');
  const handled = lives.filter((life) => life.status === 'handled').length;
  const all = handled === lives.length ? 'all handled' : `${handled} handled`;
  const count =
    lives.length === 0 ? 'nothing failed' : `${countWords(lives.length, 'failure')}, ${all}`;
  return [
    `${workflow} ${run} is ${status}: ${count}`,
    ...alike(lives)
      .slice(0, MAX_TOLD)
      .flatMap(({ told, others }) => [
        ...told.flatMap(({ life, at }) => [
          '',
          bold(titleOf(life, at)),
          ...lifeLines(life, columns),
        ]),
        ...(others.length === 0 ? [] : ['', ...othersLines(others, columns)]),
      ]),
    ...(lives.length > MAX_ALIKE ? ['', `All in full: errand explain ${run} --format json`] : []),
  ].join('\n');
}

interface NumberedLife {
  readonly life: FailureLife;
  readonly at: number;
}

interface Alike {
  readonly told: readonly NumberedLife[];
  readonly others: readonly FailureLife[];
}

/** Failures of one kind at one node that ended in one way; members of a group are one node. */
function alike(lives: readonly FailureLife[]): readonly Alike[] {
  const numbered = lives.map((life, at) => ({ life, at }));
  const groups = Map.groupBy(numbered, ({ life: { kind, path, status } }) =>
    [kind, status, nodeOf(path)].join(' '),
  );
  return Array.from(groups.values(), (group) => ({
    told: group.slice(0, group.length > MAX_ALIKE ? MAX_ALIKE - 1 : MAX_ALIKE),
    others: group.length > MAX_ALIKE ? group.slice(MAX_ALIKE - 1).map(({ life }) => life) : [],
  }));
}

/** Without the keys of members. */
function nodeOf(path: string | undefined): string {
  return (path ?? '').replace(/\[[^\]]*\]/g, '[…]');
}

function othersLines(others: readonly FailureLife[], columns: number): string[] {
  const [first] = others;
  if (first === undefined) return [];
  const where = first.path === undefined ? '' : ` at ${nodeOf(first.path)}`;
  const paths = [...new Set(others.map(({ path }) => path ?? 'the run'))];
  const more = paths.length > MAX_PATHS ? ', …' : '';
  const text = `and ${others.length} more of ${first.kind}${where}: ${STATUS_WORDS[first.status]} (${paths.slice(0, MAX_PATHS).join(', ')}${more})`;
  // a key may hold anyone's words, and none of them begins a line of ours
  return wrap(text, columns - HANGING.length).map((line, at) => (at === 0 ? '' : HANGING) + line);
}

export function livesMarkdown({ run, workflow, status, lives }: RunLives): string {
  const parts = lives.map((life, at) =>
    [
      `### ${at + 1}. ${escapeMarkdown(headOf(life))}`,
      '',
      ...factsOf(life).map(([label, value]) => `- ${label}: ${escapeMarkdown(value)}`),
      '',
      ...stepsOf(life).map(([time, text]) =>
        time === '' ? `   - ${escapeMarkdown(text)}` : `1. ${time}: ${escapeMarkdown(text)}`,
      ),
    ].join('\n'),
  );
  return [`## ${escapeMarkdown(`${workflow} ${run}`)}: ${status}`, ...parts, ''].join('\n\n');
}

function titleOf(life: FailureLife, at: number): string {
  return `${at + 1}. ${headOf(life)}`;
}

function headOf({ kind, path, status }: FailureLife): string {
  return `${kind}${path === undefined ? '' : ` at ${path}`}: ${STATUS_WORDS[status]}`;
}

function lifeLines(life: FailureLife, columns: number): string[] {
  const rows = [...factsOf(life), ...stepsOf(life)];
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
}: FailureLife): (readonly [string, string])[] {
  const inDoubt = inDoubtOf(error);
  const facts: (readonly [string, string | undefined])[] = [
    ['message', singleLine(error.message)],
    ['source', error.class === 'group' ? 'its members' : sourceWords(source)],
    ['provider', providerWords(error)],
    ['rule', rule === undefined ? undefined : ruleWords({ rule })],
    ['category', categoryWords(error)],
    ['retryable', retryableWords(error)],
    ['where', locationWords(error.location)],
    ['in doubt', inDoubt === undefined ? undefined : singleLine(doubtWords(inDoubt))],
    ['crossed', boundaryWords(error)],
    ['joined', joined],
    ['id', error.id],
    ['next', status === 'handled' ? undefined : `${error.action.detail} (${error.action.kind})`],
  ];
  return facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
}

function sourceWords({ type, target }: FailureLife['source']): string {
  if (type === 'node') return 'the node itself: a template, a check, a limit or a raise';
  if (type === 'run') return 'the run itself';
  return target === undefined ? type : `${type} ${target}`;
}

function stepsOf({ steps }: FailureLife): (readonly [string, string])[] {
  let told: string | undefined;
  return steps.flatMap((step): (readonly [string, string])[] => {
    const text = stepWords(step, told);
    const more = reasonsOf(step, told);
    if (step.type === 'failed') told = step.id;
    return [[clockWords(step.at), text], ...more.map((line) => ['', line] as const)];
  });
}

/** Why it is what it is, and why it was not taken earlier. */
function reasonsOf(step: LifeStep, told: string | undefined): readonly string[] {
  if (step.type === 'route') return step.passed.map(passedWords);
  if (step.type !== 'failed' || step.id === told || step.rule === undefined) return [];
  return [`  by the rule ${ruleWords({ rule: step.rule }) ?? ''}`];
}

function stepWords(step: LifeStep, told: string | undefined): string {
  switch (step.type) {
    case 'failed':
      return failedWords(step, told);
    case 'asked_again': {
      const waited =
        step.waitedMs === 0 ? 'at once' : `after waiting ${durationWords(step.waitedMs)}`;
      return step.because === 'fallback'
        ? `${step.target} was asked instead, ${waited}`
        : `${step.target} was asked again, ${waited} (attempt ${step.attempt + 1})`;
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
      return 'nobody answered in time';
    case 'suppressed':
      return `suppressed: ${step.reason}`;
    case 'ended':
      return `end: ${step.how}`;
  }
}

/** A failure is told in full once; one layer further out it is only named. */
function failedWords(
  step: Extract<LifeStep, { type: 'failed' }>,
  told: string | undefined,
): string {
  const { layer, id, kind, message, target, path, costUsdMicros } = step;
  const who = layer === 'effect' ? (target ?? 'the effect') : (path ?? 'the run');
  if (id === told) return `${who} failed with it`;
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
}: Extract<LifeStep, { type: 'route' }>): string {
  const does = to === undefined ? move : `${move} ${to}`;
  const end = until === undefined ? '' : ` until ${until}`;
  if (bucket === 'default')
    return `no route matched, so ${isTop(path) ? 'the run fails' : 'it passes to the enclosing group or workflow'}`;
  const table =
    bucket === 'workflow' ? 'on_error of the workflow' : `routes of ${path ?? 'the node'}`;
  return `${table}, number ${(rule ?? 0) + 1}, took it: ${does}${end}`;
}

/** What is inside a child or a group has something around it. */
function isTop(path: string | undefined): boolean {
  return path === undefined || !/[/[]/.test(path);
}

function passedWords({
  bucket,
  rule,
  move,
  on,
  why,
}: Extract<LifeStep, { type: 'route' }>['passed'][number]): string {
  const table = bucket === 'workflow' ? 'on_error' : 'route';
  const kinds = on === true ? 'any kind' : on.join(', ');
  return `  not ${table} number ${rule + 1} (${kinds}: ${move}): ${why}`;
}
