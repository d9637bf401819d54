/**
 * Turns the result of an MCP tool into an output: its structured content if it has one, else its text,
 * else the list of its blocks. Text that is too long is a failure, unless the node allows cutting it.
 * Nothing else can be cut.
 *
 * The tool has run when its result cannot be used, so unless it is idempotent the outcome is `unknown`.
 */
import {
  isArray,
  isPlainObject,
  readProperty,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import {
  describeInexact,
  keepsDigits,
  readJson,
  type Inexact,
  type ReadJson,
} from '../../workflow/json-schema/exact-number.ts';
import { checkValue, type Finding } from '../../workflow/json-schema/check-value.ts';
import type { EffectContext, EffectResult, Suppressed } from '../effect-port.ts';
import { MAX_RESULT_CHARS, toOutput } from '../../machine/state/stored-output.ts';
import { describeFindings } from '../schema-violation.ts';
import { accepted } from './mcp-call-failure.ts';
import { inexactOf, isGarbled } from './inexact-result.ts';

/** Limit of a server's own error text. */
const MAX_MESSAGE_CHARS = 2000;

export interface ResultRequest {
  /** `server/name`. */
  readonly tool: string;
  readonly keepsTruncated: boolean;
  readonly isIdempotent: boolean;
  /** Output schema of the tool. */
  readonly declared?: JsonObject;
  /** Output schema of the node. */
  readonly wanted?: JsonObject;
}

export function toResult(
  answer: unknown,
  request: ResultRequest,
  context: EffectContext,
): EffectResult {
  if (readProperty(answer, 'isError') === true) return toolFailed(answer, request, context);
  if (isGarbled(answer)) {
    const message = `The result of ${request.tool} has bytes that are no text in UTF-8`;
    return malformed(message, request);
  }
  const inexact = inexactOf(answer);
  if (inexact !== undefined) return rounded(inexact, request);
  const structured = readProperty(answer, 'structuredContent');
  if (structured !== undefined && structured !== null) {
    return finished(structured, request, context);
  }
  if (request.declared !== undefined) {
    const message = `The tool ${request.tool} declares an output but returned none`;
    return malformed(message, request);
  }
  const blocks = readProperty(answer, 'content');
  const content = isArray(blocks) ? [...blocks] : [];
  const texts = content.map((block) => textOf(block));
  if (!texts.every((text) => text !== undefined)) {
    return finished({ content: content.map(withoutBytes) }, request, context);
  }
  return textResult(texts.join('\n'), request, context);
}

/** The recorded result of an earlier call, where it passes all checks as they are now. */
export function recheckResult(
  recorded: JsonValue,
  request: ResultRequest,
  context: EffectContext,
): EffectResult | undefined {
  const result =
    typeof recorded === 'string' && request.declared === undefined
      ? textResult(recorded, request, context)
      : finished(recorded, request, context);
  return result.ok ? { ...result, isReplayed: true } : undefined;
}

function textResult(text: string, request: ResultRequest, context: EffectContext): EffectResult {
  const { tool, wanted, keepsTruncated } = request;
  if (text.length > MAX_RESULT_CHARS) {
    const cut = text.length - MAX_RESULT_CHARS;
    // redacted before the cut, or half of a secret could remain
    const kept = context.redactor.values(text).slice(0, MAX_RESULT_CHARS).toWellFormed();
    if (!keepsTruncated) return tooLarge(kept, text.length, request);
    const message = `The result of ${tool} was cut: ${cut} of ${text.length} characters were left out`;
    const result = finished(`${kept}\n[${message}]`, request, context);
    const suppressed = [
      { failure: { kind: 'internal.output_too_large', message } as const, reason: message },
    ];
    return { ...result, suppressed };
  }
  // a node with a schema may get its JSON from a server that sends only text
  if (wanted !== undefined && checkValue(wanted, text).length > 0) {
    const read = parsed(text);
    if (read?.inexact !== undefined) return rounded(read.inexact, request);
    if (read !== undefined) return finished(read.value, request, context);
  }
  return finished(text, request, context);
}

function rounded(inexact: Inexact, request: ResultRequest): EffectResult {
  const message = `The result of ${request.tool} ${describeInexact(inexact)}`;
  return malformed(message, request, { ...inexact });
}

function tooLarge(kept: string, chars: number, request: ResultRequest): EffectResult {
  const { tool } = request;
  return {
    ok: false,
    failure: {
      kind: 'internal.output_too_large',
      ...accepted(request),
      message: `The result of ${tool} has ${chars} characters; the limit is ${MAX_RESULT_CHARS}`,
      details: { tool, chars },
      action: {
        kind: 'change_input',
        detail:
          'Request less from the tool, or one page at a time; or set `on_truncated: keep` on the node.',
      },
    },
    output: kept,
    isUnusable: true,
  };
}

function finished(value: unknown, request: ResultRequest, context: EffectContext): EffectResult {
  const { tool, declared, wanted } = request;
  const output = toOutput(value, context.redactor);
  if (!output.ok)
    return malformed(`The result of ${tool} cannot be stored: it ${output.problem}`, request);
  const sizeChars = typeof value === 'string' ? 0 : JSON.stringify(output.value).length;
  if (sizeChars > MAX_RESULT_CHARS) {
    return malformed(
      `The result of ${tool} has ${sizeChars} characters; the limit is ${MAX_RESULT_CHARS}`,
      request,
    );
  }
  // checked before secrets are removed; true: it came as JSON
  const raw = value as JsonValue;
  const ofServer = declared === undefined ? [] : checkValue(declared, raw);
  // an invalid schema of the server proves nothing about its result
  const [flaw] = ofServer.filter(({ of }) => of === 'schema');
  const ofNode = wanted === undefined ? [] : checkValue(wanted, raw);
  const findings = flaw === undefined && ofServer.length > 0 ? ofServer : ofNode;
  if (findings.length > 0) {
    const reason = describeFindings(`The result of ${tool}`, findings);
    return { ...malformed(reason.message, request, reason.details), output: output.value };
  }
  return { ok: true, output: output.value, ...unused(flaw, tool) };
}

function unused(
  flaw: Finding | undefined,
  tool: string,
): { readonly suppressed?: readonly Suppressed[] } {
  if (flaw === undefined) return {};
  const resolved = flaw.pointer === '' ? 'it' : flaw.pointer;
  const message = `The output schema that the server declares for ${tool} cannot be used: ${resolved} ${flaw.message}`;
  const failure = { kind: 'tool.output_malformed', message, details: { tool } } as const;
  return { suppressed: [{ failure, reason: 'the result was accepted without that check' }] };
}

/** The tool ran and reports a failure; its text says why. */
function toolFailed(
  answer: unknown,
  { tool }: ResultRequest,
  context: EffectContext,
): EffectResult {
  const blocks = readProperty(answer, 'content');
  const texts = isArray(blocks) ? [...blocks].flatMap((block) => textOf(block) ?? []) : [];
  const reason = context.redactor
    .text(texts.join('\n').trim())
    .slice(0, MAX_MESSAGE_CHARS)
    .toWellFormed();
  const partial = partOf(answer, context);
  return {
    ok: false,
    failure: {
      kind: 'mcp.tool_failed',
      message: reason === '' ? `The tool ${tool} failed without a reason` : `${tool}: ${reason}`,
      retryable: null,
      details: { tool },
      ...(partial === undefined ? {} : { outcome: 'partial' }),
    },
    ...(partial === undefined ? {} : { output: partial }),
  };
}

/** The structured content of a failed tool, as a partial output. */
function partOf(answer: unknown, context: EffectContext): JsonValue | undefined {
  const structured = readProperty(answer, 'structuredContent');
  if (structured === undefined || structured === null) return undefined;
  if (inexactOf(answer) !== undefined || isGarbled(answer)) return undefined;
  const output = toOutput(structured, context.redactor);
  const isKept = output.ok && JSON.stringify(output.value).length <= MAX_RESULT_CHARS;
  return isKept ? output.value : undefined;
}

function malformed(
  message: string,
  request: ResultRequest,
  details?: ReportDraft['details'],
): EffectResult & { ok: false } {
  const failure: ReportDraft = { kind: 'tool.output_malformed', ...accepted(request), message };
  return {
    ok: false,
    failure: details === undefined ? failure : { ...failure, details },
    isUnusable: true,
  };
}

function textOf(block: unknown): string | undefined {
  const isResource = readProperty(block, 'type') === 'resource';
  const text = readProperty(isResource ? readProperty(block, 'resource') : block, 'text');
  return typeof text === 'string' ? text : undefined;
}

/** Drops the bytes of images and audio: no model gets them. */
function withoutBytes(block: unknown): unknown {
  if (!isPlainObject(block)) return null;
  const { data, blob, resource, ...rest } = block;
  const bytes = typeof data === 'string' ? data : blob;
  return {
    ...rest,
    ...(resource === undefined ? {} : { resource: withoutBytes(resource) }),
    ...(typeof bytes === 'string' ? { leftOutBytes: Math.floor((bytes.length * 3) / 4) } : {}),
  };
}

function parsed(text: string): ReadJson | undefined {
  try {
    return readJson(text, keepsDigits);
  } catch {
    // not JSON, so it stays text
    return undefined;
  }
}
