/** Reads a model's final reply: a raised error, an output, or an invalid reply to send back. */
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { readEnvelope } from '../../errors/thrown/raised-error.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import {
  describeInexact,
  keepsDigits,
  readJson,
  readJsonAsWritten,
  type ReadJson,
} from '../../workflow/json-schema/exact-number.ts';
import { checkValue } from '../../workflow/json-schema/check-value.ts';
import { isDeeper } from '../../errors/support/is-deeper.ts';
import { MAX_OUTPUT_DEPTH } from '../state/stored-output.ts';

export type ReadReply =
  | { readonly type: 'output'; readonly output: JsonValue }
  | { readonly type: 'raised'; readonly failure: ReportDraft }
  /** Shown to the model: `must have the field label`. */
  | { readonly type: 'wrong'; readonly problem: string };

export function readReply(text: string, schema: JsonObject | undefined): ReadReply {
  const read = parseJson(text);
  const value = read?.value;
  const raised = read === undefined ? undefined : readRaise(read.written);
  if (raised !== undefined) return { type: 'raised', failure: raised };
  if (schema === undefined) return { type: 'output', output: { result: text } };
  if (value === undefined) return { type: 'wrong', problem: 'The reply is not JSON' };
  if (read?.inexact !== undefined)
    return { type: 'wrong', problem: `The reply ${describeInexact(read.inexact)}` };
  if (isDeeper(value, MAX_OUTPUT_DEPTH))
    return { type: 'wrong', problem: `The reply is nested deeper than ${MAX_OUTPUT_DEPTH} levels` };
  const [finding] = checkValue(schema, value);
  if (finding === undefined) return { type: 'output', output: value };
  const subject = finding.pointer === '' ? 'The reply' : finding.pointer;
  return { type: 'wrong', problem: `${subject} ${finding.message}` };
}

/** `{"errand_error": true, …}`, also under Conductor's name. */
function readRaise(value: JsonValue): ReportDraft | undefined {
  if (!isPlainObject(value)) return undefined;
  const isRaise = value['errand_error'] === true || value['conductor_error'] === true;
  return isRaise ? raiseDraft(value) : undefined;
}

/** Also reads the arguments of the built-in tool. */
export function raiseDraft(value: JsonValue): ReportDraft {
  const reading = readEnvelope(value);
  if (reading.type === 'raised') return reading.envelope;
  return {
    kind: 'internal.envelope_invalid',
    message: `The raised error ${reading.problem}`,
    ...(reading.kind === undefined ? {} : { details: { kind: reading.kind } }),
  };
}

/** Parses the whole text as JSON, also inside Markdown fences. */
function parseJson(
  text: string,
): (ReadJson & { /** Every digit as text. */ readonly written: JsonValue }) | undefined {
  const fenced = /^\s*```(?:json)?\s*\n(?<inner>[\s\S]*?)\n?```\s*$/.exec(text)?.groups?.['inner'];
  try {
    const json = fenced ?? text;
    const read = readJson(json, keepsDigits);
    return { ...read, written: read.inexact === undefined ? read.value : readJsonAsWritten(json) };
  } catch {
    // undefined means: not JSON
    return undefined;
  }
}
