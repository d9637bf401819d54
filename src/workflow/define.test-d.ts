/** What must and must not compile. Checked by `tsc`; nothing here runs. */
import type { ErrorReport } from '../errors/report.ts';
import { workflow, type Raised } from './define.ts';

const fetched = workflow({
  name: 'orders',
  entryPoint: 'fetch',
  input: { id: { type: 'string' } },
  nodes: [
    {
      name: 'fetch',
      type: 'call',
      function: async ({ id }: { id: string }, { signal, attempt }) => ({ id, attempt, signal }),
      arguments: { id: '{{ workflow.input.id }}' },
      raises: ['external.order.missing'],
      assert: [{ that: 'output.id', raise: 'orders.empty' }],
      timeoutSeconds: 5,
      routes: [
        { to: '$end' },
        { onError: 'external.order.missing', to: 'report' },
        { onError: 'orders.empty', to: 'report' },
        {
          onError: ['provider.rate_limited', 'external.order.missing'],
          retry: { max: 2, initialSeconds: 1 },
        },
        { onError: 'provider.*', park: { for: '15m' } },
        { onError: true, halt: { message: 'no' } },
      ],
    },
    { name: 'report', type: 'set', value: '{{ failing.error.message }}' },
    {
      name: 'ask',
      prompt: 'Hello',
      maxTurns: 3,
      routes: [{ onError: 'anything.of_mine', to: '$end' }, { to: '$end' }],
    },
  ],
});

/** The kinds of a node narrow what its handler sees. */
type FetchKinds = Raised<(typeof fetched.nodes)[0]>;
export const kind: FetchKinds = 'external.order.missing';
export function handle(report: ErrorReport<FetchKinds>): string {
  switch (report.kind) {
    case 'external.order.missing':
      return 'missing';
    case 'orders.empty':
      return 'empty';
  }
}
// @ts-expect-error a kind that the node does not raise
export const other: FetchKinds = 'external.order.lost';

workflow({
  name: 'a',
  entryPoint: 'x',
  nodes: [
    {
      name: 'x',
      prompt: 'p',
      raises: ['triage.unclear'],
      routes: [
        { to: '$end' },
        // @ts-expect-error the node does not declare it
        { onError: 'triage.uncler', to: 'x' },
        // @ts-expect-error the node does not declare one of them
        { onError: ['triage.unclear', 'triage.other'], to: 'x' },
        // @ts-expect-error the catalog does not have it
        { onError: 'provider.rate_limitd', to: 'x' },
        // @ts-expect-error no node has this name
        { onError: 'triage.unclear', to: 'nowhere' },
      ],
    },
  ],
});

workflow({
  name: 'b',
  entryPoint: 'x',
  nodes: [
    {
      name: 'x',
      prompt: 'p',
      // @ts-expect-error the runtime owns this prefix
      raises: ['provider.mine'],
    },
    {
      name: 'y',
      prompt: 'p',
      // @ts-expect-error a kind has a dot
      routes: [{ onError: 'oops', to: 'x' }],
    },
  ],
});

// @ts-expect-error no node has this name
workflow({ name: 'c', entryPoint: 'z', nodes: [{ name: 'x', prompt: 'p' }] });

workflow({
  name: 'd',
  entryPoint: 'all',
  nodes: [
    { name: 'w', type: 'workflow', workflow: fetched, inputMapping: { id: '1' } },
    { name: 's', type: 'script', command: 'true', routes: [{ to: 'all' }] },
  ],
  parallel: [
    { name: 'all', agents: ['w', 's'], failureMode: 'continue_on_error', routes: [{ to: 'each' }] },
  ],
  forEach: [
    {
      name: 'each',
      source: 'workflow.input.ids',
      as: 'id',
      agent: {
        name: 'one',
        prompt: '{{ id }}',
        raises: ['one.bad'],
        routes: [
          { to: '$end' },
          // @ts-expect-error the member does not declare it
          { onError: 'one.good', to: '$end' },
        ],
      },
    },
  ],
});

workflow({
  name: 'e',
  entryPoint: 'x',
  nodes: [
    // @ts-expect-error keys are camelCase, and a script has a command
    { name: 'x', type: 'script', working_dir: '.' },
  ],
});
