/**
 * The effect of a `call` or a `tool` node: a function of the host or of the workflow's module.
 *
 * | event                                 | kind                                      | outcome |
 * |---------------------------------------|-------------------------------------------|---------|
 * | threw an error that `reportFrom` recognises | its kind                            | its outcome, at least failed |
 * | the same, for a response that broke off or timed out (408, 504, 524), a gateway that lost its server (502), or a request that it aborted | its kind | unknown, or its own where it is idempotent |
 * | threw what a database client throws when its connection is lost | `call.failed`, `tool.failed` | unknown, or failed where it is idempotent |
 * | threw an unreserved `kind`            | that kind: a raise                        | failed  |
 * | threw anything else                   | `call.failed`, `tool.failed`, retryable null | failed |
 * | returned `partial(…)`                 | none: its output, and its errors beside it | — |
 * | a tool read only the beginning        | `internal.output_too_large`, unless the node keeps it | failed |
 * | a tool returned more than 1 MiB       | `tool.output_malformed`                   | failed  |
 * | returned something that is not JSON   | `call.failed`, `tool.output_malformed`    | failed  |
 * | returned a value that violates its schema | `internal.schema_violation`, `tool.output_malformed` | failed |
 * | timeout, ended on its signal          | `limit.node_timeout`; `tool.timeout`, which is ambiguous unless it is idempotent or only reads | partial |
 * | timeout, ignores its signal           | the same                                  | unknown, or partial where it is idempotent |
 * | our signal, ended by itself within 2 s | its result, or the typed failure that it threw | as above |
 * | our signal, threw anything else       | `cancelled.*`                             | unknown, or partial where it is idempotent |
 * | our signal, ignores it                | `cancelled.*`                             | the same |
 *
 * A function that ignores its signal is abandoned: its later result is dropped. The machine decides
 * whether an unknown outcome becomes `effect.outcome_unknown`.
 */
import { carriedReport } from '../../errors/thrown/cause-reports.ts';
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isInstance, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { isReservedKind, matchesKind } from '../../errors/catalog/kinds.ts';
import { outcomeOf } from '../../errors/report/build.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import { checkValue } from '../../workflow/json-schema/check-value.ts';
import { isPartial, type PartialResult } from '../../workflow/authoring/partial.ts';
import { MACHINE_CLOCK } from '../clock.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
} from '../effect-port.ts';
import { failureFrom, OwnFailure } from '../thrown-failure.ts';
import { callWithin, type CallEnd } from './call-with-timeout.ts';
import { isUnanswered } from './unanswered.ts';
import {
  AS_IT_IS,
  isLongerThan,
  MAX_RESULT_CHARS,
  toOutput,
} from '../../machine/state/stored-output.ts';
import { describeFindings } from '../schema-violation.ts';

/** Passed to a function or a tool besides its input. */
export interface FunctionContext {
  /** Aborted at the timeout, and when the work is no longer wanted. */
  readonly signal: AbortSignal;
  /** From 0. */
  readonly attempt: number;
  readonly idempotencyKey: string;
  /** Reports progress; never fails. */
  readonly progress: (value: JsonValue) => void;
}

export interface FunctionRequest {
  readonly type: 'call' | 'tool';
  readonly name: string;
  readonly run: (input: JsonValue, context: FunctionContext) => unknown;
  readonly input: JsonValue;
  readonly timeoutMs?: number | undefined;
  /** The whole limit, of which `timeoutMs` is left. */
  readonly limitMs?: number | undefined;
  /** The kind of a timeout. Default: the node's for a call, the tool's own for a tool. */
  readonly timeoutKind?: 'limit.node_timeout' | 'tool.timeout' | undefined;
  /** Whether it may be repeated when its outcome is unknown. */
  readonly isIdempotent: boolean;
  /**
   * It asks another system for a change, which may happen whatever becomes of the answer. False: it
   * only reads.
   */
  readonly writesRemotely?: boolean | undefined;
  readonly outputSchema?: JsonObject | undefined;
  /** Accepts a result that was cut. Default: that is a failure. */
  readonly keepsTruncated?: boolean | undefined;
}

