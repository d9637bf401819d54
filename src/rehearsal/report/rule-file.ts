/** The file of a figure's rule: a route of a child is in the file of the child. */
import type { Rehearsed } from '../rehearse-plan.ts';

/** A route, or a node, as a figure names it. */
export interface AtRule {
  readonly node?: string;
  readonly rule?: number;
  readonly line: number;
}

export function fileOfRule(
  { result, atlas, errorRoutes }: Rehearsed,
  { node, rule, line }: AtRule,
): string {
  const found = errorRoutes.find(
    ({ route, place }) => place?.name === node && route.index === rule && route.line === line,
  );
  const place = node === undefined ? undefined : atlas.named(node);
  return found?.route.file ?? found?.file.plan.file ?? place?.file.plan.file ?? result.file;
}
