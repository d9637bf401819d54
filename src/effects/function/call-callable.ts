/**
 * The effect of calling a function or tool of a module or a host: its arguments are checked, it runs within
 * its own time limit and the node's, and its output is checked. Its declaration applies to a `call` node
 * too. All other failures are in the table of `call-function.ts`.
 *
 * | event                          | kind                                 | outcome     |
 * |--------------------------------|--------------------------------------|-------------|
 * | arguments violate its schema   | `tool.input_invalid`                 | not_started |
 * | output violates its schema     | `tool.output_malformed`              | failed      |
 * | its own time is over           | `tool.timeout`                       | as in `call-function.ts` |
 * | the node's time is over        | `limit.node_timeout`                 | as in `call-function.ts` |
 *
 * It is called once: the machine applies `retry`.
 */
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { isPartial, partial } from '../../workflow/authoring/partial.ts';
import {
  cancelledBefore,
  type Effect,
  type EffectContext,
  type EffectResult,
} from '../effect-port.ts';
import { FETCH_TOOL } from '../../workflow/plan/plan.ts';
import { OwnFailure } from '../thrown-failure.ts';
import { callFunction, RefusedOutput, type FunctionContext } from './call-function.ts';
import type { Callable, Run } from '../module/callable.ts';
import { describeFindings } from '../schema-violation.ts';

export interface CallableRequest {
  /** Type of the node. */
  readonly type: 'call' | 'tool';
  readonly callable: Callable;
  readonly input: JsonValue;
  /** Time left to the node; the shorter of both limits counts. */
  readonly timeoutMs?: number | undefined;
  /** The whole limit of the node. */
  readonly limitMs?: number | undefined;
  /** Set on the node; the tool may declare it too. */
  readonly isIdempotent: boolean;
  /** Set on the node; wins over the declaration of the tool. */
  readonly isNeverRepeated?: boolean | undefined;
  /** Schema of the node, checked after the tool's own. */
  readonly outputSchema?: JsonObject | undefined;
  /** Set on the node: a result that was cut is accepted. */
  readonly keepsTruncated?: boolean | undefined;
}

/** The recorded result of an earlier call, where it passes all checks as they are now. */
export async function recheckCallable(
  request: CallableRequest,
  recorded: JsonValue,
  context: EffectContext,
): Promise<EffectResult | undefined> {
  const callable = { ...request.callable, run: () => recorded };
  const result = await callCallable({ ...request, callable }, context);
  return result.ok ? { ...result, isReplayed: true } : undefined;
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
      isIdempotent:
        request.isIdempotent ||
        (request.isNeverRepeated !== true && callable.describes.isIdempotent),
      writesRemotely: callable.name === FETCH_TOOL ? !isReading(input) : undefined,
      timeoutMs: isOfTool ? ofToolMs : ofNodeMs,
      limitMs: isOfTool ? ofToolMs : request.limitMs,
      timeoutKind: isOfTool ? 'tool.timeout' : 'limit.node_timeout',
      outputSchema,
      keepsTruncated: request.keepsTruncated,
    },
    context,
  );
};

/** Other methods of `http_fetch` ask a server to change something. */
function isReading(input: JsonValue): boolean {
  const method = isPlainObject(input) ? (input['method'] ?? 'GET') : 'GET';
  return method === 'GET' || method === 'HEAD';
}

/** The checks run inside the time limit, because a schema may run code. */
function checked(callable: Callable): Run {
  if (callable.input === undefined && callable.output === undefined) return callable.run;
  return async (input: JsonValue, context: FunctionContext) => {
    const argument = await checkedInput(callable, input);
    if (context.signal.aborted) throw new OwnFailure(cancelledBefore('cancelled.tool').failure);
    // true: the schema has just accepted it
    const value: unknown = await callable.run(argument as JsonValue, context);
    if (!isPartial(value)) return checkedOutput(callable, value);
    return partial(await checkedOutput(callable, value.value), value.errors);
  };
}

async function checkedInput({ name, input }: Callable, value: JsonValue): Promise<unknown> {
  const result = input === undefined ? { ok: true as const, value } : await input.check(value);
  if (result.ok) return result.value;
  throw new OwnFailure({
    kind: 'tool.input_invalid',
    outcome: 'not_started',
    ...describeFindings(`The input of the tool ${name}`, result.findings),
  });
}

async function checkedOutput({ name, output }: Callable, value: unknown): Promise<unknown> {
  const result = output === undefined ? { ok: true as const, value } : await output.check(value);
  if (result.ok) return result.value;
  const violation = describeFindings(`The output of the tool ${name}`, result.findings);
  throw new RefusedOutput({ kind: 'tool.output_malformed', ...violation }, value);
}
