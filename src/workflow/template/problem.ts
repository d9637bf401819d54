/**
 * Why a source is not a template. Parsing refuses by throwing, because a parser is deep where it
 * finds out; what is thrown never leaves this folder, the door turns it into a value.
 */
import { limitMessage, type LimitName } from './limits.ts';

/** A part of the source, in UTF-16 units. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

export interface TemplateProblem extends Span {
  /** One sentence. */
  readonly message: string;
  /** What to write instead, where it can be known. */
  readonly suggestion?: string;
  /** The limit that the source exceeds, when that is the problem. */
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

/** The problem, if that is what was thrown. */
export function problemOf(thrown: unknown): TemplateProblem | undefined {
  return thrown instanceof Refusal ? thrown.problem : undefined;
}
