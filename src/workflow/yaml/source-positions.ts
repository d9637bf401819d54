/** Source positions of a loaded workflow, for checks after loading. */
import { toDiagnostic, type Diagnostic } from '../diagnostics/diagnostics.ts';
import { fromPointer } from '../plan/pointer.ts';
import type { Problem } from '../diagnostics/problem.ts';
import type { Span } from './source-text.ts';
import { findLocated, spanAt, spanWithin, type Located } from './located.ts';
import type { Outside } from './outside-values.ts';
import { takenFigures, withoutTaken, type TakenFigures } from './hide-outside-values.ts';

/** A part of a text value, such as the wrong part of a template. */
export interface Part {
  readonly offset: number;
  readonly length: number;
}

export interface WorkflowSources {
  /** In loading order, the workflow itself first; without included files. */
  readonly files: readonly string[];
  /** Undefined for a file that was not loaded, or a workflow in code. */
  readonly span: (file: string, pointer: string, part?: Part) => Span | undefined;
  /** Adds line, column and excerpt to a problem; `part` is a part of the text at its path. */
  readonly diagnose: (file: string, problem: Problem, part?: Part) => Diagnostic;
  /** Nothing came from outside the workflow, so there is nothing to hide. */
  readonly isAllSayable: boolean;
  /** Hides values from outside the workflow in a text about it. */
  readonly sayable: (text: string) => string;
  /** Which figures would reveal values from outside the workflow. */
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
      const visible = withoutTaken(problem, loaded.get(file)?.root, outside);
      return outside.hiddenIn(
        toDiagnostic(visible, problem.span ?? spanOf(file, problem, part), file),
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
    isAllSayable: outside.isEmpty,
    sayable: (text) => outside.text(text),
  };
}
