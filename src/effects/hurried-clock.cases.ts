import { MACHINE_CLOCK, type EffectClock } from './clock.ts';

/** A clock on which every wait ends at once. */
export const HURRIED: EffectClock = {
  ...MACHINE_CLOCK,
  after: (_, fire) => {
    const soon = setImmediate(fire);
    return () => clearImmediate(soon);
  },
};
