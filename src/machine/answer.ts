/** What an agent's last answer is: a raise, an output, or something to be sent back. */
import { isPlainObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import { readEnvelope } from '../errors/envelope.ts';
import type { ReportDraft } from '../errors/report.ts';
import { checkValue } from '../workflow/value-check.ts';

export type Reading =
  | { readonly type: 'output'; readonly output: JsonValue }
  | { readonly type: 'raised'; readonly failure: ReportDraft }
  /** `must have the field label`: what the model is told. */
  | { readonly type: 'wrong'; readonly problem: string };

export function readAnswer(text: string, schema: JsonObject | undefined): Reading {
  const value = parseJson(text);
  const raised = value === undefined ? undefined : readRaise(value);
  if (raised !== undefined) return { type: 'raised', failure: raised };
  if (schema === undefined) return { type: 'output', output: { result: text } };
  if (value === undefined) return { type: 'wrong', problem: 'The answer is not JSON' };
  const [finding] = checkValue(schema, value);
  if (finding === undefined) return { type: 'output', output: value };
  const place = finding.pointer === '' ? 'The answer' : finding.pointer;
  return { type: 'wrong', problem: `${place} ${finding.message}` };
}

/** `{"errand_error": true, …}`, also under Conductor's name. */
function readRaise(value: JsonValue): ReportDraft | undefined {
  if (!isPlainObject(value)) return undefined;
  const isRaise = value['errand_error'] === true || value['conductor_error'] === true;
  return isRaise ? raiseDraft(value) : undefined;
}

/** Also the arguments of the built-in tool. */
export function raiseDraft(value: JsonValue): ReportDraft {
  const reading = readEnvelope(value);
  if (reading.type === 'raised') return reading.envelope;
  return {
    kind: 'internal.envelope_invalid',
    message: `The raised error ${reading.problem}`,
    ...(reading.kind === undefined ? {} : { details: { kind: reading.kind } }),
  };
}

/** The whole text as JSON, also where it stands between the fences that models like. */
function parseJson(text: string): JsonValue | undefined {
  const fenced = /^\s*```(?:json)?\s*\n(?<inner>[\s\S]*?)\n?```\s*$/.exec(text)?.groups?.['inner'];
  try {
    return JSON.parse(fenced ?? text) as JsonValue;
  } catch {
    // not JSON is an answer of its own
    return undefined;
  }
}
