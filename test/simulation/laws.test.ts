/** A law that cannot fail proves nothing: each gets a doctored run, and has to notice. */
import { beforeAll, describe, expect, it } from 'vitest';
import { simulate } from '../../src/rehearsal/simulated-run.ts';
import { SECRET } from './shape.ts';
import { LAWS } from './all-laws.ts';
import * as bill from '../../src/rehearsal/laws/bill.ts';
import * as attempts from '../../src/rehearsal/laws/bounded-attempts.ts';
import * as budgets from '../../src/rehearsal/laws/budgets.ts';
import * as classified from '../../src/rehearsal/laws/classified-once.ts';
import * as conversations from '../../src/rehearsal/laws/conversations.ts';
import * as drift from './drift-laws.ts';
import * as members from '../../src/rehearsal/laws/members.ts';
import * as secrets from '../../src/rehearsal/laws/no-secrets.ts';
import * as success from '../../src/rehearsal/laws/no-silent-success.ts';
import * as repeated from '../../src/rehearsal/laws/nothing-repeated.ts';
import * as ending from '../../src/rehearsal/laws/one-ending.ts';
import * as ownership from '../../src/rehearsal/laws/ownership.ts';
import * as replay from '../../src/rehearsal/laws/replay.ts';
import * as stops from '../../src/rehearsal/laws/stopped.ts';
import * as damage from '../../src/rehearsal/laws/store-damage.ts';
import * as toolLaws from '../../src/rehearsal/laws/tools.ts';
import type { Execution } from '../../src/rehearsal/world/execution-record.ts';
import { planOfFiles } from './plans.ts';
import { MAIN, PEOPLE, STOPPING, twoNodes } from './sample-plans.ts';
import { DOCTORS_OF_PEOPLE } from './doctors-of-people.ts';
import {
  at,
  doctored,
  errorOf,
  lastEvent,
  withCharges,
  withError,
  withExecutions,
  withIncident,
  withLeg,
  withLimits,
  withNode,
  withOutput,
} from './doctored.ts';
import type { Law, Subject } from '../../src/rehearsal/laws/subject.ts';

/** In the middle of its first leg. */
function robbery({ legs: [leg] }: Subject): Subject['rivalries'][number] {
  const atMs = leg?.startedAtMs ?? 0;
  const rival = { atMs, endedAtMs: atMs, aheadMs: 60_000, refusedAs: undefined };
  return { ...rival, process: leg?.process ?? 0 };
}

let good: Subject;
let drifted: Subject;
let people: Subject;
let stopped: Subject;
let finished: Subject;

beforeAll(async () => {
  const { plan, worstCase } = planOfFiles({ 'main.yaml': MAIN });
  const failure = { kind: 'order.missing', message: 'No such order' };
  const simulation = await simulate(plan, { fails: { a: [failure, null] } });
  good = { ...simulation, plan, worstCase };
  const first = planOfFiles({ 'main.yaml': twoNodes('revision-0') });
  const second = planOfFiles({ 'main.yaml': twoNodes('revision-1') });
  const resumed = await simulate(first.plan, {
    fails: { b: [failure, null] },
    resumes: 1,
    revise: () => ({ plan: second.plan, acceptDrift: true }),
  });
  drifted = { ...resumed, ...first };
  const asked = planOfFiles({ 'main.yaml': PEOPLE });
  const met = await simulate(asked.plan, {
    answers: { 'm/charge#1.1': { approve: { for: 'run' } }, h: 'yes', t: 'abort' },
    fails: { t: [{ kind: 'mcp.unreachable', message: 'It was killed', outcome: 'unknown' }] },
    faults: { partial: 1 },
  });
  people = { ...met, ...asked, judge: () => 'allow' };
  const stopping = planOfFiles({ 'main.yaml': STOPPING });
  const fails = { bad: [failure] };
  stopped = { ...(await paymentThat('effect:failed', stopping.plan, fails)), ...stopping };
  finished = { ...(await paymentThat('effect:succeeded', stopping.plan, fails)), ...stopping };
});

/** The payment may be killed, or end by itself, before or after it is stopped. */
async function paymentThat(
  end: 'effect:failed' | 'effect:succeeded',
  plan: Subject['plan'],
  fails: NonNullable<Parameters<typeof simulate>[1]>['fails'],
): Promise<Awaited<ReturnType<typeof simulate>>> {
  for (let seed = 0; seed < 100; seed++) {
    const run = await simulate(plan, { seed, ...(fails === undefined ? {} : { fails }) });
    const isCompleted = run.events.some(at('node:completed', 'g[pay]/pay'));
    if (!isCompleted && run.events.some(at(end, 'g[pay]/pay'))) return run;
  }
  throw new Error(`No seed has the payment end with ${end}`);
}

