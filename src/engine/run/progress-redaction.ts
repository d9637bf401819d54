/**
 * Redacts the progress of one effect. Streamed text comes in pieces, and a secret may span several,
 * so an end of a piece that may be part of one is held back until the next piece or the end.
 */
import { toOutput } from '../../machine/state/stored-output.ts';
import { redactBrokenOff } from '../../errors/redaction/broken-off.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ModelProgress } from '../../machine/conversation/model-message.ts';

type Delta = Exclude<ModelProgress, { readonly type: 'retracted' }>;

interface Held {
  readonly value: Delta;
  /** Searched again only at this length, so that a text that is held for long costs linear time. */
  readonly searchedFrom: number;
}

/** Shorter ones are searched with each piece. */
const SHORT_CHARS = 512;
const GROWTH = 1.5;

export class ProgressRedaction {
  readonly #redactor: Redactor;
  readonly #notify: (value: JsonValue) => void;
  /** By type: a listener joins the pieces of each, whatever came in between. */
  readonly #held = new Map<Delta['type'], Held>();

  constructor(redactor: Redactor, notify: (value: JsonValue) => void) {
    this.#redactor = redactor;
    this.#notify = notify;
  }

  /** Notifies of streamed text of a model. */
  text(value: JsonValue): void {
    if (!isDelta(value)) return this.value(value);
    const held = this.#held.get(value.type);
    const delta = (held?.value.delta ?? '') + value.delta;
    const isLongEnough = delta.length >= (held?.searchedFrom ?? 0);
    const heldChars = isLongEnough ? (this.#redactor.begunChars?.(delta) ?? 0) : delta.length;
    const cut = delta.length - heldChars;
    const rest = delta.slice(cut);
    const searchedFrom = isLongEnough ? nextLength(rest.length) : (held?.searchedFrom ?? 0);
    this.#held.set(value.type, { value: { ...value, delta: rest }, searchedFrom });
    if (cut > 0) this.value({ ...value, delta: delta.slice(0, cut) });
  }

  /**
   * Passes on progress of a function or a server, unless it is not JSON and thus has no form to
   * show.
   */
  value(value: JsonValue): void {
    const output = toOutput(value, this.#redactor);
    if (output.ok) this.#notify(output.value);
  }

  /** Passes on the rest when the effect has ended. `isWhole`: the text did not break off. */
  end(isWhole: boolean): void {
    for (const { value } of this.#held.values()) {
      if (value.delta === '') continue;
      const delta = isWhole ? value.delta : redactBrokenOff(value.delta, this.#redactor);
      this.value({ ...value, delta });
    }
    this.#held.clear();
  }
}

function nextLength(heldChars: number): number {
  return heldChars < SHORT_CHARS ? 0 : heldChars * GROWTH;
}

function isDelta(value: JsonValue): value is Delta & JsonObject {
  return isJsonObject(value) && typeof value['delta'] === 'string';
}
