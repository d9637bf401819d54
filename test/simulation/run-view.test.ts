/** The view of a run, folded from the logs of runs in which everything goes wrong. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openQuestions } from '../../src/history/open-questions.ts';
import { beginView, foldView, reduceView } from '../../src/history/run-view.ts';
import { eventForPerson } from '../../src/history/run-view/event-for-person.ts';
import { elapsedMs, isUnhandled } from '../../src/history/run-view/read-view.ts';
import { isOpen, stepAt } from '../../src/history/run-view/steps.ts';
import type { RunView } from '../../src/history/run-view/view.ts';
import { viewFromJson, viewToJson } from '../../src/history/run-view/sent-view.ts';
import { foldRun } from '../../src/engine/run/recover.ts';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { tryOut } from './trial.ts';

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);

function begin(events: readonly RunEvent[]): RunView {
  return beginView({ run: 'r', workflow: 'w', startedAt: events[0]?.at ?? '' });
}

function asJson(view: RunView): unknown {
  return JSON.parse(JSON.stringify(viewToJson(view)));
}

const LOGS: { readonly events: readonly RunEvent[]; readonly plan: string }[] = [];

beforeAll(async () => {
  for (const seed of SEEDS) {
    const { subject } = await tryOut(seed);
    const { events, plan } = subject;
    LOGS.push({ events: events.map(eventForPerson), plan: JSON.stringify(plan) });
  }
});

function logs(check: (events: readonly RunEvent[], plan: string, seed: number) => void): void {
  for (const [at, { events, plan }] of LOGS.entries()) check(events, plan, SEEDS[at] ?? 0);
}

describe('the view of a run', () => {
  it('continues from what was sent of it, wherever that was cut, and knows what it has', () => {
    logs((events, _plan, seed) => {
      const whole = foldView(begin(events), events);
      const at = (seed * 7919) % (events.length + 1);
      const half = foldView(begin(events), events.slice(0, at));
      const before = asJson(half);
      // the other side has some of the rest twice
      const again = events.slice(Math.max(0, at - 5));
      expect(asJson(foldView(viewFromJson(asJson(half)), again))).toEqual(asJson(whole));
      expect(asJson(foldView(half, again))).toEqual(asJson(whole));
      // a view never changes, and two may go on from the same one
      expect(asJson(half)).toEqual(before);
      expect(asJson(foldView(half, again))).toEqual(asJson(whole));
    });
  });

  it('asks what the machine asks whenever the run pauses', () => {
    let questions = 0;
    logs((events, plan, seed) => {
      let view = begin(events);
      for (const [at, event] of events.entries()) {
        view = reduceView(view, event);
        if (event.type !== 'run:paused') continue;
        const past = events.slice(0, at + 1);
        const open = openQuestions(foldRun({ run: 'r', plan }, past), past);
        questions += open.length;
        expect(
          view.gates.map(({ gate }) => gate).toSorted(),
          `seed ${seed}, event ${event.seq}`,
        ).toEqual(open.map(({ gate }) => gate).toSorted());
        expect(view.status).toBe('paused');
      }
    });
    expect(questions).toBeGreaterThan(0);
  });

  it('counts the members that the machine counts whenever the run pauses or resumes', () => {
    let counted = 0;
    logs((events, plan, seed) => {
      let view = begin(events);
      for (const [at, event] of events.entries()) {
        view = reduceView(view, event);
        if (event.type !== 'run:paused' && event.type !== 'run:resumed') continue;
        const { scopes } = foldRun({ run: 'r', plan }, events.slice(0, at + 1));
        for (const { visit } of scopes.values()) {
          const members = visit === undefined ? undefined : stepAt(view, visit.path)?.members;
          // a supervisor has rounds, and its page no members
          if (visit?.members === undefined || members === undefined) continue;
          const where = `seed ${seed}, event ${event.seq}, ${visit.path}`;
          expect(members.succeeded, where).toBe(visit.members.succeeded);
          expect(members.failed, where).toBe(visit.members.failed);
          counted += members.succeeded;
        }
      }
    });
    expect(counted).toBeGreaterThan(0);
  });

  it('closes everything with the run, and keeps count on the way', () => {
    logs((events, _plan, seed) => {
      let view = begin(events);
      for (const event of events) {
        view = reduceView(view, event);
        const where = `seed ${seed}, event ${event.seq}`;
        const open = view.steps.filter(isOpen);
        expect(view.open, where).toBe(open.length);
        const isOver = event.type === 'run:completed' || event.type === 'run:failed';
        if (isOver || event.type === 'run:cancelled') expect(open, where).toEqual([]);
        if (event.type === 'run:completed')
          expect(
            view.steps.filter((step) => isUnhandled(view, step)),
            where,
          ).toEqual([]);
      }
      for (const step of view.steps) {
        const { members = { all: 0, succeeded: 0, failed: 0 } } = step;
        expect(members.succeeded + members.failed).toBeLessThanOrEqual(members.all);
        expect(step.tries.length).toBe(step.attempts);
        let lastTo = step.startedAt;
        for (const bar of step.bars) {
          expect(bar.from >= lastTo, `seed ${seed}: bars of ${step.path} overlap`).toBe(true);
          lastTo = bar.to ?? bar.from;
        }
      }
      const rows = view.steps.map(({ costUsdMicros }) => costUsdMicros);
      const lost = view.costs.rows.filter(({ outcome }) => outcome === 'unknown');
      const reported = rows.reduce((sum, cost) => sum + cost, 0);
      const estimated = lost.reduce((sum, { costUsdMicros }) => sum + costUsdMicros, 0);
      expect(view.costs.total.usdMicros).toBeGreaterThanOrEqual(reported);
      expect(view.costs.total.usdMicros).toBeLessThanOrEqual(reported + estimated);
    });
  });

  it('lets time stand still while the run is paused', () => {
    logs((events) => {
      let view = begin(events);
      for (const event of events) {
        view = reduceView(view, event);
        const nowMs = Date.parse(event.at);
        const wholeMs = nowMs - Date.parse(view.startedAt);
        expect(elapsedMs(view, view.status, nowMs)).toBeLessThanOrEqual(wholeMs);
        if (event.type === 'run:paused')
          expect(elapsedMs(view, 'paused', nowMs + 3_600_000)).toBe(
            elapsedMs(view, 'paused', nowMs),
          );
      }
    });
  });
});
