/** Rules for findings of an SDK itself, where there is no response to read. */
import type { Rule } from '../rule.ts';

export const SDK_FINDING_RULES: readonly Rule[] = [
  {
    id: 'sdk.aborted',
    when: { findings: ['aborted'] },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'cancelled by the caller; not a failure',
  },
  {
    id: 'sdk.timed-out',
    when: { findings: ['timed_out'] },
    means: { kind: 'provider.timeout', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'our own deadline passed while the server was silent',
  },
  {
    id: 'sdk.connection-closed',
    when: { findings: ['connection_closed'] },
    means: { kind: 'provider.network', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'the SDK lost its connection before a response came',
  },
  {
    id: 'sdk.api-key-missing',
    when: { findings: ['api_key_missing'] },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'the SDK found no key and sent nothing',
  },
  {
    id: 'sdk.model-unknown',
    when: { findings: ['model_unknown'] },
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
    when: { findings: ['unsupported_feature'] },
    means: {
      kind: 'provider.unsupported',
      outcome: 'not_started',
      scope: 'model',
      recovery: 'human',
    },
    why: 'the SDK does not support this for the model and sent nothing',
  },
  {
    id: 'sdk.invalid-prompt',
    when: { findings: ['invalid_prompt'] },
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
    when: { findings: ['invalid_tool_arguments'] },
    means: { kind: 'tool.input_invalid', scope: 'request', recovery: 'now' },
    why: 'the model called a tool with arguments that do not fit it',
  },
  {
    id: 'sdk.no-such-tool',
    when: { findings: ['no_such_tool'] },
    means: { kind: 'tool.not_found', scope: 'request', recovery: 'now' },
    why: 'the model called a tool that does not exist',
  },
  {
    id: 'sdk.no-output',
    when: { findings: ['no_output'] },
    means: { kind: 'provider.unknown', scope: 'request', recovery: 'now' },
    why: 'the call succeeded without output, and the SDK does not know why',
  },
  {
    id: 'sdk.stream-empty',
    when: { findings: ['stream_empty'] },
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
    when: { findings: ['output_unparsable'] },
    means: { kind: 'agent.output_invalid', scope: 'request', recovery: 'now' },
    why: 'the reply does not have the requested form',
  },
  {
    id: 'mcp.tool-error',
    when: { findings: ['mcp_tool_error'] },
    means: { kind: 'mcp.tool_failed', scope: 'request', recovery: 'human' },
    why: 'the tool ran and reported an error of its own',
  },
  {
    id: 'mcp.method-not-found',
    when: { findings: ['mcp_method_not_found'] },
    means: { kind: 'tool.not_found', scope: 'request', recovery: 'human' },
    why: 'the MCP server has no such tool or method',
  },
  {
    id: 'mcp.invalid-params',
    when: { findings: ['mcp_invalid_params'] },
    means: { kind: 'tool.input_invalid', scope: 'request', recovery: 'human' },
    why: 'the MCP server refused the arguments',
  },
  {
    id: 'mcp.internal',
    when: { findings: ['mcp_internal'] },
    means: { kind: 'mcp.tool_failed', scope: 'provider', recovery: 'human' },
    why: 'the MCP server had an internal error',
  },
];
