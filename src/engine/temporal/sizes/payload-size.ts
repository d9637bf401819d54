/**
 * Temporal refuses payloads over 2 MB, and what it refuses inside a workflow it refuses for ever. So
 * a payload that large becomes a failure that says so.
 */
import { utf8Bytes } from '../../../errors/report/bounded-text.ts';
import { MAX_REPORT_BYTES } from '../../../errors/report/report-limits.ts';
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../../errors/report/report.ts';
import type { EffectRequest } from '../../../machine/decide/effect-request.ts';
import type { Snapshot } from '../../../machine/state/snapshot.ts';
import type { RunInput } from '../messages.ts';

/** Below the server's limit, to leave room for what else it counts. */
export const MAX_PAYLOAD_BYTES = 1_900_000;

export function jsonBytes(value: JsonValue | object): number {
  return utf8Bytes(JSON.stringify(value));
}

/**
 * Leaves the snapshot out where the whole could be refused: then it is read from the execution
 * before.
 */
export function withSnapshot(input: RunInput, snapshot: Snapshot): RunInput {
  const whole = { ...input, snapshot };
  return jsonBytes(whole) <= MAX_PAYLOAD_BYTES ? whole : input;
}

/** Whether Temporal can show the output of a run, beside the report of its failure. */
export function isShowable(output: JsonValue): boolean {
  return jsonBytes(output) + MAX_REPORT_BYTES <= MAX_PAYLOAD_BYTES;
}

/** Nothing was started. */
export function tooLargeInput(workflow: string, sizeBytes: number): ReportDraft {
  return {
    kind: 'validation.input',
    message: `${workflow} and its input are ${megabytes(sizeBytes)}, more than Temporal accepts`,
    details: { sizeBytes, maxBytes: MAX_PAYLOAD_BYTES },
    action: { kind: 'change_input', detail: SMALLER },
  };
}

/** An answer, or the changed file of a run that is resumed. Nothing was sent. */
export function tooLargeMessage(run: string, sizeBytes: number): ReportDraft {
  return {
    kind: 'validation.input',
    message: `The message to run ${run} is ${megabytes(sizeBytes)}, more than Temporal accepts`,
    details: { sizeBytes, maxBytes: MAX_PAYLOAD_BYTES },
    action: { kind: 'change_input', detail: SMALLER },
  };
}

/** Nothing was started. */
export function tooLargeRequest({ node, work }: EffectRequest, sizeBytes: number): ReportDraft {
  return {
    kind: work.type === 'model' ? 'provider.request_too_large' : 'tool.input_invalid',
    message: `The input of ${node.name} is ${megabytes(sizeBytes)}, more than Temporal accepts`,
    outcome: 'not_started',
    details: { sizeBytes, maxBytes: MAX_PAYLOAD_BYTES },
    action: { kind: 'change_input', detail: SMALLER },
  };
}

/** The work was done; only its output is lost. */
export function tooLargeOutput({ node }: EffectRequest, sizeBytes: number): ReportDraft {
  return {
    kind: 'tool.output_malformed',
    message: `The output of ${node.name} is ${megabytes(sizeBytes)}, more than Temporal accepts`,
    outcome: 'partial',
    details: { sizeBytes, maxBytes: MAX_PAYLOAD_BYTES },
    action: { kind: 'fix_code', detail: SMALLER },
  };
}

/** A new execution reads it into its history, which may have 50 MB. */
export const MAX_STATE_BYTES = 40_000_000;

/** The run has to leave a full execution, and its state is too large for a new one. */
export function tooLargeState(sizeBytes: number): ReportDraft {
  return {
    kind: 'store.unavailable',
    category: 'limit',
    retryable: false,
    message: `The state of the run is ${megabytes(sizeBytes)}, more than Temporal accepts`,
    details: { sizeBytes, maxBytes: MAX_STATE_BYTES },
    action: { kind: 'fix_code', detail: SMALLER },
  };
}

const SMALLER = 'Pass large values by reference: a file, an address, a key of a database.';

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
