/**
 * Checks an answer to an open gate. Throws `validation.input`, or `request.forbidden` when a
 * program answers a gate for people; both leave the gate open. Throws `gate.closed` when the gate
 * no longer takes answers.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { EventBody } from '../state/events.ts';
import { fileOf, nodeOf, scopeOf, visitOf } from '../state/plan-lookup.ts';
import type { RunState } from '../state/state.ts';
import { storableValue } from '../state/storable.ts';
import { acceptValue } from './accept-value.ts';
import { alreadyAnswered, closedGate, invalidAnswer, onlyPeople } from './refused-answer.ts';

export interface Answer {
  /** The path of a gate, or a node name that matches one open gate; optional when only one is open. */
  readonly gate?: string | undefined;
  readonly value: JsonValue;
  readonly by: string;
  /** Number of the event that opened the gate. Default: whichever opening is open. */
  readonly opening?: number | undefined;
  /** Whether a program answers rather than a person; a gate may refuse that. Default: false. */
  readonly isByProgram?: boolean | undefined;
}

/**
 * Ties the answer to the gate that is open now, by its exact name and opening: by the time the
 * answer is taken, the gate may ask something else.
 */
export function forOpenGate(state: RunState, answer: Answer): Answer {
  const gate = findGate(state, answer.gate);
  return { ...answer, gate, opening: answer.opening ?? state.gates.get(gate)?.opening };
}

export function answerEvent(
  state: RunState,
  { gate, value: rawValue, by, opening, isByProgram }: Answer,
  nowMs = state.nowMs,
): Extract<EventBody, { type: 'gate:answered' }> {
  // it was open at that event
  if (opening !== undefined && gate !== undefined && !isGateOpen(state, gate))
    throw alreadyAnswered(gate);
  const found = findGate(state, gate);
  const open = state.gates.get(found);
  if (open === undefined)
    throw closedGate(`Gate ${found} is not open`, 'Run errand show to see what the run waits for.');
  if (opening !== undefined && open.opening !== undefined && opening !== open.opening)
    throw closedGate(
      `Gate ${found} is no longer open as it was at event ${opening}`,
      `The question that is open now began at event ${open.opening}. Run errand show to see it.`,
    );
  if (open.deadlineMs !== undefined && nowMs >= open.deadlineMs)
    throw closedGate(
      `The deadline of gate ${found} has passed`,
      'Resume the run: it continues as its file defines for an expired gate.',
    );
  const scope = scopeOf(state, open.scope);
  const { node, path } = visitOf(scope);
  const plan = nodeOf(fileOf(state.plan, scope.file), node);
  if (isByProgram === true && isForPeople(plan)) throw onlyPeople(found);
  // options are stored without secrets, so the answer is compared without them too
  const value = storableValue(state, rawValue);
  const accepted = acceptValue(state, scope, found, { value, open });
  return { type: 'gate:answered', node, path, gate: found, value: accepted, by };
}

/** Whether only people may answer the gates of the node. */
export function isForPeople(node: NodePlan): boolean {
  return node.type === 'human_gate' && node.answeredBy === 'person';
}

/** Whether an open gate fits the name; without one, whether any is open. */
export function isGateOpen(state: RunState, name: string | undefined): boolean {
  if (name === undefined) return state.gates.size > 0;
  return [...state.gates.keys()].some((gate) => gateMatches(state, gate, name));
}

/** Refuses an answer to a gate that was open once, by the event that opened it. */
export function refuseClosed(
  opened: Extract<EventBody, { type: 'gate:opened' }>,
  name: string | undefined,
): void {
  const { gate, path, node } = opened;
  if (name === undefined || [gate, path, node].includes(name))
    throw closedGate(
      `Gate ${gate} is closed: it was answered, or its time is over`,
      'Run errand show to see what the run waits for, and errand audit to see who answered.',
    );
}

/** An exact gate name wins over nodes of the same name. */
function findGate(state: RunState, name: string | undefined): string {
  if (name !== undefined && state.gates.has(name)) return name;
  const open = [...state.gates.keys()];
  const fitting = name === undefined ? open : open.filter((gate) => gateMatches(state, gate, name));
  const [only, ...more] = fitting;
  if (only !== undefined && more.length === 0) return only;
  if (open.length === 0)
    throw invalidAnswer(
      'The run is not waiting for an answer',
      'Run errand show to see what it waits for.',
    );
  throw invalidAnswer(
    name === undefined
      ? 'Several gates are open'
      : `${fitting.length === 0 ? 'No' : 'More than one'} open gate is called ${name}`,
    `Name one of the open gates: ${open.join(', ')}`,
  );
}

/** Matches its own name, the path of its node, or the name of the node. */
function gateMatches(state: RunState, gate: string, name: string): boolean {
  const scope = state.scopes.get(state.gates.get(gate)?.scope ?? '');
  return gate === name || scope?.visit?.path === name || scope?.visit?.node === name;
}
