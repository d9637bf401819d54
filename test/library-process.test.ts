/** The process belongs to the application: the library sets no handler for it, and a run needs none. */
import { expect, it } from 'vitest';
import { openErrand, raise, workflow } from '../src/index.ts';

const EVENTS = [
  'uncaughtException',
  'uncaughtExceptionMonitor',
  'unhandledRejection',
  'rejectionHandled',
  'warning',
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
] as const;

it('opening, running and closing leaves the handlers and streams of the process as they are', async () => {
  const present = (): unknown => [
    EVENTS.map((event) => process.listenerCount(event)),
    Reflect.get(process.stdout, 'write'),
    Reflect.get(process.stderr, 'write'),
    process.exitCode,
  ];
  const before = present();
  const errand = await openErrand({
    store: 'memory',
    functions: { find: () => raise('order.missing', 'No order') },
  });
  const during = present();
  const flow = workflow({
    name: 't',
    entryPoint: 'a',
    onUnhandled: 'fail',
    nodes: [{ name: 'a', type: 'call', function: 'find' }],
  });
  const run = await errand.start(flow);
  expect(await run.result()).toMatchObject({ status: 'failed', error: { kind: 'order.missing' } });
  await errand.close();
  expect([during, present()]).toEqual([before, before]);
});
