/** An answer that was given before its gate opens. Types only. */
import type { JsonValue } from '../../errors/support/safe-json.ts';

/** An answer that is used when its gate opens. */
export interface PreparedAnswer {
  /** The name or the path of a gate. */
  readonly gate: string;
  /** The answer. */
  readonly value: JsonValue;
  /** Whether a program gave it rather than a person. Default: false. */
  readonly isByProgram?: boolean;
}
