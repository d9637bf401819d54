/** The faults that a seed meets: some of everything, or much of one thing. */
import { CALM, STORMY, type FaultPlan } from '../../src/rehearsal/world/faults.ts';
import { randomFrom } from '../../src/rehearsal/world/random.ts';

const WEATHERS: readonly FaultPlan[] = [
  STORMY,
  {
    ...CALM,
    effectFails: 0.3,
    modelFails: 0.2,
    partial: 0.2,
    serverFails: 0.3,
    misanswers: 0.3,
    diesBefore: 0.1,
    diesAfter: 0.1,
    most: 10,
  },
  {
    ...CALM,
    effectFails: 0.3,
    modelFails: 0.2,
    storeSlow: 0.2,
    storeRefuses: 0.2,
    storeForgets: 0.15,
    claimLost: 0.06,
    most: 12,
  },
  {
    ...CALM,
    effectFails: 0.5,
    modelFails: 0.4,
    replyLost: 0.15,
    effectHangs: 0.1,
    misanswers: 0.2,
    most: 5,
  },
  // only the people and the server of the tools fail
  { ...CALM, partial: 0.3, serverFails: 0.4, misanswers: 0.4, diesBefore: 0.05, most: 5 },
  {
    ...CALM,
    effectFails: 0.3,
    modelFails: 0.2,
    effectHangs: 0.1,
    storeSlow: 0.3,
    stops: 0.3,
    cancels: 0.4,
    most: 12,
  },
  { ...STORMY, effectFails: 0.9, modelFails: 0.8, replyLost: 0, effectHangs: 0, effectThrows: 0 },
];

export function weatherOf(seed: number): FaultPlan {
  return randomFrom('weather', seed).pick(WEATHERS);
}

/**
 * Faults that a run survives without a trace: nothing hangs, gets lost or leaves an unknown
 * outcome.
 */
export const SURVIVABLE: FaultPlan = {
  ...CALM,
  effectFails: 0.25,
  storeSlow: 0.1,
  storeRefuses: 0.1,
  storeForgets: 0.1,
  claimLost: 0.04,
  diesBefore: 0.1,
  diesAfter: 0.1,
  most: 10,
};
