/** Open questions of a run: what its people are asked, with the failure behind each. */
import { hideInternals } from '../errors/redaction/hide-internals.ts';
import { forPerson, type PersonReport } from '../errors/report/audiences.ts';
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import { expectedOf } from '../machine/gates/edited-result.ts';
import { isForPeople } from '../machine/gates/gate-answer.ts';
import { isOfToolCall, isReplyToAgent } from '../machine/gates/accept-value.ts';
import { introOf } from '../machine/gates/gate-questions.ts';
import { GRANT_DURATIONS } from '../machine/policy/approval-grants.ts';
import { fileOf, nodeOf, scopeOf } from '../machine/state/plan-lookup.ts';
import { waitingOf } from '../machine/policy/pause.ts';
import type { AskedQuestion, PromptFor, RunEvent } from '../machine/state/events.ts';
import type { RunState, Visit } from '../machine/state/state.ts';
import type { NodePlan } from '../workflow/plan/node-plan.ts';

export interface OpenQuestion {
  readonly gate: string;
  /** The number of the event that opened it. */
  readonly opening?: number;
  readonly node?: string;
  readonly path?: string;
  readonly prompt: string;
  readonly options: readonly JsonValue[];
  readonly promptFor?: readonly PromptFor[];
  /** A list of questions that are answered together, where the gate has one. */
  readonly list?: QuestionList;
  /** Names of the options, where their file gives them one. */
  readonly labels?: readonly OptionLabel[];
  /** The schema that the value of an `edit` has to match. */
  readonly schema?: JsonObject;
  /** Answers that approve more than this one call of a tool. */
  readonly grants?: readonly JsonValue[];
  /** It is about a budget: an answer may raise that by an amount of its own, in this unit. */
  readonly raises?: 'usd' | 'tokens';
  readonly deadline?: string;
  /** Only a person may answer. */
  readonly answeredBy?: 'person';
  /** The failure that a person is asked about. */
  readonly error?: PersonReport;
}

export interface QuestionList {
  /** The part of the prompt above the questions. */
  readonly intro: string;
  readonly questions: readonly AskedQuestion[];
  /** Whether one that is not required may stay without an answer. */
  readonly maySkip: boolean;
}

export interface OptionLabel {
  readonly value: JsonValue;
  readonly label: string;
}

/** `events` are those that the state was folded from. */
export function openQuestions(
  state: RunState,
  events: readonly RunEvent[],
): readonly OpenQuestion[] {
  const waits = waitingOf(state)?.all ?? [];
  return waits.flatMap(({ gate, opening, node, path, options = [], promptFor, until }) => {
    if (gate === undefined) return [];
    const opened = events.findLast((event) => event.type === 'gate:opened' && event.gate === gate);
    const prompt = opened?.type === 'gate:opened' ? opened.prompt : '';
    const error = failureAt(state, path);
    const about = askedBy(state, gate, options);
    const list = listIn(state, opened);
    return [
      {
        gate,
        ...(opening === undefined ? {} : { opening }),
        ...(node === undefined ? {} : { node }),
        ...(path === undefined ? {} : { path }),
        prompt: error === undefined ? prompt : hideInternals(prompt),
        options,
        ...(promptFor === undefined ? {} : { promptFor }),
        ...(list === undefined ? {} : { list }),
        ...about,
        ...(until === undefined ? {} : { deadline: until }),
        ...(error === undefined ? {} : { error }),
      },
    ];
  });
}

function listIn(state: RunState, opened: RunEvent | undefined): QuestionList | undefined {
  if (opened?.type !== 'gate:opened' || opened.questions === undefined) return undefined;
  const { prompt, questions, gate } = opened;
  const scope = scopeOf(state, state.gates.get(gate)?.scope ?? '');
  if (scope.visit === undefined) return undefined;
  const node = nodeOf(fileOf(state.plan, scope.file), scope.visit.node);
  const maySkip = node.type !== 'human_gate' || node.questions?.maySkip !== false;
  return { intro: introOf(prompt, questions), questions, maySkip };
}

/** The words of the asking node about its answers. */
function askedBy(
  state: RunState,
  gate: string,
  options: readonly JsonValue[],
): Pick<OpenQuestion, 'labels' | 'schema' | 'grants' | 'raises' | 'answeredBy'> {
  const open = state.gates.get(gate);
  const scope = scopeOf(state, open?.scope ?? '');
  if (scope.visit === undefined) return {};
  const node = nodeOf(fileOf(state.plan, scope.file), scope.visit.node);
  const { schema } = expectedOf(state, scope, node);
  return {
    ...labelsOf(node, scope.visit),
    ...(schema !== undefined && scope.visit.error !== undefined && options.includes('edit')
      ? { schema }
      : {}),
    ...(isOfToolCall(scope, gate) && !isReplyToAgent(scope, gate) ? { grants: GRANTS } : {}),
    ...(open?.budget === undefined ? {} : { raises: open.budget.unit }),
    ...(isForPeople(node) ? { answeredBy: 'person' as const } : {}),
  };
}

/** A label may be a template, whose text nobody knows yet. */
function labelsOf(node: NodePlan, { error }: Visit): Pick<OpenQuestion, 'labels'> {
  if (node.type !== 'human_gate' || error !== undefined) return {};
  const labels = node.options.filter(({ label }) => !label.includes('{'));
  return labels.length === 0
    ? {}
    : { labels: labels.map(({ value, label }) => ({ value, label })) };
}

const GRANTS: readonly JsonValue[] = GRANT_DURATIONS.map((scope) => ({ approve: { for: scope } }));

function failureAt(state: RunState, path: string | undefined): PersonReport | undefined {
  for (const { visit } of state.scopes.values())
    if (visit?.path === path && visit?.error !== undefined) return forPerson(visit.error);
  return undefined;
}
