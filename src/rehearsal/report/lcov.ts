/** The error routes of a rehearsal as LCOV, so that coverage viewers colour the lines of the YAML. */
import type { CoveredRoute, Rehearsed } from '../rehearse-plan.ts';

export function lcovReport(rehearsals: readonly Rehearsed[]): string {
  const files = new Map<string, CoveredRoute[]>();
  for (const { errorRoutes } of rehearsals)
    for (const each of errorRoutes) {
      const file = each.route.file ?? each.file.plan.file;
      files.set(file, [...(files.get(file) ?? []), each]);
    }
  return [...files].flatMap(([file, routes]) => section(file, routes)).join('');
}

function section(file: string, routes: readonly CoveredRoute[]): readonly string[] {
  const lines = new Map<number, number>();
  for (const { route, isCovered } of routes) {
    const line = route.line ?? 0;
    lines.set(line, (lines.get(line) ?? 0) + (isCovered ? 1 : 0));
  }
  const sorted = [...lines].toSorted(([a], [b]) => a - b);
  const hit = sorted.filter(([, count]) => count > 0).length;
  const covered = routes.filter(({ isCovered }) => isCovered).length;
  const branches = routes.map(
    ({ route, isCovered }) => `BRDA:${route.line ?? 0},0,${route.index},${isCovered ? 1 : 0}`,
  );
  const text = [
    `SF:${file}`,
    ...branches,
    `BRF:${routes.length}`,
    `BRH:${covered}`,
    ...sorted.map(([line, count]) => `DA:${line},${count}`),
    `LF:${sorted.length}`,
    `LH:${hit}`,
    'end_of_record',
    '',
  ];
  return [text.join('\n')];
}
