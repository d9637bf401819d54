/** The minima of a rehearsal: the figures below their required values. */

export const FIGURES = ['routes', 'moves', 'kinds', 'doubt', 'crashes', 'mutants'] as const;
export type FigureName = (typeof FIGURES)[number];
export type Minima = Readonly<Partial<Record<FigureName, number>>>;

interface Counted {
  readonly covered: number;
  readonly total: number;
}

export interface Below {
  readonly figure: FigureName;
  readonly min: number;
  readonly percent: number;
}

export function belowMinima(
  figures: Readonly<Partial<Record<FigureName, Counted>>>,
  minima: Minima,
): readonly Below[] {
  return FIGURES.flatMap((figure) => {
    const min = minima[figure];
    const percent = percentOf(figures[figure] ?? { covered: 0, total: 0 });
    return min === undefined || percent >= min ? [] : [{ figure, min, percent }];
  });
}

/** All of nothing is 100. */
export function percentOf({ covered, total }: Counted): number {
  return total === 0 ? 100 : (100 * covered) / total;
}
