/** Cases for rules about the call itself: SDK findings, MCP, connections, streams and stops. */
import type { RuleCase } from './rules.cases.ts';

export const CALL_CASES: readonly RuleCase[] = [
  {
    rule: 'stream.cancelled',
    kind: 'cancelled.call',
    failure: { phase: 'streaming', transport: { message: 'stopped by the operator' } },
  },
  {
    rule: 'transport.cancelled-said',
    kind: 'cancelled.call',
    failure: { transport: { message: 'stopped by the operator' } },
  },
  {
    rule: 'transport.misfit',
    kind: 'provider.network',
    failure: { transport: { message: 'SSL_ERROR_RX_RECORD_TOO_LONG' } },
  },
  {
    rule: 'transport.not-http-text',
    kind: 'provider.network',
    failure: { transport: { message: 'illegal status line: b"220 smtp ready"' } },
  },
  {
    rule: 'transport.not-http-name',
    kind: 'provider.network',
    failure: { transport: { name: 'http.client.BadStatusLine', message: '220 smtp ready' } },
  },
  {
    rule: 'transport.download',
    kind: 'provider.invalid_request',
    failure: { transport: { name: 'AI_DownloadError', message: '403 Forbidden' } },
  },
  {
    rule: 'stream.cut-said',
    kind: 'provider.stream_interrupted',
    failure: { transport: { message: 'connection reset after 12 chunks' } },
  },
  {
    rule: 'stream.first-late',
    kind: 'provider.timeout',
    failure: { status: 200, phase: 'streaming', transport: { message: 'no first token in time' } },
  },
  { rule: 'sdk.aborted', kind: 'cancelled.call', failure: { finding: 'aborted' } },
  { rule: 'sdk.timed-out', kind: 'provider.timeout', failure: { finding: 'timed_out' } },
  {
    rule: 'sdk.connection-closed',
    kind: 'provider.network',
    failure: { finding: 'connection_closed' },
  },
  {
    rule: 'sdk.api-key-missing',
    kind: 'provider.not_configured',
    failure: { finding: 'api_key_missing' },
  },
  {
    rule: 'sdk.model-unknown',
    kind: 'provider.model_not_found',
    failure: { finding: 'model_unknown' },
  },
  {
    rule: 'sdk.unsupported-feature',
    kind: 'provider.unsupported',
    failure: { finding: 'unsupported_feature' },
  },
  {
    rule: 'sdk.invalid-prompt',
    kind: 'provider.invalid_request',
    failure: { finding: 'invalid_prompt' },
  },
  {
    rule: 'sdk.tool-arguments',
    kind: 'tool.input_invalid',
    failure: { finding: 'invalid_tool_arguments' },
  },
  { rule: 'sdk.no-such-tool', kind: 'tool.not_found', failure: { finding: 'no_such_tool' } },
  { rule: 'sdk.no-output', kind: 'provider.unknown', failure: { finding: 'no_output' } },
  {
    rule: 'sdk.stream-empty',
    kind: 'provider.stream_interrupted',
    failure: { finding: 'stream_empty' },
  },
  {
    rule: 'sdk.output-unparsable',
    kind: 'agent.output_invalid',
    failure: { finding: 'output_unparsable' },
  },
  { rule: 'mcp.tool-error', kind: 'mcp.tool_failed', failure: { finding: 'mcp_tool_error' } },
  {
    rule: 'mcp.method-not-found',
    kind: 'tool.not_found',
    failure: { finding: 'mcp_method_not_found' },
  },
  {
    rule: 'mcp.invalid-params',
    kind: 'tool.input_invalid',
    failure: { finding: 'mcp_invalid_params' },
  },
  { rule: 'mcp.internal', kind: 'mcp.tool_failed', failure: { finding: 'mcp_internal' } },
  {
    rule: 'transport.aborted',
    kind: 'cancelled.call',
    failure: { transport: { name: 'AbortError' } },
  },
  {
    rule: 'transport.header-value',
    kind: 'provider.auth',
    failure: { transport: { code: 'ERR_INVALID_CHAR' } },
  },
  {
    rule: 'transport.timeout-name',
    kind: 'provider.timeout',
    failure: { transport: { name: 'TimeoutError' } },
  },
  {
    rule: 'transport.lost-way',
    kind: 'provider.network',
    failure: { phase: 'sent', transport: { code: 'EHOSTUNREACH', syscall: 'read' } },
  },
  {
    rule: 'transport.connect-text',
    kind: 'provider.network',
    failure: { transport: { message: 'client error (Connect): tcp connect error' } },
  },
  {
    rule: 'stop.context-window',
    kind: 'provider.context_length',
    failure: { status: 200, body: { stop_reason: 'model_context_window_exceeded' } },
  },
  {
    rule: 'stop.late',
    kind: 'provider.timeout',
    failure: { status: 200, body: { finish_reason: 'TIMEOUT', message: { content: [] } } },
  },
  {
    rule: 'stop.length',
    kind: 'provider.truncated',
    failure: {
      status: 200,
      body: { choices: [{ finish_reason: 'length', message: { content: 'and then' } }] },
    },
  },
  {
    rule: 'stop.paused',
    kind: 'provider.truncated',
    failure: { status: 200, body: { stop_reason: 'pause_turn' } },
  },
  {
    rule: 'stop.incomplete',
    kind: 'provider.truncated',
    failure: {
      status: 200,
      body: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    },
  },
  {
    rule: 'stop.tool-call',
    kind: 'provider.unknown',
    failure: { status: 200, body: { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] } },
  },
  {
    rule: 'stop.error',
    kind: 'provider.server_error',
    failure: {
      status: 200,
      body: { choices: [{ finish_reason: 'error', message: { content: 'Half' } }] },
    },
  },
  {
    rule: 'transport.not-json-page',
    kind: 'provider.invalid_request',
    failure: {
      transport: {
        name: 'SyntaxError',
        message: 'Unexpected token \'<\', "<!DOCTYPE" is not valid JSON',
      },
    },
  },
  {
    rule: 'transport.not-json',
    kind: 'provider.unknown',
    failure: { transport: { name: 'SyntaxError', message: 'Unexpected end of JSON input' } },
  },
  {
    rule: 'answer.cut',
    kind: 'provider.stream_interrupted',
    failure: { status: 200, transport: { code: 'ERR_STREAM_PREMATURE_CLOSE' } },
  },
  {
    rule: 'answer.cut-text',
    kind: 'provider.stream_interrupted',
    failure: { status: 200, transport: { message: 'Invalid response body: Premature close' } },
  },
  {
    rule: 'stream.unrecognised',
    kind: 'provider.stream_interrupted',
    failure: { status: 200, phase: 'streaming', body: 'idle partial, 691 chars' },
  },
  {
    rule: 'stream.framing',
    kind: 'provider.stream_interrupted',
    failure: { status: 200, phase: 'streaming', transport: { code: 'HPE_INVALID_CHUNK_SIZE' } },
  },
  {
    rule: 'transport.no-output',
    kind: 'provider.unknown',
    failure: { transport: { name: 'AI_NoOutputGeneratedError' } },
  },
  {
    rule: 'transport.proxy-login',
    kind: 'provider.network',
    failure: {
      transport: {
        name: 'RequestAbortedError',
        message: 'Proxy response (407) !== 200 when HTTP Tunneling',
      },
    },
  },
  {
    rule: 'transport.no-credentials',
    kind: 'provider.not_configured',
    failure: { transport: { name: 'CredentialsProviderError' } },
  },
  {
    rule: 'transport.no-credentials-text',
    kind: 'provider.not_configured',
    failure: { transport: { message: 'Could not load the default credentials.' } },
  },
  {
    rule: 'transport.cancelled-code',
    kind: 'cancelled.call',
    failure: { transport: { code: 'ERR_CANCELED' } },
  },
  {
    rule: 'transport.address-text',
    kind: 'provider.invalid_request',
    failure: { transport: { message: 'fetch failed', causes: [{ message: 'unknown scheme' }] } },
  },
  {
    rule: 'transport.refused-stream',
    kind: 'provider.network',
    failure: { transport: { message: 'Stream closed with error code NGHTTP2_REFUSED_STREAM' } },
  },
  {
    rule: 'transport.connect-name',
    kind: 'provider.network',
    failure: { transport: { name: 'ConnectTimeout' } },
  },
  {
    rule: 'transport.lost-name',
    kind: 'provider.network',
    failure: { transport: { name: 'RemoteProtocolError' } },
  },
  {
    rule: 'transport.tls-text',
    kind: 'provider.network',
    failure: {
      transport: { message: 'client error (Connect): invalid peer certificate: Expired' },
    },
  },
  {
    rule: 'transport.not-allowed',
    kind: 'provider.network',
    failure: { transport: { message: 'Requires net access to "x", run with --allow-net' } },
  },
  {
    rule: 'transport.dns',
    kind: 'provider.network',
    failure: { transport: { code: 'DNS_ESERVFAIL' } },
  },
  {
    rule: 'stop.resources',
    kind: 'provider.overloaded',
    failure: {
      status: 200,
      body: {
        choices: [{ finish_reason: 'insufficient_system_resource', message: { content: 'The' } }],
      },
    },
  },
  {
    rule: 'answer.cut-said',
    kind: 'provider.stream_interrupted',
    failure: {
      status: 200,
      phase: 'streaming',
      body: 'data: {"error":{"message":"The response ended prematurely","code":500}}\n\n',
    },
  },
  {
    rule: 'stream.unfinished',
    kind: 'provider.stream_interrupted',
    failure: {
      status: 200,
      phase: 'streaming',
      body: 'data: {"choices":[{"delta":{"content":"Dear"}}]}\n\n',
    },
  },
];
