/** The effect that a call of a conversation is. */
import type { EffectRef } from '../state/events.ts';
import type { RunState, Scope } from '../state/state.ts';
import { toolsOf } from './agent-tools.ts';
import type { OpenCall } from './conversation.ts';
import { toolCalled } from './tool-names.ts';

export function toolRef(state: RunState, scope: Scope, { key, call }: OpenCall): EffectRef {
  const target = toolCalled(toolsOf(state, scope), call.name) ?? call.name;
  return { key, type: 'tool', target };
}
