/** Refusals of answers. All but `gate.closed` leave the gate open. */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';

export function onlyPeople(gate: string): ErrandError {
  return new ErrandError({
    kind: 'request.forbidden',
    message: `Gate ${gate} has answered_by: person, so no program may answer it`,
    action: {
      kind: 'answer_gate',
      detail: 'Let a person answer it, on the page of the server or with errand answer.',
    },
  });
}

/** Two people answered at the same time, and the other answer came first. */
export function alreadyAnswered(gate: string): ErrandError {
  return closedGate(`Gate ${gate} has already been answered`, 'Run errand show to see the answer.');
}

export function invalidAnswer(message: string, detail: string, details?: JsonObject): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message,
    action: { kind: 'answer_gate', detail },
    ...(details === undefined ? {} : { details }),
  });
}

export function closedGate(message: string, detail: string): ErrandError {
  return new ErrandError({
    kind: 'gate.closed',
    message,
    action: { kind: 'answer_gate', detail },
  });
}
