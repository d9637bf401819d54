/**
 * P7: every attempt is on the bill, with the models' charges to the micro-dollar, whether the reply
 * arrived or not.
 */
import { costsOf } from '../../history/cost-ledger.ts';
import { callsOf } from './calls.ts';
import { dueFor, modelRequests, NOTHING, plus, spentFor } from './model-requests.ts';
import type { Law, Subject } from './subject.ts';

export const everyAttemptIsBilled: Law = {
  name: 'the bill has a row for each execution in the world',
  promise: 'P7 every attempt is on the bill',
  breaches: ({ events, executions }) => {
    const owed = new Map<string, number>();
    for (const { path, effect } of executions) count(owed, `${path} ${effect.target}`, 1);
    for (const { path, target } of costsOf(events).attempts) count(owed, `${path} ${target}`, -1);
    return [...owed].flatMap(([what, missing]) =>
      missing > 0 ? [`${missing} executions of ${what} are not on the bill`] : [],
    );
  },
};

export const chargesAreBilled: Law = {
  name: 'an attempt with a reply is billed at what the model charged',
  promise: 'P7 every attempt is on the bill',
  breaches: (subject) =>
    modelRequests(subject).flatMap(({ asked, settled, execution }) => {
      const charged = execution?.charged;
      if (settled === undefined || charged === undefined) return [];
      const isStopped =
        settled.type === 'effect:failed' && settled.error.kind.startsWith('cancelled.');
      if (isStopped && settled.usage === undefined) return [];
      const due = spentFor(subject.plan, asked, charged);
      const { usage = {}, costUsdMicros = 0 } = settled;
      const billed = spentFor(subject.plan, asked, usage);
      return costUsdMicros === due.usdMicros && billed.tokens === due.tokens
        ? []
        : [
            `event ${settled.seq} at ${asked.path} bills ${costUsdMicros}, and ${due.usdMicros} was charged`,
          ];
    }),
};

export const sumsAreRight: Law = {
  name: 'the total is the sum of the charges, and of the reserves of calls without a reply',
  promise: 'P7 every attempt is on the bill',
  breaches: (subject) => {
    const { totalUsdMicros } = costsOf(subject.events);
    const { usdMicros } = dueInAll(subject);
    return totalUsdMicros === usdMicros
      ? []
      : [`the bill is ${totalUsdMicros}, and ${usdMicros} is due`];
  },
};

export const budgetsKnowTheBill: Law = {
  name: 'budgets count as spent exactly what the bill shows',
  promise: 'P7 every attempt is on the bill',
  breaches: (subject) => {
    // running calls are reserved, and not spent yet
    if (subject.result.status === 'interrupted' || modelRequests(subject).length === 0) return [];
    const { spent } = callsOf(subject);
    const due = dueInAll(subject);
    return spent.usdMicros === due.usdMicros && spent.tokens === due.tokens
      ? []
      : [`${JSON.stringify(spent)} counts as spent, and ${JSON.stringify(due)} is due`];
  },
};

function dueInAll(subject: Subject): typeof NOTHING {
  return modelRequests(subject).reduce(
    (sum, request) => plus(sum, dueFor(subject.plan, request)),
    NOTHING,
  );
}

function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
