/**
 * Checks a document against the schema and the rules. All of them run whatever the others find, so that
 * one round shows every problem.
 */
import { checkNode } from '../rules/node-rules.ts';
import { checkReferences } from '../rules/references.ts';
import { eachNode } from '../rules/each-node.ts';
import { withExtensionTypes } from '../nodes/extension.ts';
import { toPointer } from '../plan/pointer.ts';
import type { Problem } from '../diagnostics/problem.ts';
import { fileSchema, type WorkflowFile } from './file-schema.ts';
import { checkHeader } from '../rules/header-rules.ts';
import { hidesNodes, isWithin, mistypedNodes, toProblems } from './issues.ts';
import { readValue } from './read-value.ts';

export interface CheckedDocument {
  readonly problems: readonly Problem[];
  /** Present when it fits the schema; it may be planned only if no problem is an error. */
  readonly file: WorkflowFile | undefined;
}

const MISSHAPEN: ReadonlySet<string> = new Set(['wrong-type', 'bad-value', 'bad-duration']);

export function checkDocument(document: unknown): CheckedDocument {
  const read = readValue(fileSchema, withExtensionTypes(document));
  const problems = read.ok ? [] : toProblems(read.issues, document);
  const misshapen = new Set(
    problems.filter(({ code }) => MISSHAPEN.has(code)).map(({ path }) => toPointer(path)),
  );
  const mistyped = mistypedNodes(problems, document);
  const isHidden = problems.some(hidesNodes);
  const report = (problem: Problem): void => {
    // a value of the wrong form needs no second problem
    if (misshapen.has(toPointer(problem.path))) return;
    // a target may be in the list that could not be read
    if (isHidden && problem.code === 'unknown-node') return;
    if (!mistyped.some((node) => isWithin(problem, node))) problems.push(problem);
  };
  const nodes = eachNode(document);
  checkHeader(document, report);
  for (const { type, node, path } of nodes) {
    if (type !== undefined) checkNode(type, node, path, report);
  }
  checkReferences(document, nodes, report);
  return { problems, file: read.ok ? read.value : undefined };
}
