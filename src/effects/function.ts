/**
 * The effect of a `call` or a `tool` node: a function of the host or of the workflow's module.
 *
 * | what happened                         | kind                                      | outcome |
 * |---------------------------------------|-------------------------------------------|---------|
 * | threw what a report is known for      | that                                      | that    |
 * | threw an unreserved `kind`            | that kind: a raise                        | failed  |
 * | threw anything else                   | `call.failed`, `tool.failed`, retryable null | failed |
 * | gave `partial(…)`                     | none: its output, and its errors beside it | — |
 * | a tool read only the beginning        | `internal.output_too_large`, unless the node keeps it | failed |
 * | a tool gave more than 1 MiB           | `tool.output_malformed`                   | failed  |
 * | gave what is not JSON                 | `call.failed`, `tool.output_malformed`    | failed  |
 * | gave what is off its schema           | `internal.schema_violation`, `tool.output_malformed` | failed |
 * | timeout, ended when told to           | `limit.node_timeout`, `tool.timeout`      | partial |
 * | timeout, does not listen              | the same                                  | unknown, or partial where it is idempotent |
 * | our signal, ended by itself within 2 s | what it gave, or the typed failure that it threw | as above |
 * | our signal, threw anything else       | `cancelled.*`                             | unknown, or partial where it is idempotent |
 * | our signal, does not listen           | `cancelled.*`                             | the same |
 *
 * A function that does not listen is abandoned: what it does later reaches nobody. Whether an
 * unknown outcome becomes `effect.outcome_unknown` is not decided here.
 */
import { carriedReport } from '../errors/carried.ts';
import type { RuntimeKind } from '../errors/catalog.ts';
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { isReservedKind, matchesKind } from '../errors/kinds.ts';
import type { ReportDraft } from '../errors/report.ts';
import { reportFrom } from '../providers/report-from.ts';
import { checkValue } from '../workflow/value-check.ts';
import { isPartial, type PartialResult } from '../workflow/partial.ts';
import { MACHINE_CLOCK } from './clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  toDraft,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
} from './effect.ts';
import { callWithin, type Ending } from './function-call.ts';
import { AS_IT_IS, isLongerThan, MAX_RESULT_CHARS, toOutput } from './output.ts';
import { describeFindings } from './schema-violation.ts';

/** What a function or a tool is given beside its input. */
export interface FunctionContext {
  /** Aborted at the timeout, and when the work is no longer wanted. */
  readonly signal: AbortSignal;
  /** 0 for the first. */
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** Tells those who watch; never fails. */
  readonly progress: (value: JsonValue) => void;
}

export interface FunctionRequest {
  readonly type: 'call' | 'tool';
  readonly name: string;
  readonly run: (input: JsonValue, context: FunctionContext) => unknown;
  readonly input: JsonValue;
  readonly timeoutMs?: number | undefined;
  /** Whose limit it is. Default: the node's for a call, the tool's own for a tool. */
  readonly timeoutKind?: 'limit.node_timeout' | 'tool.timeout' | undefined;
  /** Whether it may be repeated when nobody knows how it ended. */
  readonly isIdempotent: boolean;
  readonly outputSchema?: JsonObject | undefined;
  /** Whether the beginning of a result that was cut is a result. Default: it is a failure. */
  readonly keepsTruncated?: boolean | undefined;
}

/** Thrown around a function that declares its output: the failure, and what there was of an output. */
export class RefusedOutput extends ErrandError {
  readonly value: unknown;

  constructor(draft: ReportDraft, value: unknown) {
    super(draft);
    this.value = value;
  }
}

/** Thrown by a tool that has only the beginning of its result, for the node to say whether that will do. */
export class TruncatedOutput extends RefusedOutput {}

interface Names {
  readonly noun: string;
  readonly failed: RuntimeKind;
  readonly notJson: RuntimeKind;
  readonly offSchema: RuntimeKind;
  readonly timeout: RuntimeKind;
  readonly cancelled: NonNullable<EffectContext['cancelled']>;
}

const NAMES: Readonly<Record<FunctionRequest['type'], Names>> = {
  call: {
    noun: 'function',
    failed: 'call.failed',
    notJson: 'call.failed',
    offSchema: 'internal.schema_violation',
    timeout: 'limit.node_timeout',
    cancelled: 'cancelled.call',
  },
  tool: {
    noun: 'tool',
    failed: 'tool.failed',
    notJson: 'tool.output_malformed',
    offSchema: 'tool.output_malformed',
    timeout: 'tool.timeout',
    cancelled: 'cancelled.tool',
  },
};

export const callFunction: Effect<FunctionRequest> = neverRejecting(async (request, context) => {
  const names = NAMES[request.type];
  const timeout = request.timeoutKind ?? names.timeout;
  const cancelled = context.cancelled ?? names.cancelled;
  if (context.signal.aborted) return cancelledBefore(cancelled);
  const ending = await callWithin(request, context);
  switch (ending.type) {
    case 'gave':
      return isPartial(ending.value)
        ? gavePartly(ending.value, request, context)
        : gave(ending.value, request, context);
    case 'threw': {
      if (ending.thrown instanceof TruncatedOutput && request.keepsTruncated === true)
        return gave(ending.thrown.value, request, context);
      const result = threw(ending.thrown, request, context);
      const end = { type: 'stopped', by: 'abort', isRunning: false } as const;
      return gaveUp(result, context) ? stopped(end, cancelled, { request, context }) : result;
    }
    case 'stopped':
      return stopped(ending, ending.by === 'timeout' ? timeout : cancelled, {
        request,
        context,
      });
  }
});

