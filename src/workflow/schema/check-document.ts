/**
 * A document against the schema and the rules. All of them run whatever the others find, so that
 * one round shows all there is to repair.
 */
import { checkNode } from '../nodes/node-rules.ts';
import { checkReferences } from '../nodes/references.ts';
import { eachNode } from '../nodes/each-node.ts';
import type { Problem } from '../problem.ts';
import { fileSchema, type WorkflowFile } from './file.ts';
import { checkHeader } from './header-rules.ts';
import { toProblems } from './issues.ts';

export interface CheckedDocument {
  readonly problems: readonly Problem[];
  /** Present when it fits the schema; only without errors among the problems may it be planned. */
  readonly file: WorkflowFile | undefined;
}

export function checkDocument(document: unknown): CheckedDocument {
  const parsed = fileSchema.safeParse(document);
  const problems = parsed.success ? [] : toProblems(parsed.error.issues, document);
  const report = (problem: Problem): void => void problems.push(problem);
  const nodes = eachNode(document);
  checkHeader(document, report);
  for (const { type, node, path } of nodes) {
    if (type !== undefined) checkNode(type, node, path, report);
  }
  checkReferences(document, nodes, report);
  return { problems, file: parsed.success ? parsed.data : undefined };
}
