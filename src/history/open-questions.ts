/** Open questions of a run: what its people are asked, with the failure behind each. */
import { forPerson, type PersonReport } from '../errors/report/audiences.ts';
import type { JsonValue } from '../errors/support/safe-json.ts';
import { isForPeople } from '../machine/gates/gate-answer.ts';
import { fileOf, nodeOf, scopeOf } from '../machine/state/plan-lookup.ts';
import { waitingOf } from '../machine/policy/pause.ts';
import type { PromptFor, RunEvent } from '../machine/state/events.ts';
import type { RunState } from '../machine/state/state.ts';

export interface OpenQuestion {
  readonly gate: string;
  /** The number of the event that opened it. */
  readonly opening?: number;
  readonly node?: string;
  readonly path?: string;
  readonly prompt: string;
  readonly options: readonly JsonValue[];
  readonly promptFor?: readonly PromptFor[];
  readonly deadline?: string;
  /** Only a person may answer. */
  readonly answeredBy?: 'person';
  /** The failure that a person is asked about. */
  readonly error?: PersonReport;
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
    const error = failureAt(state, path);
    return [
      {
        gate,
        ...(opening === undefined ? {} : { opening }),
        ...(node === undefined ? {} : { node }),
        ...(path === undefined ? {} : { path }),
        prompt: opened?.type === 'gate:opened' ? opened.prompt : '',
        options,
        ...(promptFor === undefined ? {} : { promptFor }),
        ...(until === undefined ? {} : { deadline: until }),
        ...(isPersonal(state, gate) ? { answeredBy: 'person' as const } : {}),
        ...(error === undefined ? {} : { error }),
      },
    ];
  });
}

function isPersonal(state: RunState, gate: string): boolean {
  const scope = scopeOf(state, state.gates.get(gate)?.scope ?? '');
  return (
    scope.visit !== undefined &&
    isForPeople(nodeOf(fileOf(state.plan, scope.file), scope.visit.node))
  );
}

function failureAt(state: RunState, path: string | undefined): PersonReport | undefined {
  for (const { visit } of state.scopes.values())
    if (visit?.path === path && visit?.error !== undefined) return forPerson(visit.error);
  return undefined;
}
