/** The places of a loaded workflow, for checks that look further than one file's form. */
import { toDiagnostic, type Diagnostic } from '../diagnostics.ts';
import { fromPointer } from '../path.ts';
import type { Problem } from '../problem.ts';
import type { Span } from '../source.ts';
import { findLocated, spanAt, spanWithin, type Located } from './located.ts';
import type { Outside } from './outside.ts';
import { takenFigures, withoutTaken, type TakenFigures } from './taken-values.ts';

/** A part of a text value: the characters of a template that a mistake is about. */
export interface Part {
  readonly offset: number;
  readonly length: number;
}

export interface WorkflowSources {
  /** In the order in which they were loaded, the workflow itself first; included files are not listed. */
  readonly files: readonly string[];
  /** Undefined for a file that was not loaded, or a workflow that was written in code. */
  readonly span: (file: string, pointer: string, part?: Part) => Span | undefined;
  /** The problem with line, column and excerpt; `part` is of the text at its path. */
  readonly diagnose: (file: string, problem: Problem, part?: Part) => Diagnostic;
  /** A text about the workflow, without what it took from around it. */
  readonly sayable: (text: string) => string;
  /** Which figures would tell what the workflow took from around it. */
  readonly takenFigures: () => TakenFigures;
}

export function workflowSources(
  loaded: ReadonlyMap<string, { readonly root?: Located }>,
  outside: Outside,
): WorkflowSources {
  const spanOf = (
    file: string,
    problem: Pick<Problem, 'path' | 'at'>,
    part?: Part,
  ): Span | undefined => {
    const root = loaded.get(file)?.root;
    if (root === undefined) return undefined;
    if (part === undefined) return spanAt(root, problem.path, problem.at ?? 'value');
    return spanWithin(findLocated(root, problem.path).found, part.offset, part.length);
  };
  return {
    files: [...loaded.keys()],
    span: (file, pointer, part) => spanOf(file, { path: fromPointer(pointer) }, part),
    diagnose: (file, problem, part) => {
      const said = withoutTaken(problem, loaded.get(file)?.root, outside);
      return outside.hiddenIn(
        toDiagnostic(said, problem.span ?? spanOf(file, problem, part), file),
      );
    },
    takenFigures: () => {
      const each = [...loaded.values()].flatMap(({ root }) =>
        root === undefined ? [] : [takenFigures(root, outside)],
      );
      return {
        time: each.some(({ time }) => time),
        others: each.some(({ others }) => others),
      };
    },
    sayable: (text) => outside.text(text),
  };
}
