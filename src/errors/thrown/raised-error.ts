/**
 * A raised error, as a script or an agent writes it: `{kind, message, details}`. The same is tolerated and
 * refused wherever one arrives.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../support/safe-json.ts';
import { isKindName, isReservedKind } from '../catalog/kinds.ts';

export interface Envelope {
  readonly kind: string;
  readonly message: string;
  readonly details?: JsonObject;
}

export type EnvelopeReading =
  | { readonly type: 'raised'; readonly envelope: Envelope }
  /** `has no kind`: completes a sentence about the raised error. */
  | { readonly type: 'invalid'; readonly problem: string; readonly kind?: string };

/** Keys beside the three are ignored, `errand_error` and `conductor_error` among them. */
export function readEnvelope(value: JsonValue): EnvelopeReading {
  if (!isJsonObject(value)) return { type: 'invalid', problem: 'is not a JSON object' };
  const { kind, message, details } = value;
  if (kind === undefined || kind === null) return { type: 'invalid', problem: 'has no kind' };
  if (!isKindName(kind)) {
    const problem = 'has a kind that is not dotted lowercase words, such as order.missing';
    return { type: 'invalid', problem, ...(typeof kind === 'string' ? { kind } : {}) };
  }
  if (isReservedKind(kind)) {
    return {
      type: 'invalid',
      problem: `claims the kind ${kind}, which belongs to the runtime`,
      kind,
    };
  }
  if (message !== undefined && message !== null && typeof message !== 'string') {
    return { type: 'invalid', problem: 'has a message that is not a text', kind };
  }
  const text = message?.trim() ?? '';
  return {
    type: 'raised',
    envelope: { kind, message: text === '' ? kind : text, ...detailsOf(details) },
  };
}

function detailsOf(details: JsonValue | undefined): { details?: JsonObject } {
  if (details === undefined || details === null) return {};
  return { details: isJsonObject(details) ? details : { value: details } };
}
