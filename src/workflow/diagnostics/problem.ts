/**
 * A problem that a rule reports in a document: a code, a sentence and a path. Rules know no text and
 * no file; the loader turns a problem into a diagnostic with line, column and excerpt.
 */
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { DiagnosticCode } from './diagnostic-codes.ts';
import type { Path } from '../plan/pointer.ts';
import type { Span } from '../yaml/source-text.ts';

export type Severity = 'error' | 'warning' | 'info';
/** Extensions that cannot be used have a kind of their own. */
export type ValidationKind = Extract<RuntimeKind, `validation.${string}` | `extension.${string}`>;

export interface Problem {
  readonly code: DiagnosticCode;
  /** One sentence that names the thing and the value. */
  readonly message: string;
  readonly path: Path;
  /** The text to point at, when the problem is not at a value. */
  readonly span?: Span;
  /** Points at the key of the value, as for a key that should not be there. Default: the value. */
  readonly at?: 'key' | 'value';
  /** The part of a text value that is wrong, such as one expression of a template. */
  readonly within?: { readonly offset: number; readonly length: number };
  /** Default: `error`. */
  readonly severity?: Severity;
  /** Default: derived from the path. */
  readonly kind?: ValidationKind;
  /** The form that would be right. */
  readonly expected?: string;
  /** The text to write instead, or what to do. */
  readonly suggestion?: string;
}

export type ReportProblem = (problem: Problem) => void;

/** The keys of a file that hold nodes and groups. */
export const NODE_LISTS: ReadonlySet<unknown> = new Set([
  'agents',
  'nodes',
  'parallel',
  'for_each',
]);

/** Problems inside a node are `node_config`; problems of the file are `workflow`. */
export function kindAt(path: Path): ValidationKind {
  return NODE_LISTS.has(path[0]) && path.length > 1
    ? 'validation.node_config'
    : 'validation.workflow';
}
