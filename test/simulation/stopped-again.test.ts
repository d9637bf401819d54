/**
 * Groups, sub-workflows and supervisors that fail again and again, with payments beside that they stop:
 * every law holds at every try, not only at the first one after the stop.
 */
import { expect, it } from 'vitest';
import { seeds } from '../sampled.ts';
import { simulateLawfully } from './lawful.ts';
import { planOfFiles } from './plans.ts';
import { weatherOf } from './weather.ts';

const AGAIN = '{on_error: true, retry: {max: 4, backoff: none}}';
const PAIR = `
  - {name: pay, type: script, command: x}
  - {name: bad, type: script, command: x}
`;

const PLANS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a group': {
    'main.yaml': `
workflow: {name: main, entry_point: g}
parallel: [{name: g, agents: [pay, bad], routes: [{to: $end}, ${AGAIN}]}]
nodes:${PAIR}`,
  },
  'a sub-workflow with a group': {
    'main.yaml': `
workflow: {name: main, entry_point: w}
nodes:
  - {name: w, type: workflow, workflow: ./child.yaml, routes: [{to: $end}, ${AGAIN}]}
`,
    'child.yaml': `
workflow: {name: child, entry_point: g}
parallel: [{name: g, agents: [pay, bad], routes: [{to: $end}]}]
nodes:${PAIR}`,
  },
  'a group in a group': {
    'main.yaml': `
workflow: {name: main, entry_point: g}
parallel:
  - {name: g, agents: [inner, bad], routes: [{to: $end}, ${AGAIN}]}
  - {name: inner, agents: [pay, more], routes: [{to: $end}]}
nodes:${PAIR}
  - {name: more, type: script, command: x}
`,
  },
};

const FAILURE = { kind: 'order.missing', message: 'no' };

it.each(Object.entries(PLANS))(
  'what %s has stopped and what ended well is not executed again, however often it is retried',
  async (_, files) => {
    const planned = planOfFiles(files);
    let stoppedWell = 0;
    for (const seed of seeds(40, 'stopped again')) {
      const subject = await simulateLawfully(planned, {
        seed,
        fails: { bad: [FAILURE, FAILURE, FAILURE, FAILURE, null] },
        resumes: 1,
        // every second one in bad weather
        ...(seed % 2 === 0 ? {} : { faults: { ...weatherOf(seed), effectFails: 0 } }),
      });
      const replayed = subject.events.filter(
        (event) => event.type === 'effect:succeeded' && event.replayed === true,
      );
      if (replayed.length > 1) stoppedWell++;
    }
    expect(stoppedWell).toBeGreaterThan(0);
  },
);

const SAME = (again: string): string => `
workflow: {name: main, entry_point: g}
for_each:
  - {name: g, source: "{{ ['a', 'b', 'c'] }}", as: x, max_concurrent: 2, agent: {name: pay, type: script, command: x}, routes: [{to: $end}, {on_error: group.failed, ${again}}]}
`;

it.each(['park: true', 'retry: {max: 2, backoff: none}'])(
  'members that have the same to do are decided about one by one, also after %s',
  async (again) => {
    const planned = planOfFiles({ 'main.yaml': SAME(again) });
    let begunLater = 0;
    for (const seed of seeds(40, 'the same to do')) {
      const subject = await simulateLawfully(planned, {
        seed,
        fails: { pay: [FAILURE, null] },
        resumes: 2,
      });
      const failed = subject.events.findIndex(({ type }) => type === 'node:failed');
      const isLater = subject.executions.some(
        ({ path, afterSeq }) =>
          path === 'g[2]/pay' && afterSeq > (subject.events[failed]?.seq ?? Infinity),
      );
      if (isLater) begunLater++;
    }
    expect(begunLater).toBeGreaterThan(0);
  },
);