/** Thrown for an output that violates the declared schema: the failure, and that output. */
export class RefusedOutput extends ErrandError {
  readonly value: unknown;

  constructor(draft: ReportDraft, value: unknown) {
    super(draft);
    this.value = value;
  }
}

/** Thrown by a tool that read only the beginning of its result; the node decides whether that is enough. */
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
  const called = callWithin(request, context);
  const end = called instanceof Promise ? await called : called;
  switch (end.type) {
    case 'returned':
      return isPartial(end.value)
        ? partialResult(end.value, request, context)
        : returnedResult(end.value, request, context);
    case 'threw': {
      if (isInstance(end.thrown, TruncatedOutput) && request.keepsTruncated === true)
        return returnedResult(end.thrown.value, request, context);
      const result = thrownResult(end.thrown, request, context);
      if (!endedBySignal(result, context)) return result;
      const aborted = { type: 'stopped', by: 'abort', isRunning: false } as const;
      return stopped(aborted, cancelled, { request, context });
    }
    case 'stopped':
      return stopped(end, end.by === 'timeout' ? timeout : cancelled, {
        request,
        context,
      });
  }
});

function returnedResult(
  value: unknown,
  request: FunctionRequest,
  context: EffectContext,
): EffectResult {
  const { noun, notJson, offSchema } = NAMES[request.type];
  const output = toOutput(value, context.redactor);
  if (output.ok && request.type === 'tool' && isLongerThan(output.value, MAX_RESULT_CHARS)) {
    return unusable(request, {
      kind: 'tool.output_malformed',
      message: `The result of the tool ${request.name} is longer than the limit of ${MAX_RESULT_CHARS} characters`,
      action: {
        kind: 'change_input',
        detail: 'Request less from the tool, or one page at a time.',
      },
    });
  }
  if (!output.ok) {
    const where = output.pointer === '' ? 'it' : output.pointer;
    return unusable(request, {
      kind: notJson,
      message: `The ${noun} ${request.name} returned something that is not JSON: ${where} ${output.problem}`,
      details: { pointer: output.pointer },
    });
  }
  const findings =
    request.outputSchema === undefined ? [] : findingsIn(value, request.outputSchema);
  if (findings.length === 0) return { ok: true, output: output.value };
  const subject = `The output of the ${noun} ${request.name}`;
  return {
    ...unusable(request, {
      kind: offSchema,
      ...describeFindings(subject, findings),
      title: request.type === 'call' ? 'Function output malformed' : 'Tool output malformed',
    }),
    output: output.value,
  };
}

/** Checked before secrets are removed: the schema applies to what the function returned. */
function findingsIn(value: unknown, schema: JsonObject): ReturnType<typeof checkValue> {
  const raw = toOutput(value, AS_IT_IS);
  return raw.ok ? checkValue(schema, raw.value) : [];
}

/** Errors kept beside an output; further ones are only counted. */
const MAX_ERRORS = 100;

function partialResult(
  { value, errors }: PartialResult,
  request: FunctionRequest,
  context: EffectContext,
): EffectResult {
  const result = returnedResult(value, request, context);
  if (errors.length === 0) return result;
  // without its errors, a partial result would later pass for the whole
  if (!result.ok) return unusable(request, result.failure);
  const { noun, failed: fallback } = NAMES[request.type];
  const drafts = errors.slice(0, MAX_ERRORS).map((error) => failureIn(error, request, context));
  const left = errors.length - drafts.length;
  const message = `The ${noun} ${request.name} reported ${left} more failures, which were left out`;
  return {
    ...result,
    errors: left === 0 ? drafts : [...drafts, { kind: fallback, message, retryable: null }],
  };
}

function thrownResult(
  thrown: unknown,
  request: FunctionRequest,
  context: EffectContext,
): EffectFailure {
  const output = isInstance(thrown, RefusedOutput)
    ? toOutput(thrown.value, context.redactor)
    : undefined;
  const failure = failureIn(thrown, request, context);
  const isOpen = !request.isIdempotent && isUnanswered(thrown, failure);
  const outcome = isOpen ? 'unknown' : knownOutcome(thrown, failure);
  return {
    ok: false,
    failure: outcome === undefined ? failure : { ...failure, outcome },
    ...(output?.ok === true ? { output: output.value } : {}),
    ...(isInstance(thrown, RefusedOutput) ? { isUnusable: true } : {}),
    thrown,
  };
}

