/**
 * Real SDKs, real bytes: the corpus is played to them on loopback, and what they throw must be judged
 * as the answer itself is. Where they lose something, `losses.ts` says so by name.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASES } from './cases.ts';
import { requireSdks } from './install.ts';
import { judge, judgeSeen } from './judge.ts';
import { LOSSES, lossOf } from './losses.ts';
import { PLAYERS } from './players.ts';
import { startLoopback, type Loopback } from './server.ts';

let server: Loopback;

beforeAll(async () => {
  requireSdks();
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  server = await startLoopback();
});

afterAll(async () => {
  await server?.close();
});

describe.each(PLAYERS)('$name gives the same judgement as the answer itself', (player) => {
  const cases = CASES.filter((candidate) => candidate.player === player);

  it.each(cases)('$title', async ({ entry, ask }) => {
    const raw = judge(entry);
    const seen = judgeSeen(await ask(server), entry);
    const loss = lossOf(player.name, entry.id);
    if (loss === undefined) {
      expect(seen).toEqual(raw);
      return;
    }
    expect(seen, `no longer lost: ${loss.reason}`).not.toEqual(raw);
    if (loss.misleads !== true && raw.retryable !== true) expect(seen.retryable).not.toBe(true);
  });
});

describe('the table of losses', () => {
  it('names only entries that are played to the SDK', () => {
    const played = new Set(CASES.map(({ player, entry }) => `${player.name} ${entry.id}`));
    const named = LOSSES.flatMap(({ sdk, entries }) => entries.map((id) => `${sdk} ${id}`));
    expect(named.filter((name) => !played.has(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
  });

  it('stays small beside what is played', () => {
    const lost = LOSSES.reduce((sum, { entries }) => sum + entries.length, 0);
    expect(CASES.length).toBeGreaterThan(1200);
    expect(lost / CASES.length).toBeLessThan(0.03);
  });
});
