/**
 * Makes the content of a call, only for `ERRAND_OTEL_CONTENT=1`: messages in the form of the GenAI
 * conventions, and arguments and results of tools. All of it is redacted first.
 */
import type { EffectResult } from '../../effects/effect-port.ts';
import { hideInternals } from '../../errors/redaction/hide-internals.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type {
  ModelCall,
  ModelMessage,
  ToolCall,
} from '../../machine/conversation/model-message.ts';
import { ATTRIBUTE } from '../names.ts';
import type { Attributes } from './span-sink.ts';

export function requestContent({ work }: EffectRequest, redactor: Redactor): Attributes {
  switch (work.type) {
    case 'model':
      return { [ATTRIBUTE.inputMessages]: written(inputMessages(work.call), redactor) };
    case 'tool':
      return { [ATTRIBUTE.toolArguments]: written(work.arguments, redactor) };
    case 'script':
    case 'call':
    case 'transform':
      return {};
  }
}

export function resultContent(
  { work }: EffectRequest,
  { output }: Pick<EffectResult, 'output'>,
  redactor: Redactor,
): Attributes {
  if (output === undefined) return {};
  if (work.type === 'tool') return { [ATTRIBUTE.toolResult]: written(output, redactor) };
  if (work.type !== 'model' || !isPlainObject(output)) return {};
  const said = [{ role: 'assistant', parts: replyParts(output) }];
  return { [ATTRIBUTE.outputMessages]: written(said, redactor) };
}

/** Longer texts are cut: a span is no archive. */
const MAX_CHARS = 65_536;

function written(value: unknown, redactor: Redactor): string {
  const text = JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'string' ? hideInternals(redactor.text(part)) : part,
  );
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS).toWellFormed()}…`;
}

function inputMessages({ system, messages }: ModelCall): readonly object[] {
  const first = system === undefined ? [] : [{ role: 'system', parts: [textPart(system)] }];
  return [...first, ...messages.map(messageOf)];
}

function messageOf(message: ModelMessage): object {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: [textPart(message.text)] };
    case 'assistant':
      return {
        role: 'assistant',
        parts: [textPart(message.text), ...message.toolCalls.map(callPart)],
      };
    case 'tool':
      return {
        role: 'tool',
        parts: [{ type: 'tool_call_response', id: message.id, response: message.result }],
      };
  }
}

function replyParts(reply: Readonly<Record<string, JsonValue>>): readonly object[] {
  const { text, toolCalls = [] } = reply;
  // the reply of a model call, in the form of the log
  const calls = Array.isArray(toolCalls) ? (toolCalls as unknown as readonly ToolCall[]) : [];
  return [textPart(typeof text === 'string' ? text : ''), ...calls.map(callPart)];
}

function textPart(content: string): object {
  return { type: 'text', content };
}

function callPart({ id, name, arguments: given = null }: ToolCall): object {
  return { type: 'tool_call', id, name, arguments: given };
}
