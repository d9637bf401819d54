/**
 * Next moves: the actions that a run allows now. People, programs and agents get the same list,
 * except for questions that only people answer. Each move is accepted as it stands, once the fields
 * that it `needs` are added.
 */
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import { shellWord } from '../errors/support/shell-word.ts';
import type { RunStatusName } from '../machine/ports/store-port.ts';
import type { PromptFor, Wait } from '../machine/state/events.ts';

export const NEEDED_FIELDS = ['value', 'from', 'acceptDrift'] as const;

export interface NextMove {
  readonly move: 'answer' | 'resume' | 'retry' | 'cancel';
  readonly method: 'POST';
  readonly path: string;
  readonly body?: JsonObject;
  /** Fields of the body that the caller has to add. */
  readonly needs?: readonly (typeof NEEDED_FIELDS)[number][];
  readonly gate?: string;
  readonly options?: readonly JsonValue[];
  /** Options that take a text too. */
  readonly promptFor?: readonly PromptFor[];
  /** The same move at the command line. */
  readonly command: string;
}

/** Why a server cannot continue a run: it has no workflow of that name, or one that is not valid. */
export const RESUME_OBSTACLES = ['not_served', 'not_valid'] as const;

export type ResumeObstacle = (typeof RESUME_OBSTACLES)[number];

export interface MovableRun {
  readonly run: string;
  readonly status: RunStatusName;
  readonly reasons: readonly Wait['reason'][];
  readonly questions: readonly {
    readonly gate: string;
    readonly opening?: number;
    readonly options: readonly JsonValue[];
    readonly promptFor?: readonly PromptFor[];
    readonly answeredBy?: 'person';
  }[];
  /** Whether a person asks for the moves: some questions are for people only. */
  readonly isForPerson: boolean;
  /** Whether this process can resume it: it has the workflow, in a form that runs. */
  readonly canResume: boolean;
  /** Whether finished nodes have changed since, so that a resume has to accept it. */
  readonly needsAccept: boolean;
}

/** `base` stands before every path. */
export function nextMoves(run: MovableRun, base = ''): readonly NextMove[] {
  return [
    ...answers(run, base),
    ...resumption(run, base),
    ...retry(run, base),
    ...cancel(run, base),
  ];
}

function answers(
  { run, status, questions, isForPerson }: MovableRun,
  base: string,
): readonly NextMove[] {
  if (isOver(status) || status === 'failed') return [];
  const answerable = questions.filter(({ answeredBy }) => isForPerson || answeredBy === undefined);
  return answerable.map(({ gate, opening, options, promptFor }) => ({
    move: 'answer',
    method: 'POST',
    path: pathOf(base, run, 'answers'),
    // so that sending it twice does not answer the next question
    body: { gate, ...(opening === undefined ? {} : { opening }) },
    needs: ['value'],
    gate,
    options,
    ...(promptFor === undefined ? {} : { promptFor }),
    command: answerCommand(run, gate),
  }));
}

export function answerCommand(run: string, gate: string): string {
  return `errand answer ${run} ${shellWord(gate)} --value VALUE`;
}

function resumption(
  { run, status, reasons, canResume, needsAccept }: MovableRun,
  base: string,
): readonly NextMove[] {
  const isParked =
    status === 'paused' && reasons.some((reason) => reason === 'time' || reason === 'person');
  if (!canResume || !(status === 'failed' || status === 'interrupted' || isParked)) return [];
  const cutsTime = isParked && reasons.includes('time');
  const flags = [...(cutsTime ? ['--now'] : []), ...(needsAccept ? ['--accept-drift'] : [])];
  return [
    {
      move: 'resume',
      method: 'POST',
      path: pathOf(base, run, 'resume'),
      body: cutsTime ? { now: true } : {},
      ...(needsAccept ? { needs: ['acceptDrift'] as const } : {}),
      command: ['errand resume', run, ...flags].join(' '),
    },
  ];
}

function retry(
  { run, status, canResume, needsAccept }: MovableRun,
  base: string,
): readonly NextMove[] {
  if (status !== 'completed' || !canResume) return [];
  return [
    {
      move: 'retry',
      method: 'POST',
      path: pathOf(base, run, 'resume'),
      body: {},
      needs: needsAccept ? ['from', 'acceptDrift'] : ['from'],
      command: `errand retry ${run} --from NODE${needsAccept ? ' --accept-drift' : ''}`,
    },
  ];
}

function cancel({ run, status }: MovableRun, base: string): readonly NextMove[] {
  if (isOver(status)) return [];
  return [
    {
      move: 'cancel',
      method: 'POST',
      path: pathOf(base, run, 'cancel'),
      body: {},
      command: `errand cancel ${run}`,
    },
  ];
}

function isOver(status: RunStatusName): boolean {
  return status === 'completed' || status === 'cancelled';
}

function pathOf(base: string, run: string, verb: string): string {
  return `${base}/v1/runs/${encodeURIComponent(run)}/${verb}`;
}
