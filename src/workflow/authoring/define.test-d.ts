/** Code that must or must not compile. Checked by `tsc`; nothing here runs. */
import { failure } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
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

// kinds that only other types of node can have
workflow({
  name: 'impossible',
  entryPoint: 'x',
  nodes: [
    {
      name: 'x',
      type: 'set',
      value: 1,
      routes: [
        { to: '$end' },
        { onError: 'validation.template', to: 'y' },
        // @ts-expect-error only a group has it
        { onError: 'group.quorum', to: 'y' },
        // @ts-expect-error only a gate has it
        { onError: ['validation.template', 'gate.expired'], to: 'y' },
        // @ts-expect-error it asks no model
        { onError: 'provider.*', to: 'y' },
        // @ts-expect-error it raises nothing
        { onError: 'order.missing', to: 'y' },
      ],
    },
    {
      name: 'y',
      type: 'human_gate',
      prompt: 'Go?',
      options: [{ value: 'yes', promptFor: 'text' }],
      timeout: '1h',
      assert: [{ that: 'output.selected', raise: 'gates.odd' }],
      routes: [
        { to: '$end' },
        { onError: 'gate.expired', to: 'z' },
        { onError: 'gates.odd', to: 'z' },
        // @ts-expect-error it runs no script
        { onError: 'internal.script_error', to: 'z' },
      ],
    },
    {
      name: 'z',
      type: 'call',
      // what an SDK or another run throws keeps its kind
      function: () => 1,
      routes: [{ to: '$end' }, { onError: ['provider.rate_limited', 'order.missing'], to: 'x' }],
    },
    {
      name: 'agent',
      prompt: 'p',
      routes: [
        { to: '$end' },
        { onError: ['provider.exhausted', 'tool.denied', 'limit.turns'], to: 'x' },
        // @ts-expect-error it evaluates nothing
        { onError: 'sandbox.timeout', to: 'x' },
      ],
    },
  ],
  parallel: [
    {
      name: 'all',
      agents: ['x', 'z'],
      routes: [
        { to: '$end' },
        { onError: 'group.failed', to: 'x' },
        // @ts-expect-error what its members have is inside of what the group fails with
        { onError: 'provider.auth', to: 'x' },
      ],
    },
  ],
});

// routes and keys
workflow({
  name: 'forms',
  entryPoint: 'x',
  nodes: [
    {
      name: 'x',
      type: 'call',
      function: () => 1,
      routes: [
        // @ts-expect-error two moves
        { onError: true, to: 'x', retry: { max: 1 } },
        // @ts-expect-error no move
        { onError: true },
        // @ts-expect-error no such key
        { onErorr: true, to: 'x' },
      ],
    },
    {
      name: 'y',
      type: 'call',
      function: () => 1,
      // @ts-expect-error no such key
      idempotnt: true,
    },
    {
      name: 'z',
      prompt: 'p',
      // @ts-expect-error a key of other nodes
      command: 'true',
    },
  ],
  forEach: [
    {
      name: 'each',
      source: 'x.output',
      as: 'item',
      agent: {
        name: 'one',
        type: 'set',
        value: 1,
        // @ts-expect-error no such key
        vlaue: 2,
      },
    },
  ],
});

// arguments are those of the function
const pay = ({ order, amount }: { order: string; amount?: number }): string =>
  `${order} ${amount ?? 0}`;
workflow({
  name: 'arguments',
  entryPoint: 'a',
  nodes: [
    { name: 'a', type: 'call', function: pay, arguments: { order: '{{ workflow.input.o }}' } },
    { name: 'b', type: 'call', function: pay, arguments: { order: 'A', amount: '{{ 1 + 1 }}' } },
    { name: 'c', type: 'call', function: pay, arguments: { order: 'A', amount: 7 } },
    {
      name: 'd',
      type: 'call',
      function: pay,
      // @ts-expect-error the function takes `order`
      arguments: { odrer: 'A' },
    },
    {
      name: 'e',
      type: 'call',
      function: pay,
      // @ts-expect-error `order` is missing
      arguments: { amount: 1 },
    },
    {
      name: 'f',
      // @ts-expect-error and here it has no arguments at all
      type: 'call',
      function: pay,
    },
    {
      name: 'g',
      type: 'call',
      function: pay,
      // @ts-expect-error a number, or a template
      arguments: { order: 'A', amount: 'seven' },
    },
    {
      name: 'h',
      type: 'call',
      function: pay,
      // @ts-expect-error a text
      arguments: { order: 7 },
    },
    { name: 'i', type: 'call', function: 'registered', arguments: { whatever: 1 } },
    { name: 'j', type: 'call', function: () => 1, arguments: { ignored: 1 } },
    {
      name: 'k',
      type: 'call',
      function: ({ list }: { list: string[] }) => list.length,
      arguments: { list: ['a', '{{ workflow.input.o }}'] },
    },
    { name: 'l', type: 'call', function: (input) => input, arguments: { anything: [1] } },
  ],
});

// @ts-expect-error the runtime owns the prefix
failure('provider.rate_limited', 'no');
// @ts-expect-error a kind is dotted lowercase
failure('Missing', 'no');
failure('order.missing', 'no');
declare const read: string;
failure(read, 'looked at when it runs');