/**
 * A function that threw had begun, whatever its failure says about the inner call that failed. Its
 * work before that call is not known to have failed, nor to have happened.
 */
function knownOutcome(thrown: unknown, failure: ReportDraft): 'failed' | undefined {
  const isBegun = !isInstance(thrown, OwnFailure);
  return isBegun && outcomeOf(failure) === 'not_started' ? 'failed' : undefined;
}

/** The failure of a thrown value, or of an error beside a partial result. */
function failureIn(
  thrown: unknown,
  { type }: FunctionRequest,
  { redactor, idempotencyKey, attempt, clock = MACHINE_CLOCK }: EffectContext,
): ReportDraft {
  return failureFrom(thrown, {
    fallback: NAMES[type].failed,
    redactor,
    // the same on a replay with the same clock
    stamp: { id: `${idempotencyKey}.${attempt}`, at: new Date(clock.now()).toISOString() },
  });
}

/** For a tool that gave up at its time limit: that does not undo its requests. */
const MAY_HAVE_ACTED = {
  category: 'ambiguous',
  retryable: false,
  action: {
    kind: 'find_out',
    detail:
      'Find out whether it did its work. Then give the tool more time, or declare it `idempotent: true` if repeating it does no harm.',
  },
} as const satisfies Partial<ReportDraft>;

function stopped(
  end: Extract<CallEnd, { type: 'stopped' }>,
  kind: RuntimeKind,
  { request, context }: { readonly request: FunctionRequest; readonly context: EffectContext },
): EffectFailure {
  const { noun } = NAMES[request.type];
  const why =
    end.by === 'timeout'
      ? `did not finish within ${request.limitMs ?? request.timeoutMs ?? 0} ms`
      : 'was cancelled while it ran';
  // the work may have been done before the signal ended it
  const isUnknown =
    mayHaveWritten(request) || ((end.isRunning || end.by === 'abort') && !request.isIdempotent);
  const lateValue = end.late?.value;
  const late =
    end.late === undefined
      ? undefined
      : toOutput(isPartial(lateValue) ? lateValue.value : lateValue, context.redactor);
  return {
    ...failed({
      kind,
      message: `The ${noun} ${request.name} ${why}${end.isRunning ? ' and ignores its abort signal' : ''}`,
      outcome: isUnknown ? 'unknown' : 'partial',
      ...(kind === 'tool.timeout' && mayHaveActed(request) ? MAY_HAVE_ACTED : {}),
      details: { abandoned: end.isRunning },
    }),
    ...(late?.ok === true ? { output: late.value } : {}),
  };
}

/**
 * Whether it threw because of the abort signal. A closed socket, an aborted request or any other error may
 * come from the signal; only a typed failure is the function's own.
 */
function endedBySignal({ failure, thrown }: EffectFailure, { signal }: EffectContext): boolean {
  if (!signal.aborted || (isInstance(thrown, OwnFailure) && outcomeOf(failure) === 'not_started'))
    return false;
  const isTyped = carriedReport(thrown) !== undefined || !isReservedKind(failure.kind);
  return !isTyped || matchesKind(failure.kind, 'cancelled.*');
}

function failed(failure: ReportDraft): EffectFailure {
  return { ok: false, failure };
}

/** It was executed, and its result cannot be used. */
function unusable(request: FunctionRequest, failure: ReportDraft): EffectFailure {
  const outcome = mayHaveWritten(request) ? { outcome: 'unknown' as const } : {};
  return { ok: false, failure: { ...failure, ...outcome }, isUnusable: true };
}

function mayHaveActed({ writesRemotely, isIdempotent }: FunctionRequest): boolean {
  return writesRemotely !== false && !isIdempotent;
}

/** Nothing here can know, or undo, the work of another system. */
function mayHaveWritten({ writesRemotely, isIdempotent }: FunctionRequest): boolean {
  return writesRemotely === true && !isIdempotent;
}
