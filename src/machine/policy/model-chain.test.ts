import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildReport } from '../../errors/report/build.ts';
import { catalogRow } from '../../errors/catalog/catalog.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import {
  chooseModel,
  newChain,
  noteReply,
  noteFailure,
  providerOf,
  REFRESHABLE,
  type ChainEntry,
} from './model-chain.ts';

const TRANSIENT = ['provider.rate_limited', 'provider.overloaded', 'provider.timeout'] as const;
const FATAL = ['provider.auth', 'provider.content_filter', 'provider.unknown'] as const;
const QUOTA = 'provider.quota_exhausted';

function failure(kind: string, retryAfterMs?: number): ErrorReport {
  const provider = retryAfterMs === undefined ? {} : { provider: { retryAfterMs } };
  return buildReport({ kind, message: 'x', ...provider }, { stamp: { id: 'e', at: '' } });
}

const entry = fc.record(
  {
    model: fc.constantFrom('one/a', 'one/b', 'two/a', 'sim/x', 'sim/y'),
    on: fc.constantFrom<'any' | readonly string[]>('any', ['provider.content_filter']),
  },
  { requiredKeys: ['model'] },
);
const chains = fc.uniqueArray(entry, {
  selector: ({ model }) => model,
  minLength: 1,
  maxLength: 5,
});
const failures = fc.array(
  fc.record({
    kind: fc.constantFrom(...TRANSIENT, ...FATAL, QUOTA),
    hintMs: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
    isTakenOver: fc.boolean(),
  }),
  { minLength: 40, maxLength: 40 },
);

interface Asked {
  readonly entry: ChainEntry;
  readonly kind: string;
  readonly isTakenOver: boolean;
}

const isOpen = ({ isSpent, isBarred }: ChainEntry): boolean => !isSpent && !isBarred;

/** Every call fails as given, until no entry may be called any more. */
function playOut(
  models: Parameters<typeof newChain>[0],
  failing: readonly { kind: string; hintMs: number | undefined; isTakenOver: boolean }[],
  check: (
    chain: readonly ChainEntry[],
    asked: ChainEntry,
    before: readonly Asked[],
    nowMs: number,
  ) => void,
): readonly Asked[] {
  const chain = newChain(models);
  const asked: Asked[] = [];
  let nowMs = 0;
  for (const { kind, hintMs, isTakenOver } of failing) {
    const choice = chooseModel(chain, nowMs, () => 0);
    if (choice.type === 'spent') break;
    if (choice.type === 'wait') {
      const pauses = chain.filter(isOpen).map(({ pausedUntilMs }) => pausedUntilMs);
      expect(choice.untilMs).toBe(Math.min(...pauses));
      expect(choice.untilMs).toBeGreaterThan(nowMs);
      nowMs = choice.untilMs;
    }
    const next = chooseModel(chain, nowMs, () => 0);
    if (next.type !== 'ask') throw new Error('a wait that is over leads to a call');
    const found = chain.find(({ model }) => model === next.model);
    if (found === undefined) throw new Error('it is in the chain');
    check(chain, found, asked, nowMs);
    const canGoOn = noteFailure(chain, found.model, failure(kind, hintMs), {
      nowMs,
      isTakenOver,
      maxAttempts: 6,
      words: ['w'],
    });
    expect(canGoOn).toBe(chain.some(isOpen));
    asked.push({ entry: found, kind, isTakenOver });
  }
  return asked;
}

