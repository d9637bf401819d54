/**
 * Hides values from outside the file, by their origin: a suggestion or a figure that is derived
 * from such a value is spelled differently, so searching for the value would miss it.
 */
import type { DiagnosticCode } from '../diagnostics/diagnostic-codes.ts';
import { parseDuration } from '../plan/duration.ts';
import type { Problem } from '../diagnostics/problem.ts';
import { findLocated, type Located } from './located.ts';
import { isAdvice, OF_KEYS, type Outside } from './outside-values.ts';

/** Codes whose suggestions name only variables and paths, which the author wrote. */
const OF_REFERENCES: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'env-missing',
  'env-in-name',
  'env-too-deep',
  'include-cycle',
  'include-too-many',
  'include-unreadable',
]);

/** Removes whatever is derived from such a value. */
export function withoutTaken(
  problem: Problem,
  root: Located | undefined,
  outside: Outside,
): Problem {
  if (outside.isEmpty || root === undefined || OF_REFERENCES.has(problem.code)) return problem;
  const { found, isExact } = findLocated(root, problem.path);
  if (!isExact || !outside.isTaken(found) || OF_KEYS.has(problem.code)) return problem;
  const { suggestion, ...rest } = problem;
  // for a map or a list the message names its surroundings, but a form is derived from its content
  if (found.members !== undefined)
    return suggestion === undefined || isAdvice(suggestion) ? problem : rest;
  return { ...rest, message: outside.textOfTaken(problem.message, problem.expected ?? '') };
}

export interface TakenFigures {
  /** A duration came from outside the file, so that a time would reveal it. */
  readonly time: boolean;
  /** A number did: a limit, a count or a price. */
  readonly others: boolean;
}

/** Values that go to programs and models, and into no calculation. */
const NO_FIGURES: ReadonlySet<string> = new Set([
  'args',
  'env',
  'input',
  'output',
  'state',
  'value',
]);

export function takenFigures(root: Located, outside: Outside): TakenFigures {
  const found = { time: false, others: false };
  if (outside.isEmpty) return found;
  const open: (readonly [key: string, located: Located])[] = [['', root]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [key, located] = next;
    for (const [name, member] of located.members ?? [])
      if (!NO_FIGURES.has(name)) open.push([/^\d+$/.test(name) ? key : name, member]);
    const isIncluded = outside.isForeign(located) && located.source !== root.source;
    if (located.members !== undefined || (located.isFilled !== true && !isIncluded)) continue;
    const { value } = located;
    if (typeof value === 'string') found.time ||= parseDuration(value) !== undefined;
    else if (typeof value === 'number' && key.endsWith('_seconds')) found.time = true;
    else if (typeof value === 'number') found.others = true;
  }
  return found;
}
