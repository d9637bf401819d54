import { MACHINE_CLOCK, type EffectClock } from './clock.ts';

/** Every wait is over at once. */
export const HURRIED: EffectClock = {
  ...MACHINE_CLOCK,
  after: (_, fire) => {
    const soon = setImmediate(fire);
    return () => clearImmediate(soon);
  },
};
