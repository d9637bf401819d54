/**
 * The closed table of the runtime's kinds, one row each: the single source of all that is true of a
 * kind before it happens. The rows are in the files beside this one, one file per group.
 */
import { AGENT_ROWS } from './agent.ts';
import { BREAKER_ROWS } from './breaker.ts';
import { CANCELLATION_ROWS } from './cancellation.ts';
import { EXTENSION_ROWS } from './extension.ts';
import { FLOW_ROWS } from './flow.ts';
import { INTERNAL_ROWS } from './internal.ts';
import { LIMIT_ROWS } from './limit.ts';
import { PROVIDER_REJECTED_ROWS } from './provider-rejected.ts';
import { PROVIDER_TRANSIENT_ROWS } from './provider-transient.ts';
import { REQUEST_ROWS } from './request.ts';
import type { CatalogRow } from './row.ts';
import { SCRIPT_ROWS } from './script.ts';
import { SESSION_ROWS } from './session.ts';
import { TOOL_ROWS } from './tool.ts';
import { VALIDATION_ROWS } from './validation.ts';

/**
 * Every kind of the runtime, with its row.
 * @example
 * ```ts
 * import { CATALOG } from 'errand/errors';
 *
 * console.log(CATALOG['provider.rate_limited'].category); // transient
 * ```
 */
export const CATALOG = {
  ...VALIDATION_ROWS,
  ...PROVIDER_TRANSIENT_ROWS,
  ...PROVIDER_REJECTED_ROWS,
  ...TOOL_ROWS,
  ...AGENT_ROWS,
  ...SCRIPT_ROWS,
  ...LIMIT_ROWS,
  ...BREAKER_ROWS,
  ...FLOW_ROWS,
  ...SESSION_ROWS,
  ...REQUEST_ROWS,
  ...CANCELLATION_ROWS,
  ...EXTENSION_ROWS,
  ...INTERNAL_ROWS,
} as const satisfies Record<string, CatalogRow>;

/** A kind that the runtime itself can report. */
export type RuntimeKind = keyof typeof CATALOG;

// true: CATALOG is a literal of this module and is never added to, so its keys are exactly its type's
/**
 * The kinds of the runtime, in the order of the catalog.
 * @example
 * ```ts
 * import { RUNTIME_KINDS } from 'errand/errors';
 *
 * console.log(RUNTIME_KINDS.includes('provider.rate_limited')); // true
 * ```
 */
export const RUNTIME_KINDS = Object.keys(CATALOG) as RuntimeKind[];

// a map, not the object: a lookup of '__proto__' or 'constructor' finds nothing inherited
const ROWS: ReadonlyMap<string, CatalogRow> = new Map(Object.entries(CATALOG));

/**
 * The row of a runtime kind; undefined for kinds that authors raise, and for names that are not kinds.
 * @example
 * ```ts
 * import { catalogRow } from 'errand';
 *
 * console.log(catalogRow('provider.rate_limited')?.httpStatus); // 429
 * console.log(catalogRow('order.missing')); // undefined
 * ```
 */
export function catalogRow(kind: string): CatalogRow | undefined {
  return ROWS.get(kind);
}

/** The first words of the runtime's kinds. Authors may match kinds under them, not raise them. */
export const RESERVED_PREFIXES: ReadonlySet<string> = new Set(
  RUNTIME_KINDS.map((kind) => kind.slice(0, kind.indexOf('.'))),
);
