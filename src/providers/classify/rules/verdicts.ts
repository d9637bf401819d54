/** What an SDK knew by itself: there is no answer to look at. */
import type { Rule } from '../rule.ts';

export const VERDICT_RULES: readonly Rule[] = [
  {
    id: 'sdk.aborted',
    when: { verdicts: ['aborted'] },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'cancelled by the caller; not a failure',
  },
  {
    id: 'sdk.timed-out',
    when: { verdicts: ['timed_out'] },
    means: { kind: 'provider.timeout', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'our own deadline passed while the server was silent',
  },
  {
    id: 'sdk.connection-closed',
    when: { verdicts: ['connection_closed'] },
    means: { kind: 'provider.network', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'the SDK lost its connection before an answer came',
  },
  {
    id: 'sdk.api-key-missing',
    when: { verdicts: ['api_key_missing'] },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'the SDK found no key and sent nothing',
  },
  {
    id: 'sdk.model-unknown',
    when: { verdicts: ['model_unknown'] },
    means: {
      kind: 'provider.model_not_found',
      outcome: 'not_started',
      scope: 'model',
      recovery: 'human',
    },
    why: 'the SDK has no model of that name and sent nothing',
  },
  {
    id: 'sdk.unsupported-feature',
    when: { verdicts: ['unsupported_feature'] },
    means: {
      kind: 'provider.unsupported',
      outcome: 'not_started',
      scope: 'model',
      recovery: 'human',
    },
    why: 'the SDK cannot ask this of this model and sent nothing',
  },
  {
    id: 'sdk.invalid-prompt',
    when: { verdicts: ['invalid_prompt'] },
    means: {
      kind: 'provider.invalid_request',
      outcome: 'not_started',
      scope: 'request',
      recovery: 'human',
    },
    why: 'the SDK refused the prompt before sending it',
  },
  {
    id: 'sdk.tool-arguments',
    when: { verdicts: ['invalid_tool_arguments'] },
    means: { kind: 'tool.input_invalid', scope: 'request', recovery: 'now' },
    why: 'the model called a tool with arguments that do not fit it',
  },
  {
    id: 'sdk.no-such-tool',
    when: { verdicts: ['no_such_tool'] },
    means: { kind: 'tool.not_found', scope: 'request', recovery: 'now' },
    why: 'the model called a tool that does not exist',
  },
  {
    id: 'sdk.no-output',
    when: { verdicts: ['no_output'] },
    means: { kind: 'provider.unknown', scope: 'request', recovery: 'now' },
    why: 'the call ended well and gave nothing, and the SDK does not know why',
  },
  {
    id: 'sdk.stream-empty',
    when: { verdicts: ['stream_empty'] },
    means: {
      kind: 'provider.stream_interrupted',
      category: 'transient',
      outcome: 'failed',
      scope: 'request',
      recovery: 'now',
    },
    why: 'the stream failed before any output came, and the SDK keeps the reason for those who read the stream',
  },
  {
    id: 'sdk.output-unparsable',
    when: { verdicts: ['output_unparsable'] },
    means: { kind: 'agent.output_invalid', scope: 'request', recovery: 'now' },
    why: 'the answer is not of the form that was asked for',
  },
  {
    id: 'mcp.tool-error',
    when: { verdicts: ['mcp_tool_error'] },
    means: { kind: 'mcp.tool_failed', scope: 'request', recovery: 'human' },
    why: 'the tool ran and reported an error of its own',
  },
  {
    id: 'mcp.method-not-found',
    when: { verdicts: ['mcp_method_not_found'] },
    means: { kind: 'tool.not_found', scope: 'request', recovery: 'human' },
    why: 'the MCP server has no such tool or method',
  },
  {
    id: 'mcp.invalid-params',
    when: { verdicts: ['mcp_invalid_params'] },
    means: { kind: 'tool.input_invalid', scope: 'request', recovery: 'human' },
    why: 'the MCP server refused the arguments',
  },
  {
    id: 'mcp.internal',
    when: { verdicts: ['mcp_internal'] },
    means: { kind: 'mcp.tool_failed', scope: 'provider', recovery: 'human' },
    why: 'the MCP server had an internal error',
  },
];
