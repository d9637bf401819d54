/** What a simulated call uses. Exact by definition: who simulates the work also counts it. */
import type { Usage } from '../../machine/events.ts';
import type { ModelCall, ModelMessage, ToolCall } from '../../machine/model-call.ts';
import type { SimulatedUsage } from '../../workflow/model.ts';

/** As budgets are reserved: the estimate of a call and its bill agree. */
const CHARS_PER_TOKEN = 4;

/** What the script says, and what it leaves open counted. */
export function usageOf(
  given: SimulatedUsage | undefined,
  call: ModelCall,
  answer: { readonly text: string; readonly toolCalls: readonly ToolCall[] },
): Usage {
  return {
    inputTokens: inputTokens(call),
    outputTokens: outputTokens(answer.text, answer.toolCalls),
    ...given,
  };
}

function inputTokens({ system, messages, tools, outputSchema }: ModelCall): number {
  const chars =
    (system ?? '').length +
    messages.reduce((sum, message) => sum + charsOf(message), 0) +
    (tools.length === 0 ? 0 : JSON.stringify(tools).length) +
    (outputSchema === undefined ? 0 : JSON.stringify(outputSchema).length);
  return tokens(chars);
}

export function outputTokens(text: string, toolCalls: readonly ToolCall[] = []): number {
  return tokens(text.length + toolCalls.reduce((sum, call) => sum + charsOfCall(call), 0));
}

function charsOf(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return message.text.length;
    case 'assistant':
      return (
        message.text.length + message.toolCalls.reduce((sum, call) => sum + charsOfCall(call), 0)
      );
    case 'tool':
      return JSON.stringify(message.result).length;
  }
}

function charsOfCall({ name, arguments: given, unparsable }: ToolCall): number {
  return name.length + (unparsable ?? JSON.stringify(given ?? {})).length;
}

function tokens(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
