/**
 * What a rule says about a document: a code, a sentence and a path. Rules know no text and no file;
 * the loader turns a problem into a diagnostic with line, column and excerpt.
 */
import type { RuntimeKind } from '../errors/catalog.ts';
import type { DiagnosticCode } from './codes.ts';
import type { Path } from './path.ts';
import type { Span } from './source.ts';

export type Severity = 'error' | 'warning' | 'info';
/** An extension that a file names and that cannot be used is wrong in its own way. */
export type ValidationKind = Extract<RuntimeKind, `validation.${string}` | `extension.${string}`>;

export interface Problem {
  readonly code: DiagnosticCode;
  /** One sentence that names the thing and the value. */
  readonly message: string;
  readonly path: Path;
  /** Where to point, when the place is not that of a value. */
  readonly span?: Span;
  /** Points at the key of the value, as for a key that should not be there. Default: the value. */
  readonly at?: 'key' | 'value';
  /** A stretch of the value, where the value is text: the part of a template that is wrong. */
  readonly within?: { readonly offset: number; readonly length: number };
  /** Default: `error`. */
  readonly severity?: Severity;
  /** Default: by the path. */
  readonly kind?: ValidationKind;
  /** The form that would be right. */
  readonly expected?: string;
  /** What to write instead, or what to do. */
  readonly suggestion?: string;
}

export type Report = (problem: Problem) => void;

const NODE_LISTS: ReadonlySet<unknown> = new Set(['agents', 'nodes', 'parallel', 'for_each']);

/** What is wrong inside a node is `node_config`; what is wrong with the file is `workflow`. */
export function kindAt(path: Path): ValidationKind {
  return NODE_LISTS.has(path[0]) && path.length > 1
    ? 'validation.node_config'
    : 'validation.workflow';
}
