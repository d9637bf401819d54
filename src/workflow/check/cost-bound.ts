/** Cost bound: four figures that are added, multiplied and compared together. */
import { atMost, largest, smaller, sum, times, ZERO, type Figure } from './bounded-number.ts';

export interface CostBound {
  /** Attempts of effects of any type. */
  readonly effects: Figure;
  /** Requests to models, counting each attempt. */
  readonly modelRequests: Figure;
  /** On the run's clock, which stops while the run is paused. */
  readonly wallMs: Figure;
  readonly costUsdMicros: Figure;
}

const FIGURES = ['effects', 'modelRequests', 'wallMs', 'costUsdMicros'] as const;
export type FigureName = (typeof FIGURES)[number];

export const NOTHING: CostBound = {
  effects: ZERO,
  modelRequests: ZERO,
  wallMs: ZERO,
  costUsdMicros: ZERO,
};

export function addCosts(costs: readonly CostBound[]): CostBound {
  const parts = costs.filter((cost) => cost !== NOTHING);
  const [only = NOTHING] = parts;
  return parts.length <= 1 ? only : each((name) => sum(parts.map((cost) => cost[name])));
}

export function largestCost(costs: readonly CostBound[]): CostBound {
  const [only = NOTHING] = costs;
  return costs.length <= 1 ? only : each((name) => largest(costs.map((cost) => cost[name])));
}

export function smallerCost(one: CostBound, other: CostBound): CostBound {
  return each((name) => smaller(one[name], other[name]));
}

export function timesCost(cost: CostBound, factor: Figure): CostBound {
  return factor.value === 1 ? cost : each((name) => times(cost[name], factor));
}

export function boundCost(cost: CostBound, bounds: Partial<Record<FigureName, number>>): CostBound {
  return each((name) => atMost(cost[name], bounds[name]));
}

function each(compute: (name: FigureName) => Figure): CostBound {
  return {
    effects: compute('effects'),
    modelRequests: compute('modelRequests'),
    wallMs: compute('wallMs'),
    costUsdMicros: compute('costUsdMicros'),
  };
}
