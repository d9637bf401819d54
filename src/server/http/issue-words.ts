/** The words for a value that a schema refuses, without the name of the value. */
import type { z } from '@hono/zod-openapi';

export function issueWords(issue: z.core.$ZodIssue): string {
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
