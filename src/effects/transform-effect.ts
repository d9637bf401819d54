/**
 * The effect of a `transform` node: JavaScript over its arguments, in the sandbox. The same code and
 * input give the same result. A failure shows its type and position, never the code or a value.
 *
 * | event                       | kind                        | outcome     |
 * |-----------------------------|-----------------------------|-------------|
 * | cannot be parsed            | `sandbox.syntax`            | not_started |
 * | threw                       | `sandbox.runtime`           | failed      |
 * | memory, stack, text too big | `sandbox.memory`            | failed      |
 * | not JSON, or not its schema | `sandbox.result`            | failed      |
 * | more than one second of CPU | `sandbox.timeout`           | failed      |
 * | our signal                  | `cancelled.*`               | failed      |
 * | the worker broke            | `internal.unexpected`       | failed      |
 * | no worker, as in a bundle   | `extension.missing`         | not_started |
 *
 * It has no side effects, so no outcome is ever unknown.
 */
import { jsonFrom, type JsonObject, type JsonValue } from '../errors/support/safe-json.ts';
import type { ReportDraft } from '../errors/report/report.ts';
import { checkValue } from '../workflow/json-schema/check-value.ts';
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
  type EffectFailure,
  type EffectResult,
} from './effect-port.ts';
import { toOutput } from '../machine/state/stored-output.ts';
import type { Answer } from './sandbox/worker-messages.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { describeFindings } from './schema-violation.ts';

export interface TransformRequest {
  /** An expression, or a body with `return`; it sees `input`. */
  readonly code: string;
  readonly input: JsonValue;
  readonly outputSchema?: JsonObject | undefined;
}

export function createTransformEffect(sandbox: Sandbox): Effect<TransformRequest> {
  return neverRejecting(async (request, context) => {
    const cancelled = context.cancelled ?? 'cancelled.call';
    if (context.signal.aborted) return cancelledBefore(cancelled);
    const job = { code: request.code, input: JSON.stringify(request.input) };
    const end = await sandbox.evaluate(job, context.signal);
    switch (end.type) {
      case 'answer':
        return end.answer.ok
          ? succeeded(end.answer.json, request, context)
          : failed(faultOf(end.answer));
      case 'deadline':
        return failed({
          kind: 'sandbox.timeout',
          message: 'The code ran longer than its time limit',
        });
      case 'cancelled':
        return failed({
          kind: cancelled,
          message: 'The code was cancelled while it ran',
          outcome: 'failed',
        });
      case 'missing':
        return failed(MISSING);
      case 'broken':
        return {
          ...failed({ kind: 'internal.unexpected', message: 'The worker of the sandbox crashed' }),
          thrown: end.thrown,
        };
    }
  });
}

const MISSING: ReportDraft = {
  kind: 'extension.missing',
  message:
    'The sandbox of `transform` nodes needs its own worker file, which this bundle does not contain',
  outcome: 'not_started',
  action: {
    kind: 'fix_code',
    detail:
      'Exclude errand from the bundle: mark it as external, and install it beside the bundle.',
  },
};

function succeeded(
  json: string,
  request: TransformRequest,
  { redactor }: EffectContext,
): EffectResult {
  const value = jsonFrom(json);
  const output = toOutput(value, redactor);
  if (!output.ok) {
    return failed({
      kind: 'sandbox.result',
      message: `The value of the code cannot be an output: it ${output.problem}`,
      details: { pointer: output.pointer },
    });
  }
  const findings =
    request.outputSchema === undefined ? [] : checkValue(request.outputSchema, value);
  if (findings.length === 0) return { ok: true, output: output.value };
  return {
    ...failed({ kind: 'sandbox.result', ...describeFindings('The value of the code', findings) }),
    output: output.value,
  };
}

const SENTENCES = {
  syntax: 'The code is not valid JavaScript',
  runtime: 'The code failed',
  memory: 'The code exceeded a limit of the sandbox',
  result: 'The value of the code cannot be an output',
  timeout: 'The code ran longer than its time limit',
} as const;

function faultOf({ fault, reason, line, column }: Exclude<Answer, { ok: true }>): ReportDraft {
  const position =
    line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
  return {
    kind: `sandbox.${fault}`,
    message: `${SENTENCES[fault]}: ${reason}${position}`,
    details: {
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
    },
  };
}

function failed(failure: ReportDraft): EffectFailure {
  return { ok: false, failure };
}
