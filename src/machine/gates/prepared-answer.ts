/** An answer that was given before its gate opens. Types only. */
import type { JsonValue } from '../../errors/support/safe-json.ts';

export interface PreparedAnswer {
  /** The name or the path of a gate. */
  readonly gate: string;
  readonly value: JsonValue;
}
