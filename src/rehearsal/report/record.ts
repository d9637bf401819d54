/** The record of a rehearsal: one line for each scenario, for review in git and for comparison later. */
import type { RecordChanges, RehearsalResult, ScenarioResult } from './rehearsal-result.ts';

/** `orders.yaml` → `orders.rehearsed.jsonl`. */
export function recordFile(workflow: string): string {
  return workflow.replace(/\.ya?ml$/, '') + '.rehearsed.jsonl';
}

export function recordText({ scenarios }: Pick<RehearsalResult, 'scenarios'>): string {
  const lines = recordLines(scenarios);
  return [...lines.values(), ''].join('\n');
}

/** By name, sorted by it. */
export function recordLines(scenarios: readonly ScenarioResult[]): ReadonlyMap<string, string> {
  const lines = scenarios.map((scenario) => [scenario.name, lineOf(scenario)] as const);
  return new Map(lines.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function lineOf({ name, verdict, status, error, routes }: ScenarioResult): string {
  const isUnreached = verdict === 'unreached';
  return JSON.stringify({
    name,
    status: isUnreached ? 'unreached' : status,
    ...(error === undefined || isUnreached ? {} : { kind: error.kind }),
    routes: isUnreached ? [] : routes.map(({ node, kind, move }) => `${node} ${kind} ${move}`),
  });
}

/** Compares with what was recorded; a line that cannot be read counts as changed. */
export function changesSince(
  recorded: string,
  scenarios: readonly ScenarioResult[],
): RecordChanges {
  const before = readRecord(recorded);
  const now = recordLines(scenarios);
  return {
    changed: [...now]
      .filter(([name, line]) => before.has(name) && before.get(name) !== line)
      .map(([name]) => name),
    added: [...now.keys()].filter((name) => !before.has(name)),
    gone: [...before.keys()].filter((name) => !now.has(name)),
  };
}

export function readRecord(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return new Map(lines.map((line, index) => [nameIn(line) ?? `line ${index + 1}`, line.trim()]));
}

function nameIn(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isNamed = typeof value === 'object' && value !== null && 'name' in value;
    return isNamed ? String(value.name) : undefined;
  } catch {
    // the line is listed by its number
    return undefined;
  }
}
