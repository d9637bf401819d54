/** Effects that are stopped from outside: their work so far is known, or a person is asked. */
import type { WhenStopped } from '../../src/rehearsal/world/fate.ts';
import { MISSING } from './case-files.ts';
import type { DriverCase, EffectScript } from './case.ts';

const PAY = 'g[pay]/pay';
const BAD = 'g[bad]/bad';

/** A group of a payment and of a node that fails while the payment is open. */
function group(fields: string, routes = ''): Record<string, string> {
  return {
    'main.yaml': `workflow: {name: main, entry_point: g}
agents:
  - {name: pay, act(${PAY})}
  - {name: bad, act(${BAD})}
parallel:
  - {name: g, agents: [pay, bad], ${fields}, routes: [{to: $end}${routes}]}`,
  };
}

/** It fails once, when the payment hangs. */
const FAILS_ONCE: EffectScript = { waits: true, fails: [MISSING, null] };

function paid(whenStopped: WhenStopped): Record<string, EffectScript> {
  return { [PAY]: { whenStopped, output: { receipt: 'R-1' } }, [BAD]: FAILS_ONCE };
}

const AGAIN = ', {on_error: group.failed, retry: {max: 1, backoff: none}}';
const ONCE_MORE: NonNullable<DriverCase['goesOn']> = [{}];
const FAST = 'failure_mode: fail_fast';

export const STOPPED: readonly DriverCase[] = [
  {
    name: 'stops a member that ends by itself, and a resume uses what it gave',
    files: group(FAST),
    effects: paid('finishes'),
    goesOn: ONCE_MORE,
  },
  {
    name: 'stops a member that ends by itself, and a retry of the group uses what it gave',
    files: group(FAST, AGAIN),
    effects: paid('finishes'),
  },
  {
    name: 'stops a member that gives up, and a resume asks about it',
    files: group(FAST),
    effects: paid('gives up'),
    goesOn: ONCE_MORE,
    answers: ['repeat'],
  },
  {
    name: 'stops a member that gives up, and a retry of the group asks about it',
    files: group(FAST, AGAIN),
    effects: paid('gives up'),
    answers: [{ edit: { receipt: 'R-2' } }],
  },
  {
    name: 'stops a member that does not listen, and going back asks about it',
    files: group(FAST),
    effects: paid('ignores it'),
    goesOn: [{ from: 'g' }],
    answers: ['repeat'],
  },
  {
    name: 'has its quorum, and what it stops is in doubt',
    files: group('failure_mode: quorum, quorum: 1'),
    effects: {
      [PAY]: { whenStopped: 'gives up' },
      [BAD]: { waits: true, output: { n: 1 } },
    },
  },
  {
    name: 'halts a run while a payment is under way',
    files: {
      'main.yaml': group(FAST)['main.yaml']?.replace(
        `{name: bad, act(${BAD})}`,
        `{name: bad, act(${BAD}), routes: [{to: $end}, {on_error: true, halt: {message: Stop}}]}`,
      ) as string,
    },
    effects: paid('gives up'),
    goesOn: ONCE_MORE,
    answers: ['abort'],
  },
  {
    name: 'ends the time of a child while its payment is under way, and a retry asks',
    isLong: true,
    files: {
      'main.yaml': `workflow: {name: main, entry_point: a}
agents:
  - {name: a, type: workflow, workflow: ./child.yaml, timeout_seconds: 10, routes: [{to: $end}, {on_error: limit.node_timeout, retry: {max: 2, backoff: none}}]}`,
      'child.yaml':
        'workflow: {name: child, entry_point: pay}\nagents:\n  - {name: pay, act(a/pay)}',
    },
    effects: { 'a/pay': { whenStopped: 'gives up', output: { receipt: 'R-1' } } },
    answers: ['repeat'],
  },
  {
    name: 'is cancelled while a payment is under way that then ends by itself',
    isReal: true,
    files: {
      'main.yaml': 'workflow: {name: main, entry_point: a}\nagents:\n  - {name: a, act(a)}',
    },
    effects: { a: { whenStopped: 'finishes', output: { receipt: 'R-1' } } },
    cancelsAfter: 'hanging',
  },
];
