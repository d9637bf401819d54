/**
 * Errors of the template parser. It throws them from deep inside; they never leave this folder, because
 * `template.ts` converts them to values.
 */
import { limitMessage, type LimitName } from './template-limits.ts';

/** A part of the source, in UTF-16 units. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

export interface TemplateProblem extends Span {
  /** One sentence. */
  readonly message: string;
  /** The text to write instead, where it is known. */
  readonly suggestion?: string;
  /** The exceeded limit, when that is the problem. */
  readonly limit?: LimitName;
}

class Refusal extends Error {
  readonly problem: TemplateProblem;

  constructor(problem: TemplateProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

export function refuse({ offset, length }: Span, message: string, suggestion?: string): never {
  throw new Refusal({
    message,
    offset,
    length,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}

export function refuseBeyond(limit: LimitName, { offset, length }: Span): never {
  throw new Refusal({ message: limitMessage(limit), offset, length, limit });
}

/** Returns the problem of a thrown template error. */
export function problemOf(thrown: unknown): TemplateProblem | undefined {
  return thrown instanceof Refusal ? thrown.problem : undefined;
}