describe('the chain', () => {
  it('calls the first healthy entry, and never one that is spent or paused', () => {
    fc.assert(
      fc.property(chains, failures, (models, failing) => {
        playOut(models, failing, (chain, asked, _before, nowMs) => {
          const healthy = chain.filter((each) => isOpen(each) && each.pausedUntilMs <= nowMs);
          expect(asked).toBe(healthy[0]);
        });
      }),
    );
  });

  it('makes no more attempts at an entry than the schedule of its latest failure has', () => {
    fc.assert(
      fc.property(chains, failures, (models, failing) => {
        const asked = playOut(models, failing, () => undefined);
        for (const { model } of models) {
          const own = asked.filter(({ entry: { model: name } }) => name === model);
          // it was called again, so the failure before had not spent it
          for (const [index, { kind, isTakenOver }] of own.slice(0, -1).entries()) {
            expect(TRANSIENT).toContain(kind);
            expect(isTakenOver).toBe(false);
            expect(index + 1).toBeLessThan(catalogRow(kind)?.schedule?.attempts ?? 0);
          }
        }
      }),
    );
  });

  it('moves after a fatal failure only to a later entry that names it, after a quota to another provider', () => {
    fc.assert(
      fc.property(chains, failures, (models, failing) => {
        playOut(models, failing, (chain, asked, before) => {
          const last = before.at(-1);
          if (last === undefined) return;
          if (last.kind === QUOTA)
            expect(providerOf(asked.model)).not.toBe(providerOf(last.entry.model));
          if (FATAL.every((kind) => kind !== last.kind)) return;
          expect(chain.indexOf(asked)).toBeGreaterThan(chain.indexOf(last.entry));
          const { on } = asked;
          const isNamed = on === 'any' || on?.includes(last.kind);
          expect(isNamed).toBe(true);
        });
      }),
    );
  });

  it('uses a hint to the millisecond and adds jitter only to its own schedule, by a fifth at most', () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 0, max: 1e7 }), { nil: undefined }),
        fc.string(),
        (hintMs, word) => {
          const chain = newChain([{ model: 'sim/x' }]);
          const waits = [5000, 10_000, 20_000, 40_000, 80_000];
          for (const [index, waitMs] of waits.entries()) {
            const context = { nowMs: 7, isTakenOver: false, maxAttempts: 6, words: [word] };
            expect(
              noteFailure(chain, 'sim/x', failure('provider.rate_limited', hintMs), context),
            ).toBe(true);
            const restMs = (chain[0]?.pausedUntilMs ?? 0) - 7;
            if (hintMs !== undefined) expect(restMs).toBe(hintMs);
            else expect(Math.abs(restMs - waitMs)).toBeLessThanOrEqual(waitMs * 0.2);
            expect(chain[0]?.attempts).toBe(index + 1);
          }
          const context = { nowMs: 7, isTakenOver: false, maxAttempts: 6, words: [word] };
          expect(noteFailure(chain, 'sim/x', failure('provider.rate_limited'), context)).toBe(
            false,
          );
        },
      ),
    );
  });

  it('recognises a provider in every spelling, and each simulated name as one of its own', () => {
    expect(providerOf('gemini/x')).toBe(providerOf('google/y'));
    expect(providerOf('sim/x')).not.toBe(providerOf('sim/y'));
    expect(providerOf('openai/x')).not.toBe(providerOf('google/x'));
  });

  it('waits without end during the probe of another call, and is spent only when all entries are', () => {
    const chain = newChain([{ model: 'sim/x' }]);
    expect(chooseModel(chain, 0, () => Infinity)).toEqual({ type: 'wait', untilMs: Infinity });
    noteFailure(chain, 'sim/x', failure('provider.auth'), {
      nowMs: 0,
      isTakenOver: false,
      maxAttempts: 6,
      words: [],
    });
    expect(chooseModel(chain, 0, () => 0)).toEqual({ type: 'spent' });
  });
});

describe('an API key that can be refreshed', () => {
  const refused = { ...failure('provider.auth'), details: { [REFRESHABLE]: true } };
  const limited = failure('provider.rate_limited', 0);
  const note = (chain: readonly ChainEntry[], error: ErrorReport, maxAttempts = 6): boolean =>
    noteFailure(chain, 'x/y', error, { nowMs: 0, isTakenOver: true, maxAttempts, words: [] });

  it('is refreshed once, also where a route names the kind, and never twice', () => {
    const chain = newChain([{ model: 'x/y' }]);
    expect(note(chain, refused)).toBe(true);
    expect(chain[0]).toMatchObject({ refresh: 'due', attempts: 1 });
    expect(chooseModel(chain, 0, () => 0)).toEqual({ type: 'ask', model: 'x/y' });
    expect(note(chain, refused)).toBe(false);
  });

  it('is refreshed again after a reply, and not beyond the bound of attempts', () => {
    const chain = newChain([{ model: 'x/y' }]);
    note(chain, refused);
    noteReply(chain);
    expect(chain[0]).toMatchObject({ refresh: 'none', attempts: 0 });
    const spent = newChain([{ model: 'x/y' }]);
    for (let made = 0; made < 5; made++)
      noteFailure(spent, 'x/y', limited, {
        nowMs: 0,
        isTakenOver: false,
        maxAttempts: 6,
        words: [],
      });
    expect(note(spent, refused)).toBe(false);
  });

  it('does not include keys without a source of new ones', () => {
    expect(note(newChain([{ model: 'x/y' }]), failure('provider.auth'))).toBe(false);
  });
});
