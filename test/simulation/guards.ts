/**
 * Guards of a host that object to some calls, by the seed; the same call always gets the same
 * decision.
 */
import { randomFrom } from '../../src/rehearsal/world/random.ts';
import type { NamedGuard } from '../../src/effects/run-guards.ts';
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import type { GuardVerdict } from '../../src/workflow/authoring/guard.ts';
import type { Judge, Opinion } from '../../src/rehearsal/laws/subject.ts';
import { SECRET } from './shape.ts';

interface Said {
  readonly opinion: Opinion;
  readonly verdict: () => GuardVerdict | Promise<GuardVerdict>;
}

/** A guard that returns nonsense denies. */
const SAID: readonly Said[] = [
  { opinion: 'allow', verdict: () => undefined },
  { opinion: 'allow', verdict: () => 'allow' },
  { opinion: 'ask', verdict: () => ({ ask: `It is dear, ${SECRET}` }) },
  { opinion: 'ask', verdict: () => Promise.resolve('ask') },
  { opinion: 'deny', verdict: () => ({ deny: `Not with ${SECRET}` }) },
  { opinion: 'deny', verdict: () => Promise.reject(new Error(`It broke with ${SECRET}`)) },
  { opinion: 'deny', verdict: () => 'certainly' as never },
  // takes longer than a guard may
  { opinion: 'deny', verdict: () => new Promise(() => undefined) },
];

function saidOf(seed: number, tool: string, given: JsonObject): Said {
  const random = randomFrom('guard', seed, tool, JSON.stringify(given));
  const said = random.chance(0.6) ? SAID[0] : random.pick(SAID);
  return said ?? { opinion: 'allow', verdict: () => undefined };
}

export function guardsOf(seed: number): readonly NamedGuard[] {
  return [
    { name: 'easy', check: () => 'allow' },
    { name: 'strict', check: (call) => saidOf(seed, call.tool, call.arguments).verdict() },
  ];
}

export function judgeOf(seed: number): Judge {
  return (tool, given) => saidOf(seed, tool, given).opinion;
}
