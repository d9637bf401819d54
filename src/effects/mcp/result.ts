/**
 * What a tool of a server gave, as an output: its structured content where it has one, else its text,
 * else the list of what it sent. Text that is too long is a failure, which the node may overrule: then
 * it is cut and says so. Nothing else can be cut.
 */
import {
  isArray,
  isPlainObject,
  readProperty,
  type JsonObject,
  type JsonValue,
} from '../../errors/json.ts';
import type { ReportDraft } from '../../errors/report.ts';
import {
  describeInexact,
  keepsDigits,
  readJson,
  type ReadJson,
} from '../../workflow/exact-number.ts';
import { checkValue, type Finding } from '../../workflow/value-check.ts';
import type { EffectContext, EffectResult, Suppressed } from '../effect.ts';
import { MAX_RESULT_CHARS, toOutput } from '../output.ts';
import { describeFindings } from '../schema-violation.ts';

/** What a server says about its failure. */
const MAX_MESSAGE_CHARS = 2000;

export interface ResultRequest {
  /** `server/name`. */
  readonly tool: string;
  readonly keepsTruncated: boolean;
  /** Of the tool. */
  readonly declared?: JsonObject;
  /** Of the node. */
  readonly wanted?: JsonObject;
}

export function toResult(
  answer: unknown,
  request: ResultRequest,
  context: EffectContext,
): EffectResult {
  if (readProperty(answer, 'isError') === true) return toolFailed(answer, request, context);
  const structured = readProperty(answer, 'structuredContent');
  if (structured !== undefined && structured !== null) {
    return finished(structured, request, context);
  }
  if (request.declared !== undefined) {
    const message = `The tool ${request.tool} declares an output and gave none`;
    return malformed(message);
  }
  const blocks = readProperty(answer, 'content');
  const content = isArray(blocks) ? [...blocks] : [];
  const texts = content.map((block) => textOf(block));
  if (!texts.every((text) => text !== undefined)) {
    return finished({ content: content.map(withoutBytes) }, request, context);
  }
  return textResult(texts.join('\n'), request, context);
}

function textResult(text: string, request: ResultRequest, context: EffectContext): EffectResult {
  const { tool, wanted, keepsTruncated } = request;
  if (text.length > MAX_RESULT_CHARS) {
    const cut = text.length - MAX_RESULT_CHARS;
    // before it is cut, or half of a secret could be left
    const kept = context.redactor.values(text).slice(0, MAX_RESULT_CHARS).toWellFormed();
    if (!keepsTruncated) return tooLarge(kept, text.length, tool);
    const message = `The result of ${tool} was cut: ${cut} of ${text.length} characters were left out`;
    const result = finished(`${kept}\n[${message}]`, request, context);
    const suppressed = [
      { failure: { kind: 'internal.output_too_large', message } as const, reason: message },
    ];
    return { ...result, suppressed };
  }
  // a node that declares what it wants may get it from a server that can only send text
  if (wanted !== undefined && checkValue(wanted, text).length > 0) {
    const read = parsed(text);
    if (read?.inexact !== undefined)
      return malformed(`The result of ${tool} ${describeInexact(read.inexact)}`, {
        ...read.inexact,
      });
    if (read !== undefined) return finished(read.value, request, context);
  }
  return finished(text, request, context);
}

function tooLarge(kept: string, chars: number, tool: string): EffectResult {
  return {
    ok: false,
    failure: {
      kind: 'internal.output_too_large',
      message: `The result of ${tool} has ${chars} characters, and ${MAX_RESULT_CHARS} is the most that is kept`,
      details: { tool, chars },
      action: {
        kind: 'change_input',
        detail:
          'Ask the tool for less, or for a page at a time; or say `on_truncated: keep` on the node.',
      },
    },
    output: kept,
  };
}

function finished(value: unknown, request: ResultRequest, context: EffectContext): EffectResult {
  const { tool, declared, wanted } = request;
  const output = toOutput(value, context.redactor);
  if (!output.ok) return malformed(`The result of ${tool} cannot be kept: it ${output.problem}`);
  const sizeChars = typeof value === 'string' ? 0 : JSON.stringify(output.value).length;
  if (sizeChars > MAX_RESULT_CHARS) {
    return malformed(
      `The result of ${tool} has ${sizeChars} characters, and ${MAX_RESULT_CHARS} is the most`,
    );
  }
  // what the server did is judged, before secrets are taken out; it came as JSON
  const raw = value as JsonValue;
  const ofServer = declared === undefined ? [] : checkValue(declared, raw);
  // a schema of the server that is no good says nothing about its result
  const [flaw] = ofServer.filter(({ of }) => of === 'schema');
  const ofNode = wanted === undefined ? [] : checkValue(wanted, raw);
  const findings = flaw === undefined && ofServer.length > 0 ? ofServer : ofNode;
  if (findings.length > 0) {
    const said = describeFindings(`The result of ${tool}`, findings);
    return { ...malformed(said.message, said.details), output: output.value };
  }
  return { ok: true, output: output.value, ...unused(flaw, tool) };
}

function unused(
  flaw: Finding | undefined,
  tool: string,
): { readonly suppressed?: readonly Suppressed[] } {
  if (flaw === undefined) return {};
  const place = flaw.pointer === '' ? 'it' : flaw.pointer;
  const message = `The output schema that the server declares for ${tool} cannot be used: ${place} ${flaw.message}`;
  const failure = { kind: 'tool.output_malformed', message, details: { tool } } as const;
  return { suppressed: [{ failure, reason: 'the result was taken without that check' }] };
}

/** The tool ran and says that it failed; why it did is for its text to say. */
function toolFailed(
  answer: unknown,
  { tool }: ResultRequest,
  context: EffectContext,
): EffectResult {
  const blocks = readProperty(answer, 'content');
  const texts = isArray(blocks) ? [...blocks].flatMap((block) => textOf(block) ?? []) : [];
  const said = context.redactor
    .text(texts.join('\n').trim())
    .slice(0, MAX_MESSAGE_CHARS)
    .toWellFormed();
  const partial = partOf(answer, context);
  return {
    ok: false,
    failure: {
      kind: 'mcp.tool_failed',
      message: said === '' ? `The tool ${tool} failed and does not say why` : `${tool}: ${said}`,
      retryable: null,
      details: { tool },
      ...(partial === undefined ? {} : { outcome: 'partial' }),
    },
    ...(partial === undefined ? {} : { output: partial }),
  };
}

/** What a tool that failed has got done all the same, where it says so in a form of its own. */
function partOf(answer: unknown, context: EffectContext): JsonValue | undefined {
  const structured = readProperty(answer, 'structuredContent');
  if (structured === undefined || structured === null) return undefined;
  const output = toOutput(structured, context.redactor);
  const isKept = output.ok && JSON.stringify(output.value).length <= MAX_RESULT_CHARS;
  return isKept ? output.value : undefined;
}

function malformed(
  message: string,
  details?: ReportDraft['details'],
): EffectResult & { ok: false } {
  const failure: ReportDraft = { kind: 'tool.output_malformed', message };
  return { ok: false, failure: details === undefined ? failure : { ...failure, details } };
}

function textOf(block: unknown): string | undefined {
  const isResource = readProperty(block, 'type') === 'resource';
  const text = readProperty(isResource ? readProperty(block, 'resource') : block, 'text');
  return typeof text === 'string' ? text : undefined;
}

/** Pictures and sound are told of and not kept: no model here is shown them. */
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
    // it is text, and is judged as that
    return undefined;
  }
}
