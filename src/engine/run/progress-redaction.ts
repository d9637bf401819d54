/**
 * Progress of one effect without secrets. Streamed text comes in pieces, and a secret may be spread over
 * several, so the end of a piece that may begin one is held back until the next piece or the end.
 */
import { toOutput } from '../../machine/state/stored-output.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { ModelProgress } from '../../machine/conversation/model-message.ts';

type Delta = Exclude<ModelProgress, { readonly type: 'retracted' }>;

export class ProgressRedaction {
  readonly #redactor: Redactor;
  readonly #notify: (value: JsonValue) => void;
  #held: Delta | undefined;

  constructor(redactor: Redactor, notify: (value: JsonValue) => void) {
    this.#redactor = redactor;
    this.#notify = notify;
  }

  /** Notifies of streamed text of a model. */
  text(value: JsonValue): void {
    if (!isDelta(value)) return this.value(value);
    if (this.#held?.type !== value.type) this.end();
    const delta = (this.#held?.delta ?? '') + value.delta;
    const heldChars = this.#redactor.begunChars?.(delta) ?? 0;
    const cut = delta.length - heldChars;
    this.#held = { ...value, delta: delta.slice(cut) };
    if (cut > 0) this.value({ ...value, delta: delta.slice(0, cut) });
  }

  /** Notifies of what a function or a server reports; something that is no JSON has no form to show. */
  value(value: JsonValue): void {
    const output = toOutput(value, this.#redactor);
    if (output.ok) this.#notify(output.value);
  }

  /** Notifies of what is left when the effect has ended. */
  end(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined && held.delta !== '') this.value({ ...held });
  }
}

function isDelta(value: JsonValue): value is Delta & JsonObject {
  return isJsonObject(value) && typeof value['delta'] === 'string';
}