const DOCTORS: readonly (readonly [Law, (subject: Subject) => Subject])[] = [
  [
    classified.oneClassification,
    (run) => withError(run, at('node:retrying', 'a'), { category: 'transient', retryable: true }),
  ],
  [
    classified.theSameKind,
    (run) =>
      withExecutions(run, (each) => [
        each.ending?.type === 'failed'
          ? { ...each, ending: { type: 'failed', kind: 'order.late' } }
          : each,
      ]),
  ],
  [classified.surfacesAsItself, (run) => withError(run, at('node:failed', 'a'), { id: 'other' })],
  [
    classified.theEndIsKnown,
    (run) =>
      doctored(run, (event) =>
        event.type === 'run:completed'
          ? {
              type: 'run:failed',
              seq: event.seq,
              run: event.run,
              at: event.at,
              error: { ...errorOf(run), id: 'from nowhere' },
            }
          : event,
      ),
  ],
  [
    classified.failsAsSaid,
    (run) => withError(run, at('node:failed', 'a'), { kind: 'gate.expired' }),
  ],
  [attempts.withinWorstCase, (run) => ({ ...run, worstCase: { ...run.worstCase, effects: 3 } })],
  [
    attempts.withinModelRequests,
    (run) => ({ ...run, worstCase: { ...run.worstCase, modelRequests: 2 } }),
  ],
  [
    conversations.hintsAreKept,
    (run) => withError(run, at('effect:failed', 'm'), { provider: { retryAfterMs: 1e9 } }),
  ],
  [
    conversations.chainsAreFollowed,
    (run) =>
      withError(run, at('effect:failed', 'm'), {
        kind: 'provider.auth',
        category: 'configuration',
        retryable: false,
      }),
  ],
  [conversations.answersFit, (run) => withOutput(run, at('node:completed', 'm'), { n: 'one' })],
  [
    members.membersAreApart,
    (run) => doctored(run, (event) => (at('node:started', 'g[y]/y')(event) ? undefined : event)),
  ],
  [toolLaws.toolsAreAllowed, (run) => withNode(run, 'm', { tools: [] })],
  ...DOCTORS_OF_PEOPLE.map(([law, doctor]) => [law, () => doctor(people)] as const),
  [conversations.turnsAreCounted, (run) => withNode(run, 'm', { maxTurns: 1 })],
  [bill.chargesAreBilled, withCharges],
  [bill.sumsAreRight, withCharges],
  [bill.budgetsKnowTheBill, withCharges],
  [budgets.withinBudgets, (run) => withLimits(run, { budgetTokens: 1 })],
  [budgets.zeroMeansZero, (run) => withLimits(run, { budgetUsdMicros: 0 })],
  [
    drift.driftIsSaid,
    () => withLeg(drifted, { change: { ...drifted.legs[1]?.change, acceptDrift: false } }),
  ],
  [
    drift.newTextIsTaken,
    () =>
      withExecutions(drifted, (each) => [
        { ...each, work: { type: 'script', command: 'x', args: [], env: {} } },
      ]),
  ],
  [
    attempts.withinMaxRetries,
    (run) => ({ ...run, plan: { ...run.plan, limits: { ...run.plan.limits, maxRetries: 0 } } }),
  ],
  [attempts.onePerRequest, (run) => withExecutions(run, (each) => [each, each])],
  [
    repeated.nothingRepeated,
    (run) => withExecutions(run, (each) => [{ ...each, afterSeq: lastEvent(run).seq }]),
  ],
  [
    repeated.resultsAreKept,
    (run) => withExecutions(run, (each) => [each, { ...each, afterSeq: lastEvent(run).seq }]),
  ],
  [
    repeated.refusedIsChecked,
    () =>
      doctored(
        withExecutions(drifted, (each) => [each, { ...each, afterSeq: lastEvent(drifted).seq }]),
        (event) =>
          event.type === 'effect:failed' && event.path === 'b'
            ? { ...event, unusable: true }
            : event,
      ),
  ],
  [
    repeated.nothingBlindly,
    (run) => withError(run, at('effect:failed', 'a'), { outcome: 'unknown' }),
  ],
  [stops.askedBeforeTwice, () => withExecutions(stopped, (each) => [each, each])],
  [
    stops.doubtsAreNamed,
    () => withError(stopped, at('node:failed', 'g'), { details: { members: {} } }),
  ],
  [
    stops.placesAreAsked,
    () =>
      withExecutions(stopped, (each) => [
        each,
        { ...each, afterSeq: Infinity, effect: { ...each.effect, key: 'another' } },
      ]),
  ],
  [
    stops.actionsAreAsked,
    () =>
      withExecutions(stopped, (each) => [
        each,
        {
          ...each,
          path: 'elsewhere',
          afterSeq: Infinity,
          effect: { ...each.effect, key: 'another' },
        },
      ]),
  ],
  [
    stops.stoppedIsDone,
    () =>
      withExecutions(finished, (each) => [
        each,
        ...(each.path === 'g[pay]/pay' ? [{ ...each, afterSeq: each.afterSeq + 20 }] : []),
      ]),
  ],
  [
    stops.endsComeLast,
    () =>
      doctored(stopped, (event) => (at('effect:failed', 'g[pay]/pay')(event) ? undefined : event)),
  ],
  [
    repeated.keysAreKept,
    (run) => {
      const [lost] = run.executions.filter(({ path }) => path === 'g[x]/x');
      const again = (key: string, afterSeq: number): Execution[] =>
        lost === undefined ? [] : [{ ...lost, afterSeq, effect: { ...lost.effect, key } }];
      const rewound = doctored(run, (event) =>
        at('node:started', 'g[x]/x')(event)
          ? { ...event, type: 'run:resumed', by: 'doctor', from: 'g' }
          : event,
      );
      return { ...rewound, executions: [...again('lost', 0), ...again('another', Infinity)] };
    },
  ],
  [
    repeated.oneKeyOneAction,
    (run) =>
      doctored(run, (event) =>
        event.type === 'effect:requested'
          ? { ...event, effect: { ...event.effect, key: 'always the same' } }
          : event,
      ),
  ],
  [
    success.reallySucceeded,
    (run) => withOutput(run, at('effect:succeeded', 'g[x]/x'), { n: 'invented' }),
  ],
  [
    success.handledFailures,
    (run) => {
      const { seq } = run.events.find(at('node:failed', 'a')) ?? { seq: 0 };
      return doctored(run, (event) =>
        event.seq > seq && 'path' in event && event.path === 'a' ? undefined : event,
      );
    },
  ],
  [
    success.groupsSayTheTruth,
    (run) =>
      withOutput(run, at('node:completed', 'g'), {
        outputs: { x: 1 },
        errors: { y: { kind: 'order.late' } },
      }),
  ],
  [ending.gapFree, (run) => doctored(run, (event) => (event.seq === 3 ? undefined : event))],
  [
    ending.restsAreFinal,
    (run) => {
      const last = lastEvent(run);
      return { ...run, events: [...run.events, { ...last, seq: last.seq + 1 }] };
    },
  ],
  [ending.oneRestPerLeg, (run) => withLeg(run, { result: { status: 'cancelled' } })],
  [ending.cancelledWins, (run) => withLeg(run, { cancelledAtMs: 1 })],
  [ending.cancelsAreMeant, (run) => withLeg(run, { result: { status: 'cancelled' } })],
  [
    ending.signalsAreObeyed,
    (run) => ({ ...run, legs: [...withLeg(run, { messagedAtMs: 1 }).legs, ...run.legs] }),
  ],
  [ending.nothingLeftRunning, (run) => withLeg(run, { leftRunning: [1] })],
  [ending.comesToAnEnd, (run) => withIncident(run, 'stuck')],
  [
    ending.typedEndings,
    (run) =>
      withLeg(run, {
        result: { status: 'refused', error: { ...errorOf(run), kind: 'internal.invariant' } },
      }),
  ],
  [
    bill.everyAttemptIsBilled,
    (run) =>
      doctored(run, (event) =>
        event.type.startsWith('effect:') && 'path' in event && event.path === 'g[y]/y'
          ? undefined
          : event,
      ),
  ],
  [damage.damageIsSaid, (run) => withIncident(run, 'log damaged')],
  [ownership.lostEndsAreNoticed, (run) => withIncident(run, 'log lost its end')],
  [ownership.nobodyIsRobbed, (run) => ({ ...run, rivalries: [robbery(run)] })],
  [
    secrets.noSecrets,
    (run) => withError(run, at('node:failed', 'a'), { message: `The key is ${SECRET}` }),
  ],
  [replay.replaysTheSame, (run) => withOutput(run, at('node:completed', 'a'), { n: 'other' })],
  [
    replay.resumesTheSame,
    () => doctored(drifted, (event) => (event.type === 'effect:requested' ? undefined : event)),
  ],
];

const PROMISES = ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9'];

describe('a law', () => {
  it('finds nothing in a good run', () => {
    expect(LAWS.flatMap((law) => law.breaches(good))).toEqual([]);
    expect(LAWS.flatMap((law) => law.breaches(drifted))).toEqual([]);
    expect(LAWS.flatMap((law) => law.breaches(people))).toEqual([]);
    expect(LAWS.flatMap((law) => law.breaches(stopped))).toEqual([]);
  });

  for (const [law, doctor] of DOCTORS) {
    it(`notices when it is broken: ${law.name}`, () => {
      expect(law.breaches(doctor(good))).not.toEqual([]);
    });
  }

  it('there is for each of the nine promises', () => {
    const kept = LAWS.flatMap(({ promise }) => promise.match(/P\d/g) ?? []);
    expect([...new Set(kept)].sort()).toEqual(PROMISES);
  });

  it('is always put to this test', () => {
    expect(DOCTORS.map(([law]) => law.name).sort()).toEqual(LAWS.map(({ name }) => name).sort());
  });
});
