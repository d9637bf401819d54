/** A number that may have no bound, with the reasons why it has none. */
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
  return combine(figures, (values) => values.reduce((total, value) => total + value, 0));
}

/** Null beats any number: the largest of several is unbounded when one of them is. */
export function largest(figures: readonly Figure[]): Figure {
  return combine(figures, (values) => Math.max(0, ...values));
}

export function times(figure: Figure, factor: Figure): Figure {
  // nothing, however often, is nothing
  if (figure.value === 0 || factor.value === 0) return ZERO;
  return combine([figure, factor], ([one = 0, other = 0]) => one * other);
}

/** Bounded from above by something that holds whatever else happens. */
export function atMost(figure: Figure, bound: number | undefined): Figure {
  if (bound === undefined) return figure;
  return figure.value === null || figure.value > bound ? exactly(bound) : figure;
}

function combine(
  figures: readonly Figure[],
  compute: (values: readonly number[]) => number,
): Figure {
  const open = figures.filter(({ value }) => value === null);
  if (open.length > 0)
    return { value: null, reasons: unique(open.flatMap(({ reasons }) => reasons)) };
  return exactly(compute(figures.map(({ value }) => value ?? 0)));
}

function unique(reasons: readonly string[]): readonly string[] {
  return [...new Set(reasons)];
}
