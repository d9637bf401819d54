/**
 * Temporal refuses what is larger than 2 MB, and what it refuses inside a workflow it refuses for ever.
 * So nothing that large is handed to it: it becomes a failure that says so.
 */
import { utf8Bytes } from '../../errors/bounded-text.ts';
import type { JsonValue } from '../../errors/json.ts';
import type { ReportDraft } from '../../errors/report.ts';
import type { EffectRequest } from '../../machine/effect-request.ts';

/** Below the server's limit, for what it counts besides. */
export const MAX_PAYLOAD_BYTES = 1_900_000;

export function jsonBytes(value: JsonValue | object): number {
  return utf8Bytes(JSON.stringify(value));
}

/** Nothing was begun. */
export function tooLargeRequest({ node, work }: EffectRequest, sizeBytes: number): ReportDraft {
  return {
    kind: work.type === 'model' ? 'provider.request_too_large' : 'tool.input_invalid',
    message: `What ${node.name} is given is ${megabytes(sizeBytes)}, more than Temporal carries`,
    outcome: 'not_started',
    details: { sizeBytes, maxBytes: MAX_PAYLOAD_BYTES },
    action: { kind: 'change_input', detail: SMALLER },
  };
}

/** It was done; only what it gave is lost. */
export function tooLargeOutput({ node }: EffectRequest, sizeBytes: number): ReportDraft {
  return {
    kind: 'tool.output_malformed',
    message: `What ${node.name} gave is ${megabytes(sizeBytes)}, more than Temporal carries`,
    outcome: 'partial',
    details: { sizeBytes, maxBytes: MAX_PAYLOAD_BYTES },
    action: { kind: 'fix_code', detail: SMALLER },
  };
}

const SMALLER = 'Pass large values by reference: a file, an address, a key of a database.';

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
