/** Description of a tool, as data. */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { RetryMove } from '../plan/route-plan.ts';

export interface ToolDescription {
  /** False for a plain function, which declares nothing. */
  readonly isDeclared: boolean;
  readonly description?: string;
  /** JSON Schema. */
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Absent: it declares nothing, so it may raise anything. */
  readonly raises?: readonly string[];
  readonly isIdempotent: boolean;
  /** Null: unknown, so an agent gets it only where its node names it. */
  readonly writes: boolean | null;
  /** Only the machine retries. Without `on`: transient kinds. */
  readonly retry?: Omit<RetryMove, 'type'> & { readonly on?: readonly string[] };
  readonly timeoutMs?: number;
}

/** By name; tools of a server are called `server/name`. */
export type ToolDescriptions = Readonly<Record<string, ToolDescription>>;
