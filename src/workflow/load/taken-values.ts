/**
 * What may be said of a value that a file took from around it: decided by where the value came from, because
 * a suggestion or a figure that is made of it has another spelling, in which no search would find it.
 */
import type { DiagnosticCode } from '../codes.ts';
import { parseDuration } from '../duration.ts';
import type { Problem } from '../problem.ts';
import { findLocated, type Located } from './located.ts';
import { isAdvice, OF_KEYS, type Outside } from './outside.ts';

/** Their suggestions name variables and paths, which the author wrote. */
const OF_REFERENCES: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>([
  'env-missing',
  'env-too-deep',
  'include-cycle',
  'include-too-many',
  'include-unreadable',
]);

/** The problem without what is made of such a value. */
export function withoutTaken(
  problem: Problem,
  root: Located | undefined,
  outside: Outside,
): Problem {
  if (outside.isEmpty || root === undefined || OF_REFERENCES.has(problem.code)) return problem;
  const { found, isExact } = findLocated(root, problem.path);
  if (!isExact || !outside.isTaken(found) || OF_KEYS.has(problem.code)) return problem;
  const { suggestion, ...rest } = problem;
  // of a map or a list a sentence names what is around the value, and a form is made of it
  if (found.members !== undefined)
    return suggestion === undefined || isAdvice(suggestion) ? problem : rest;
  return { ...rest, message: outside.textOfTaken(problem.message, problem.expected ?? '') };
}

export interface TakenFigures {
  /** A duration came from around the file, so that a time would tell it. */
  readonly time: boolean;
  /** A number did, which may be a limit, a count or a price. */
  readonly others: boolean;
}

/** Values that go to programs and models, and into no figure. */
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
