/**
 * Ids made from a run, a leg and the meaning of a span: every process that makes the span gives it
 * the same ids.
 */

export class DerivedIds {
  readonly #purpose: string;
  readonly #run: string;

  /** `purpose` separates the ids of one kind of trace from those of another. */
  constructor(purpose: string, run: string) {
    this.#purpose = purpose;
    this.#run = run;
  }

  traceId(leg: number): string {
    return this.#hash('trace', leg).slice(0, 32);
  }

  spanId(leg: number, key: string): string {
    return this.#hash('span', leg, key).slice(0, 16);
  }

  #hash(...parts: readonly (string | number)[]): string {
    // on demand: most processes load this file and derive no id
    const { createHash } = process.getBuiltinModule('node:crypto');
    return createHash('sha256')
      .update(JSON.stringify([this.#purpose, this.#run, ...parts]))
      .digest('hex');
  }
}
