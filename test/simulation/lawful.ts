/** A simulated run of some files that must break no law. */
import { expect } from 'vitest';
import type { Subject } from '../../src/rehearsal/laws/subject.ts';
import { simulate, type SimulationOptions } from '../../src/rehearsal/simulated-run.ts';
import { speak } from './conversation.ts';
import type { planOfFiles } from './plans.ts';
import { breachesOf } from './trial.ts';

type Planned = ReturnType<typeof planOfFiles>;

export async function simulateLawfully(
  { plan, worstCase }: Planned,
  how: SimulationOptions,
): Promise<Subject> {
  const given = { answers: 'any', speaker: speak, maxLegs: 20, ...how } as const;
  const subject: Subject = { ...(await simulate(plan, given)), plan, worstCase };
  expect(
    breachesOf(subject).map(({ law, said }) => `seed ${how.seed}: ${law.name}: ${said.join()}`),
  ).toEqual([]);
  return subject;
}
