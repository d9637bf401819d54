/**
 * The state of a call that asked a person: the client keeps it and sends it back with the answer.
 * It is signed, and bound to the caller, the call and one opening of one gate, so it answers
 * nothing else and nothing twice.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonValue } from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { canonicalJson } from '../workflow/plan/stable-hash.ts';

export interface AskedState {
  readonly run: string;
  readonly gate: string;
  /** The event that opened the gate. */
  readonly opening?: number;
  /** The number of questions that the call has asked. */
  readonly round: number;
}

/** The caller and the call. */
export interface CallIdentity {
  readonly by: string;
  readonly tool: string;
  readonly arguments: JsonValue;
}

/** The time that a person has to think about the answer. */
const VALID_MS = 60 * 60 * 1000;

export function signState(
  asked: AskedState,
  call: CallIdentity,
  { key, nowMs }: { readonly key: string; readonly nowMs: number },
): string {
  const body = encode(JSON.stringify({ ...asked, until: nowMs + VALID_MS }));
  return `${body}.${signature(body, call, key)}`;
}

/** Throws `request.invalid` for a state that was not signed for this call, or that has expired. */
export function readState(
  state: unknown,
  call: CallIdentity,
  { key, nowMs }: { readonly key: string; readonly nowMs: number },
): AskedState {
  const [body = '', signed = ''] = typeof state === 'string' ? state.split('.') : [];
  if (!isSame(signed, signature(body, call, key))) throw refused('it was not made for this call');
  // signed by us, so it has the form that we wrote
  const { until, ...asked } = JSON.parse(decode(body)) as AskedState & { readonly until: number };
  if (until < nowMs) throw refused('its time is over');
  return asked;
}

function signature(
  body: string,
  { by, tool, arguments: given }: CallIdentity,
  key: string,
): string {
  const call = createHash('sha256')
    .update(canonicalJson([by, tool, given]))
    .digest('base64url');
  return createHmac('sha256', key).update(`errand mcp ${call} ${body}`).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function decode(text: string): string {
  return Buffer.from(text, 'base64url').toString();
}

function refused(why: string): ErrandError {
  return new ErrandError({
    kind: 'request.invalid',
    message: `The requestState of the call cannot be used: ${why}`,
    action: {
      kind: 'change_input',
      detail: 'Read the run with get_run, and answer its question with answer_question.',
    },
  });
}
