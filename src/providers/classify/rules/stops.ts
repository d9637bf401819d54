/** Answers with a good status that are no success: why the model stopped. */
import type { Rule } from '../rule.ts';

export const STOP_RULES: readonly Rule[] = [
  {
    id: 'stop.filtered',
    when: {
      stops: [
        'content_filter',
        'content_filtered',
        'refusal',
        'safety',
        'recitation',
        'blocklist',
        'prohibited_content',
        'spii',
        'language',
        'image_safety',
        'image_prohibited_content',
        'image_recitation',
        'image_other',
        'model_armor',
        'jailbreak',
        'guardrail_intervened',
        'blocked',
        'toxic',
        'toxicity',
        'sensitive',
        'block_reason_unspecified',
        'error_toxic',
      ],
    },
    then: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'the provider or the model refused the content; the same content is refused again',
  },
  {
    id: 'stop.context-window',
    when: {
      stops: ['error_limit', 'model_context_window_exceeded', 'model_length', 'context_length', 'context_window'],
    },
    then: { kind: 'provider.context_length', outcome: 'partial', scope: 'request', recovery: 'human' },
    why: 'prompt and answer filled the window; raising the output limit cannot help',
  },
  {
    id: 'stop.length',
    when: {
      stops: ['length', 'max_tokens', 'max_output_tokens', 'max_completion_tokens', 'token_limit', 'incomplete'],
    },
    then: { kind: 'provider.truncated', scope: 'request', recovery: 'human' },
    why: 'the answer was cut at its output limit',
  },
  {
    id: 'stop.incomplete',
    when: { statusRange: [200, 299], codes: ['max_output_tokens', 'incomplete'] },
    then: { kind: 'provider.truncated', scope: 'request', recovery: 'human' },
    why: 'the answer says of itself that it is not whole',
  },
  {
    id: 'stop.tool-call',
    when: {
      stops: [
        'malformed_function_call',
        'malformed_response',
        'unexpected_tool_call',
        'too_many_tool_calls',
        'malformed_model_output',
        'malformed_tool_use',
        'missing_thought_signature',
        'no_image',
      ],
    },
    then: { kind: 'provider.unknown', category: 'transient', scope: 'request', recovery: 'now' },
    why: 'the model wrote a tool call or an answer that nobody can read; the next sample may do',
  },
  {
    id: 'stop.resources',
    when: { stops: ['insufficient_system_resource', 'model_overloaded', 'overloaded'] },
    then: {
      kind: 'provider.overloaded',
      category: 'ambiguous',
      outcome: 'partial',
      scope: 'model',
      recovery: 'window',
    },
    why: 'the answer was broken off for want of capacity',
  },
  {
    id: 'stop.error',
    when: { stops: ['error', 'network_error', 'network', 'failed', 'server', 'abort', 'aborted', 'other', 'cancelled'] },
    then: { kind: 'provider.server_error', outcome: 'partial', scope: 'request', recovery: 'now' },
    why: 'the provider ended the answer by an error of its own',
  },
  {
    id: 'stream.unfinished',
    when: { unfinished: true },
    then: { kind: 'provider.stream_interrupted', scope: 'request', recovery: 'now' },
    why: 'the events stop without a stop reason and without an end marker',
  },
  {
    id: 'answer.empty',
    when: { emptyAnswer: true },
    then: { kind: 'provider.unknown', scope: 'request', recovery: 'human' },
    why: 'an answer with nothing in it; an overflow that was swallowed looks just like this',
  },
];
