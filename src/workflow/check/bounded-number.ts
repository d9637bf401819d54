/** A bounded number, or null with the reasons why it has no bound. */
export interface Figure {
  /** Null: nothing bounds it. */
  readonly value: number | null;
  readonly reasons: readonly string[];
}

export const ZERO: Figure = { value: 0, reasons: [] };

export function exactly(value: number): Figure {
  return { value, reasons: [] };
}

export function unbounded(reason: string): Figure {
  return { value: null, reasons: [reason] };
}

export function sum(figures: readonly Figure[]): Figure {
  let total = 0;
  for (const { value } of figures) {
    if (value === null) return open(figures);
    total += value;
  }
  return total === 0 ? ZERO : exactly(total);
}

/** The largest of several; unbounded when one of them is. */
export function largest(figures: readonly Figure[]): Figure {
  let most = ZERO;
  for (const figure of figures) {
    if (figure.value === null) return open(figures);
    if (figure.value > (most.value ?? 0)) most = figure;
  }
  return most;
}

/** The smaller of two bounds that both hold; null is no restriction. */
export function smaller(one: Figure, other: Figure): Figure {
  if (one.value === null || other.value === null) return one.value === null ? other : one;
  return other.value < one.value ? other : one;
}

export function times(figure: Figure, factor: Figure): Figure {
  // zero times unbounded is zero
  if (figure.value === 0 || factor.value === 0) return ZERO;
  if (figure.value === null || factor.value === null) return open([figure, factor]);
  return exactly(figure.value * factor.value);
}

/** Applies an upper bound that always holds. */
export function atMost(figure: Figure, bound: number | undefined): Figure {
  if (bound === undefined) return figure;
  return figure.value === null || figure.value > bound ? exactly(bound) : figure;
}

function open(figures: readonly Figure[]): Figure {
  return new Open(figures.filter(({ value }) => value === null));
}

/**
 * Unbounded, with the reasons of all its parts, which are collected on demand: the figure of a long
 * chain consists of as many figures as the chain has nodes, and each of them would repeat the
 * reasons of all before it.
 */
class Open implements Figure {
  readonly value = null;
  readonly #parts: readonly Figure[];

  constructor(parts: readonly Figure[]) {
    this.#parts = parts;
  }

  get reasons(): readonly string[] {
    const reasons = new Set<string>();
    const seen = new Set<Figure>();
    const ahead: Figure[] = [this];
    for (let figure = ahead.pop(); figure !== undefined; figure = ahead.pop()) {
      if (seen.has(figure)) continue;
      seen.add(figure);
      if (figure instanceof Open) ahead.push(...figure.#parts.toReversed());
      else for (const reason of figure.reasons) reasons.add(reason);
    }
    return [...reasons];
  }
}
