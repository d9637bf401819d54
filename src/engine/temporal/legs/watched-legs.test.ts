/** Which spans a worker opens for legs that come to it, leave it and come back. */
import { expect, it } from 'vitest';
import type { OpenNode } from '../../../history/trace-facts.ts';
import type { RunEvent } from '../../../machine/state/events.ts';
import type { TelemetryPort } from '../../run/telemetry-port.ts';
import { WatchedLegs } from './watched-legs.ts';

const LEG = { run: 'r1', workflow: 'flow', number: 1, startMs: 0 };

/** Records every call, with the number of the leg's spans: 1 for those that were opened first. */
function watch(): { readonly legs: WatchedLegs; readonly calls: string[] } {
  const calls: string[] = [];
  let opened = 0;
  const telemetry: TelemetryPort = {
    isTracing: () => true,
    callerOf: () => undefined,
    openLeg: ({ mayMove }) => {
      const id = ++opened;
      calls.push(`${id} opened${mayMove === true ? ', may move' : ''}`);
      return {
        traceparent: undefined,
        reopen: (open) => calls.push(`${id} reopened ${open.map(({ path }) => path).join(' ')}`),
        note: ({ seq }) => calls.push(`${id} noted ${seq}`),
        around: (_request, _redactor, make) => make({}),
        committed: () => undefined,
        end: () => calls.push(`${id} ended`),
        abandon: () => calls.push(`${id} abandoned`),
      };
    },
    around: (_call, _request, _redactor, make) => make({}),
  };
  return { legs: new WatchedLegs(telemetry, ({ seq }) => calls.push(`listener ${seq}`)), calls };
}

function noted(...seqs: readonly number[]): readonly { readonly event: RunEvent }[] {
  return seqs.map((seq) => ({
    // events of a test have the fields that are read here
    event: { seq, run: 'r1', type: seq === 9 ? 'run:completed' : 'node:started' } as RunEvent,
  }));
}

function open(...paths: readonly string[]): readonly OpenNode[] {
  return paths.map((path) => ({
    node: path,
    path,
    attempt: 0,
    sinceMs: 0,
    seq: 1,
    type: 'set',
    workflow: 'flow',
  }));
}

it('opens nothing twice where the workflow is evicted and replayed at the same worker', () => {
  const { legs, calls } = watch();
  legs.begin(LEG);
  legs.note('r1', noted(1, 2));
  legs.begin(LEG);
  legs.reopen('r1', open('a'));
  // the task is repeated, too
  legs.note('r1', noted(2, 3, 9));
  expect(calls).toEqual([
    '1 opened, may move',
    '1 noted 1',
    'listener 1',
    '1 noted 2',
    'listener 2',
    '1 noted 3',
    'listener 3',
    '1 noted 9',
    'listener 9',
    '1 ended',
  ]);
});

it('takes over what another worker has left open', () => {
  const { legs, calls } = watch();
  legs.begin(LEG);
  legs.reopen('r1', open('a', 'b'));
  legs.note('r1', noted(5));
  expect(calls).toEqual(['1 opened, may move', '1 reopened a b', '1 noted 5', 'listener 5']);
});

it('forgets its own spans where another worker had the leg meanwhile and ended some of them', () => {
  const { legs, calls } = watch();
  legs.begin(LEG);
  legs.note('r1', noted(1, 2));
  calls.length = 0;
  legs.begin(LEG);
  legs.reopen('r1', open('c'));
  legs.note('r1', noted(7));
  expect(calls).toEqual([
    '1 abandoned',
    '2 opened, may move',
    '2 reopened c',
    '2 noted 7',
    'listener 7',
  ]);
});
