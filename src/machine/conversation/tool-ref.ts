/** The effect that a call of a conversation is. */
import type { EffectRef } from '../state/events.ts';
import type { RunState, Scope } from '../state/state.ts';
import { toolsOf } from './agent-tools.ts';
import type { OpenCall } from './conversation.ts';
import type { ToolCall } from './model-message.ts';
import type { ToolDescriptions } from '../../workflow/authoring/tool-description.ts';
import { toolCalled } from './tool-names.ts';

export function toolRef(state: RunState, scope: Scope, { key, call }: OpenCall): EffectRef {
  return { key, type: 'tool', target: targetOfCall(toolsOf(state, scope), call) };
}

/** The tool that a call is for; the name in the call where there is no such tool. */
export function targetOfCall(tools: ToolDescriptions, { name }: ToolCall): string {
  return toolCalled(tools, name) ?? name;
}
