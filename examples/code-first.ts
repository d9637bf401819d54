/**
 * A workflow written in code. Kinds and node names are checked by the compiler: a route for a kind
 * that its node does not raise, or to a node that does not exist, is a type error.
 */
import { raise } from '../src/errors/thrown/errand-error.ts';
import { workflow } from '../src/workflow/authoring/define.ts';

const ORDERS: Readonly<Record<string, { readonly total: number }>> = { 'A-1001': { total: 42 } };

export const refund = workflow({
  name: 'refund',
  entryPoint: 'find',
  input: { order: { type: 'string' } },
  limits: { maxIterations: 20, budgetUsd: 0.1 },
  runtime: {
    defaultModel: 'sim/writer',
    simulate: {
      writer: [
        { fail: { kind: 'provider.overloaded' } },
        {
          answer: 'Your 42 dollars are on their way.',
          usage: { inputTokens: 30, outputTokens: 9 },
        },
      ],
    },
  },
  nodes: [
    {
      name: 'find',
      type: 'call',
      function: async ({ order }: { order: string }) => {
        const found = ORDERS[order];
        if (found === undefined) raise('order.missing', 'There is no such order', { order });
        return found;
      },
      arguments: { order: '{{ workflow.input.order }}' },
      idempotent: true,
      raises: ['order.missing'],
      routes: [
        { to: 'write' },
        { onError: 'order.missing', to: 'apologise' },
        { onError: true, halt: { message: 'The order could not be read' } },
      ],
    },
    {
      name: 'write',
      prompt: 'Tell the customer that {{ find.output.total }} dollars are refunded.',
      tools: [],
      maxTurns: 2,
    },
    { name: 'apologise', type: 'set', value: 'Sorry: {{ failing.error.message }}' },
  ],
  output: { text: "{{ write.output.result | default(apologise.output | default('')) }}" },
});
