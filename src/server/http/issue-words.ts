/** The words for a value that a schema refuses, without the name of the value. */
import type { z } from '@hono/zod-openapi';

/** The issues that explain most: those of the shape that the value fits the furthest. */
export function nearestIssues(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const all = issue.errors
    .flat()
    .flatMap(nearestIssues)
    .map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  const furthest = Math.max(0, ...all.map(({ path }) => path.length));
  const nearest = all.filter(({ path }) => path.length === furthest);
  // a choice of formats has one text for all of them
  const isShape =
    furthest > issue.path.length || nearest.every(({ code }) => code === 'invalid_type');
  return nearest.length > 0 && isShape ? nearest : [issue];
}

/** The words for the shapes that a value could have had, without the name of the value. */
export function wordsForAll(issues: readonly z.core.$ZodIssue[]): string {
  const types = issues.map((issue) => (issue.code === 'invalid_type' ? issue.expected : undefined));
  if (issues.length > 1 && types.every((type) => type !== undefined))
    return `expected ${[...new Set(types)].join(' or ')}`;
  return issues.slice(0, 1).map(issueWords).join('');
}

function issueWords(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_big':
      return issue.origin === 'string'
        ? `it has more than ${issue.maximum} characters`
        : `it is above ${issue.maximum}`;
    case 'too_small':
      if (issue.origin !== 'string') return `it is below ${issue.minimum}`;
      return issue.minimum === 1 ? 'it is empty' : `it has fewer than ${issue.minimum} characters`;
    default:
      // JSON has objects; records are the library's
      return issue.message
        .replace(/^Invalid input: /, '')
        .replace(/^expected record\b/, 'expected object');
  }
}
