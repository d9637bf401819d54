/**
 * The effect of calling what a module or a host has under a name: its arguments are checked, it runs
 * within its own time and the node's, and its output is checked. What it declares holds whoever
 * calls it, a `call` node too; the rest is in the table of `function.ts`.
 *
 * | what happened                  | kind                                 | outcome     |
 * |--------------------------------|--------------------------------------|-------------|
 * | arguments off its schema       | `tool.input_invalid`                 | not_started |
 * | output off its schema          | `tool.output_malformed`              | failed      |
 * | its own time is over           | `tool.timeout`                       | as in `function.ts` |
 * | the node's time is over        | `limit.node_timeout`                 | as in `function.ts` |
 *
 * It is called once: `retry` is a matter of the machine.
 */
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { isPartial, partial } from '../workflow/partial.ts';
import { cancelledBefore, type Effect } from './effect.ts';
import { callFunction, RefusedOutput, type FunctionContext } from './function.ts';
import type { Callable, Run } from './module/callable.ts';
import { describeFindings } from './schema-violation.ts';

export interface CallableRequest {
  /** Of the node. */
  readonly type: 'call' | 'tool';
  readonly callable: Callable;
  readonly input: JsonValue;
  /** Of the node; the shorter of both times counts. */
  readonly timeoutMs?: number | undefined;
  /** Of the node; either may say so. */
  readonly isIdempotent: boolean;
  /** Of the node, beside the tool's own. */
  readonly outputSchema?: JsonObject | undefined;
  /** Of the node: the beginning of a result that is too long will do. */
  readonly keepsTruncated?: boolean | undefined;
}

export const callCallable: Effect<CallableRequest> = (request, context) => {
  const { type, callable, input, outputSchema, timeoutMs: ofNodeMs } = request;
  const ofToolMs = callable.describes.timeoutMs;
  const isOfTool = ofToolMs !== undefined && ofToolMs < (ofNodeMs ?? Infinity);
  return callFunction(
    {
      type,
      name: callable.name,
      run: checked(callable),
      input,
      isIdempotent: request.isIdempotent || callable.describes.isIdempotent,
      timeoutMs: isOfTool ? ofToolMs : ofNodeMs,
      timeoutKind: isOfTool ? 'tool.timeout' : 'limit.node_timeout',
      outputSchema,
      keepsTruncated: request.keepsTruncated,
    },
    context,
  );
};

/** The checks are inside of the call, because a schema may run code that takes its time. */
function checked(callable: Callable): Run {
  if (callable.input === undefined && callable.output === undefined) return callable.run;
  return async (input: JsonValue, context: FunctionContext) => {
    const argument = await checkedInput(callable, input);
    if (context.signal.aborted) throw new ErrandError(cancelledBefore('cancelled.tool').failure);
    // its schema has just said that it is what the tool takes
    const value: unknown = await callable.run(argument as JsonValue, context);
    if (!isPartial(value)) return checkedOutput(callable, value);
    return partial(await checkedOutput(callable, value.value), value.errors);
  };
}

async function checkedInput({ name, input }: Callable, value: JsonValue): Promise<unknown> {
  const result = input === undefined ? { ok: true as const, value } : await input.check(value);
  if (result.ok) return result.value;
  throw new ErrandError({
    kind: 'tool.input_invalid',
    outcome: 'not_started',
    ...describeFindings(`What the tool ${name} was called with`, result.findings),
  });
}

async function checkedOutput({ name, output }: Callable, value: unknown): Promise<unknown> {
  const result = output === undefined ? { ok: true as const, value } : await output.check(value);
  if (result.ok) return result.value;
  const said = describeFindings(`The output of the tool ${name}`, result.findings);
  throw new RefusedOutput({ kind: 'tool.output_malformed', ...said }, value);
}
