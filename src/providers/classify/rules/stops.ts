/** Rules for replies with a good status that failed: why the model stopped. */
import { anyOf } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';

export const STOP_RULES: readonly Rule[] = [
  {
    id: 'sampling.said',
    when: {
      statuses: [NONE, 200, 400, 422, 424, 500],
      mentions:
        /\bmodel (?:has |had )?(?:produced|emitted|generated|wrote|returned|made)(?: an?)? (?:malformed|invalid|broken|unparsable|ill-formed)\b[^.\n]{0,24}\b(?:tool|function|call)|\bmodel (?:has |had )?(?:produced|emitted|generated|wrote|made) (?:an? )?(?:tool|function) call (?:that|which)\b|\b(?:tool|function) calls? (?:that )?(?:the |was |were )?(?:model|generated|produced)\b[^.\n]{0,40}\b(?:fail|invalid|malformed|not be (?:parsed|read))|\bparse (?:the )?(?:tool|function) calls? (?:that )?(?:the )?model\b/i,
    },
    means: { kind: 'provider.unknown', category: 'transient', scope: 'request', recovery: 'now' },
    why: 'the model wrote a call that cannot be read; the next sample may',
  },
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
        'intervened',
        'blocked',
        'toxic',
        'toxicity',
        'sensitive',
        'block_reason_unspecified',
        'error_toxic',
      ],
    },
    means: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'the provider or the model refused the content; the same content is refused again',
  },
  {
    id: 'stop.context-window',
    when: {
      stops: [
        'error_limit',
        'model_context_window_exceeded',
        'model_length',
        'context_length',
        'context_window',
      ],
    },
    means: {
      kind: 'provider.context_length',
      outcome: 'partial',
      scope: 'request',
      recovery: 'human',
    },
    why: 'prompt and reply filled the window; raising the output limit cannot help',
  },
  {
    id: 'stop.length',
    when: {
      stops: [
        'length',
        'max_tokens',
        'max_output_tokens',
        'max_completion_tokens',
        'token_limit',
        'incomplete',
      ],
    },
    means: { kind: 'provider.truncated', scope: 'request', recovery: 'human' },
    why: 'the reply was cut at its output limit',
  },
  {
    id: 'stop.paused',
    when: { stops: ['pause_turn'] },
    means: { kind: 'provider.truncated', scope: 'request', recovery: 'human' },
    why: 'the provider paused its turn and waits for the next request; the reply is not complete',
  },
  {
    id: 'stop.incomplete',
    when: { statusRange: [200, 299], codes: ['max_output_tokens', 'incomplete'] },
    means: { kind: 'provider.truncated', scope: 'request', recovery: 'human' },
    why: 'the reply itself says that it is incomplete',
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
    means: { kind: 'provider.unknown', category: 'transient', scope: 'request', recovery: 'now' },
    why: 'the model wrote a tool call or a reply that cannot be parsed; the next sample may be better',
  },
  {
    id: 'stop.resources',
    when: { stops: ['insufficient_system_resource', 'model_overloaded', 'overloaded'] },
    means: {
      kind: 'provider.overloaded',
      category: 'ambiguous',
      outcome: 'partial',
      scope: 'model',
      recovery: 'window',
    },
    why: 'the reply was broken off for lack of capacity',
  },
  {
    id: 'stop.late',
    when: { stops: ['timeout', 'timed_out', 'deadline_exceeded'] },
    means: { kind: 'provider.timeout', scope: 'provider', recovery: 'now' },
    why: 'the reply says that its time ran out',
  },
  {
    id: 'stop.filtered-said',
    when: {
      statuses: [NONE, 200],
      stopSays: anyOf([['filter'], ['policy'], ['blocked'], ['content', 'forbidden']], ['host']),
    },
    means: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'the stop reason says by its words that the content was blocked',
  },
  {
    id: 'stop.length-said',
    when: {
      statuses: [NONE, 200],
      stopSays: anyOf(
        [
          ['length', 'bound'],
          ['reply', 'bound'],
          ['tokens', 'bound'],
          ['length', 'reached'],
          ['bound', 'reached'],
        ],
        ['rate', 'requests', 'minute', 'day', 'window', 'prompt', 'money', 'quota'],
      ),
    },
    means: { kind: 'provider.truncated', scope: 'request', recovery: 'human' },
    why: 'the stop reason says by its words that the reply was cut at its limit',
  },
  {
    id: 'stream.unfinished',
    when: { unfinished: true },
    means: { kind: 'provider.stream_interrupted', scope: 'request', recovery: 'now' },
    why: 'the events stop without a stop reason and without an end marker',
  },
  {
    id: 'answer.empty',
    when: { emptyAnswer: true },
    means: { kind: 'provider.unknown', scope: 'request', recovery: 'human' },
    why: 'an empty reply; a hidden overflow looks the same',
  },
];