function gave(value: unknown, request: FunctionRequest, context: EffectContext): EffectResult {
  const { noun, notJson, offSchema } = NAMES[request.type];
  const output = toOutput(value, context.redactor);
  if (output.ok && request.type === 'tool' && isLongerThan(output.value, MAX_RESULT_CHARS)) {
    return failed({
      kind: 'tool.output_malformed',
      message: `The result of the tool ${request.name} is longer than ${MAX_RESULT_CHARS} characters, which is the most`,
      action: { kind: 'change_input', detail: 'Ask the tool for less, or for a page at a time.' },
    });
  }
  if (!output.ok) {
    const where = output.pointer === '' ? 'it' : output.pointer;
    return failed({
      kind: notJson,
      message: `The ${noun} ${request.name} gave something that is not JSON: ${where} ${output.problem}`,
      details: { pointer: output.pointer },
    });
  }
  const findings =
    request.outputSchema === undefined ? [] : findingsIn(value, request.outputSchema);
  if (findings.length === 0) return { ok: true, output: output.value };
  const subject = `The output of the ${noun} ${request.name}`;
  return {
    ...failed({
      kind: offSchema,
      ...describeFindings(subject, findings),
      title: request.type === 'call' ? 'Function output malformed' : 'Tool output malformed',
    }),
    output: output.value,
  };
}

/** Before the secrets are taken out: what the function did is what is judged. */
function findingsIn(value: unknown, schema: JsonObject): ReturnType<typeof checkValue> {
  const raw = toOutput(value, AS_IT_IS);
  return raw.ok ? checkValue(schema, raw.value) : [];
}

/** Errors beside an output; the rest of a longer list is counted. */
const MAX_ERRORS = 100;

function gavePartly(
  { value, errors }: PartialResult,
  request: FunctionRequest,
  context: EffectContext,
): EffectResult {
  const result = gave(value, request, context);
  if (!result.ok || errors.length === 0) return result;
  const { noun, failed: fallback } = NAMES[request.type];
  const drafts = errors
    .slice(0, MAX_ERRORS)
    .map((error) => draftOf(error, request, context).failure);
  const left = errors.length - drafts.length;
  const message = `The ${noun} ${request.name} tells of ${left} more failures, which were left out`;
  return {
    ...result,
    errors: left === 0 ? drafts : [...drafts, { kind: fallback, message, retryable: null }],
  };
}

function threw(thrown: unknown, request: FunctionRequest, context: EffectContext): EffectFailure {
  const output =
    thrown instanceof RefusedOutput ? toOutput(thrown.value, context.redactor) : undefined;
  return {
    ...draftOf(thrown, request, context),
    ...(output?.ok === true ? { output: output.value } : {}),
    thrown,
  };
}

/** What a function threw, or tells of beside its result. */
function draftOf(
  thrown: unknown,
  request: FunctionRequest,
  context: EffectContext,
): { readonly ok: false; readonly failure: ReportDraft } {
  const nowMs = (context.clock ?? MACHINE_CLOCK).now();
  const { failed: fallback } = NAMES[request.type];
  const report = reportFrom(thrown, {
    fallback,
    redactor: context.redactor,
    // the same on a replay with the same clock
    stamp: {
      id: `${context.idempotencyKey}.${context.attempt}`,
      at: new Date(nowMs).toISOString(),
    },
  });
  const draft = toDraft(report);
  // of what nobody recognises, nobody knows whether another try helps; the tool's `retry` may say so
  const isUnrecognised = report.kind === fallback && carriedReport(thrown) === undefined;
  return { ok: false, failure: isUnrecognised ? { ...draft, retryable: null } : draft };
}

function stopped(
  ending: Extract<Ending, { type: 'stopped' }>,
  kind: RuntimeKind,
  { request, context }: { readonly request: FunctionRequest; readonly context: EffectContext },
): EffectFailure {
  const { noun } = NAMES[request.type];
  const why =
    ending.by === 'timeout'
      ? `did not finish within ${request.timeoutMs ?? 0} ms`
      : 'was cancelled while it ran';
  // what a signal ends may have done its work before
  const isInDoubt = (ending.isRunning || ending.by === 'abort') && !request.isIdempotent;
  const given = ending.late?.value;
  const late =
    ending.late === undefined
      ? undefined
      : toOutput(isPartial(given) ? given.value : given, context.redactor);
  return {
    ...failed({
      kind,
      message: `The ${noun} ${request.name} ${why}${ending.isRunning ? ' and does not listen to its signal' : ''}`,
      outcome: isInDoubt ? 'unknown' : 'partial',
      details: { abandoned: ending.isRunning },
    }),
    ...(late?.ok === true ? { output: late.value } : {}),
  };
}

/**
 * Whether it threw because it was told to stop. A socket that is hung up, an aborted request or any
 * other error may be of that signal, whatever it looks like; only a typed failure is its own.
 */
function gaveUp({ failure, thrown }: EffectFailure, { signal }: EffectContext): boolean {
  if (!signal.aborted || failure.outcome === 'not_started') return false;
  const isTyped = carriedReport(thrown) !== undefined || !isReservedKind(failure.kind);
  return !isTyped || matchesKind(failure.kind, 'cancelled.*');
}

function failed(failure: ReportDraft): EffectFailure {
  return { ok: false, failure };
}
