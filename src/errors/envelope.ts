/**
 * The envelope in which a script or an agent raises a failure: `{kind, message, details}`. What is
 * tolerated and what is refused is the same wherever one arrives.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import { isKindName, isReservedKind } from '../errors/kinds.ts';

export interface Envelope {
  readonly kind: string;
  readonly message: string;
  readonly details?: JsonObject;
}

export type EnvelopeReading =
  | { readonly type: 'raised'; readonly envelope: Envelope }
  /** `has no kind`: the rest of a sentence about what was written. */
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
  const said = message?.trim() ?? '';
  return {
    type: 'raised',
    envelope: { kind, message: said === '' ? kind : said, ...detailsOf(details) },
  };
}

function detailsOf(details: JsonValue | undefined): { details?: JsonObject } {
  if (details === undefined || details === null) return {};
  return { details: isJsonObject(details) ? details : { value: details } };
}
