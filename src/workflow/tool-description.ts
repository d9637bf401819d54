/** What a tool says of itself, as data. */
import type { JsonObject } from '../errors/json.ts';
import type { RetryMove } from './route.ts';

export interface ToolDescription {
  /** False for a plain function, which says nothing. */
  readonly isDeclared: boolean;
  readonly description?: string;
  /** JSON Schema. */
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Absent: it declares nothing, so it may raise anything. */
  readonly raises?: readonly string[];
  readonly isIdempotent: boolean;
  /** Null: nobody said, so an agent should have it only where its node names it. */
  readonly writes: boolean | null;
  /** For the machine, which alone retries. Without `on`: what is transient. */
  readonly retry?: Omit<RetryMove, 'type'> & { readonly on?: readonly string[] };
  readonly timeoutMs?: number;
}

/** By name; those of a server are called `server/name`. */
export type ToolDescriptions = Readonly<Record<string, ToolDescription>>;
