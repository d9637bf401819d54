/** What something can cost at most: four figures that are added, multiplied and compared together. */
import { atMost, largest, smaller, sum, times, ZERO, type Figure } from './figure.ts';

export interface Bill {
  /** Attempts of effects of any type. */
  readonly effects: Figure;
  /** Requests to models, each attempt counted. */
  readonly modelRequests: Figure;
  /** On the run's clock: while parked, or waiting for a person, it stands still. */
  readonly wallMs: Figure;
  readonly costUsdMicros: Figure;
}

const FIGURES = ['effects', 'modelRequests', 'wallMs', 'costUsdMicros'] as const;
export type FigureName = (typeof FIGURES)[number];

export const NOTHING: Bill = {
  effects: ZERO,
  modelRequests: ZERO,
  wallMs: ZERO,
  costUsdMicros: ZERO,
};

export function addBills(bills: readonly Bill[]): Bill {
  return each((name) => sum(bills.map((bill) => bill[name])));
}

export function largestBill(bills: readonly Bill[]): Bill {
  return each((name) => largest(bills.map((bill) => bill[name])));
}

export function smallerBill(one: Bill, other: Bill): Bill {
  return each((name) => smaller(one[name], other[name]));
}

export function timesBill(bill: Bill, factor: Figure): Bill {
  return each((name) => times(bill[name], factor));
}

export function boundBill(bill: Bill, bounds: Partial<Record<FigureName, number>>): Bill {
  return each((name) => atMost(bill[name], bounds[name]));
}

function each(compute: (name: FigureName) => Figure): Bill {
  return {
    effects: compute('effects'),
    modelRequests: compute('modelRequests'),
    wallMs: compute('wallMs'),
    costUsdMicros: compute('costUsdMicros'),
  };
}
