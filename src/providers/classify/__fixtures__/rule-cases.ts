/** One failure for each rule that no entry of the corpus needs: the smallest that needs it. */
import type { RuntimeKind } from '../../../errors/catalog.ts';
import type { ProviderFailure } from '../../envelope.ts';

export interface RuleCase {
  readonly rule: string;
  readonly kind: RuntimeKind;
  readonly failure: Partial<ProviderFailure>;
}

const refused = (status: number, message: string, more: object = {}): Partial<ProviderFailure> => ({
  status,
  phase: 'headers',
  body: { error: { message, ...more } },
});

const said = (message: string): Partial<ProviderFailure> => ({ body: { error: { message } } });

export const RULE_CASES: readonly RuleCase[] = [
  { rule: 'sdk.aborted', kind: 'cancelled.call', failure: { verdict: 'aborted' } },
  { rule: 'sdk.timed-out', kind: 'provider.timeout', failure: { verdict: 'timed_out' } },
  { rule: 'sdk.connection-closed', kind: 'provider.network', failure: { verdict: 'connection_closed' } },
  { rule: 'sdk.api-key-missing', kind: 'provider.not_configured', failure: { verdict: 'api_key_missing' } },
  { rule: 'sdk.model-unknown', kind: 'provider.model_not_found', failure: { verdict: 'model_unknown' } },
  { rule: 'sdk.unsupported-feature', kind: 'provider.unsupported', failure: { verdict: 'unsupported_feature' } },
  { rule: 'sdk.invalid-prompt', kind: 'provider.invalid_request', failure: { verdict: 'invalid_prompt' } },
  { rule: 'sdk.tool-arguments', kind: 'tool.input_invalid', failure: { verdict: 'invalid_tool_arguments' } },
  { rule: 'sdk.no-such-tool', kind: 'tool.not_found', failure: { verdict: 'no_such_tool' } },
  { rule: 'sdk.no-output', kind: 'provider.unknown', failure: { verdict: 'no_output' } },
  { rule: 'sdk.output-unparsable', kind: 'agent.output_invalid', failure: { verdict: 'output_unparsable' } },
  { rule: 'mcp.tool-error', kind: 'mcp.tool_failed', failure: { verdict: 'mcp_tool_error' } },
  { rule: 'mcp.method-not-found', kind: 'tool.not_found', failure: { verdict: 'mcp_method_not_found' } },
  { rule: 'mcp.invalid-params', kind: 'tool.input_invalid', failure: { verdict: 'mcp_invalid_params' } },
  { rule: 'mcp.internal', kind: 'mcp.tool_failed', failure: { verdict: 'mcp_internal' } },
  { rule: 'transport.aborted', kind: 'cancelled.call', failure: { transport: { name: 'AbortError' } } },
  { rule: 'transport.header-value', kind: 'provider.auth', failure: { transport: { code: 'ERR_INVALID_CHAR' } } },
  { rule: 'transport.timeout-name', kind: 'provider.timeout', failure: { transport: { name: 'TimeoutError' } } },
  { rule: 'transport.connect-text', kind: 'provider.network', failure: { transport: { message: 'client error (Connect): tcp connect error' } } },
  { rule: 'rate.oversize-request', kind: 'provider.request_too_large', failure: refused(429, 'Request too large for this tier', { code: 'rate_limit_exceeded' }) },
  { rule: 'quota.long-window-text', kind: 'provider.quota_exhausted', failure: refused(429, 'You used your requests per day', { code: 'rate_limit_exceeded' }) },
  { rule: 'quota.rate-code-without-money', kind: 'provider.quota_exhausted', failure: refused(429, 'Your credit balance is gone', { type: 'rate_limit_error' }) },
  {
    rule: 'quota.payment-pending',
    kind: 'provider.rate_limited',
    failure: { ...refused(402, 'In flight'), provider: 'openrouter', headers: { 'retry-after': '3' } },
  },
  { rule: 'zhipu.spent', kind: 'provider.quota_exhausted', failure: { ...refused(429, '余额不足', { code: '1113' }), provider: 'zhipu' } },
  { rule: 'zhipu.rate', kind: 'provider.rate_limited', failure: { ...refused(429, '并发数过高', { code: '1302' }), provider: 'zhipu' } },
  { rule: 'zhipu.content', kind: 'provider.content_filter', failure: { ...refused(400, '敏感内容', { code: '1301' }), provider: 'zhipu' } },
  { rule: 'tool-schema.param', kind: 'provider.tool_schema', failure: refused(400, 'Not accepted', { param: 'tools[2].function.parameters' }) },
  { rule: 'too-large.code', kind: 'provider.request_too_large', failure: refused(413, 'Too big', { type: 'request_too_large' }) },
  { rule: 'rate.code-without-status', kind: 'provider.rate_limited', failure: { body: { error: { type: 'rate_limit_error', message: 'Later' } } } },
  { rule: 'stop.context-window', kind: 'provider.context_length', failure: { status: 200, body: { stop_reason: 'model_context_window_exceeded' } } },
  { rule: 'stop.length', kind: 'provider.truncated', failure: { status: 200, body: { choices: [{ finish_reason: 'length', message: { content: 'and then' } }] } } },
  { rule: 'stop.incomplete', kind: 'provider.truncated', failure: { status: 200, body: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } } },
  { rule: 'stop.tool-call', kind: 'provider.unknown', failure: { status: 200, body: { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] } } },
  { rule: 'stop.error', kind: 'provider.server_error', failure: { status: 200, body: { choices: [{ finish_reason: 'error', message: { content: 'Half' } }] } } },
  { rule: 'auth.text', kind: 'provider.auth', failure: refused(400, 'Incorrect API key provided') },
  { rule: 'overload.text-without-status', kind: 'provider.overloaded', failure: said('The engine is overloaded') },
  { rule: 'permission.wrapped', kind: 'provider.permission', failure: refused(500, 'Access denied: the model does not support this account') },
  { rule: 'permission.entitlement', kind: 'provider.permission', failure: refused(404, 'Model use case details have not been submitted') },
  { rule: 'conflict.text', kind: 'provider.conflict', failure: refused(400, 'The thread is locked while a run is active: is locked') },
  { rule: 'unsupported.parameter-text', kind: 'provider.unsupported', failure: refused(400, 'Unrecognized request argument supplied: foo') },
  { rule: 'rate.text', kind: 'provider.rate_limited', failure: refused(403, 'Rate limit hit') },
  { rule: 'rate.text-without-status', kind: 'provider.rate_limited', failure: said('Too many requests') },
  { rule: 'auth.text-without-status', kind: 'provider.auth', failure: said('Invalid API key') },
  { rule: 'timeout.text', kind: 'provider.timeout', failure: refused(500, 'Upstream timed out') },
  { rule: 'timeout.text-without-status', kind: 'provider.timeout', failure: said('The request timed out') },
  { rule: 'content.text-without-status', kind: 'provider.content_filter', failure: said('Blocked by the content policy') },
  { rule: 'model.text-without-status', kind: 'provider.model_not_found', failure: said('No such model: x') },
  { rule: 'unsupported.text-without-status', kind: 'provider.unsupported', failure: said('Images are not supported') },
  { rule: 'server.text-without-status', kind: 'provider.server_error', failure: said('Internal error') },
  { rule: 'parameter.name', kind: 'provider.invalid_request', failure: refused(400, 'Bad', { param: 'top_p' }) },
  { rule: 'parameter.range', kind: 'provider.invalid_request', failure: refused(400, 'Bad', { code: 'integer_below_min_value', param: 'x' }) },
  { rule: 'status.3xx', kind: 'provider.invalid_request', failure: { status: 308, body: 'Moved' } },
  { rule: 'status.407', kind: 'provider.network', failure: { status: 407, body: 'Sign in' } },
  { rule: 'status.409', kind: 'provider.conflict', failure: { status: 409, body: {} } },
  { rule: 'status.413', kind: 'provider.request_too_large', failure: { status: 413, body: {} } },
  { rule: 'status.424', kind: 'provider.server_error', failure: { status: 424, body: {} } },
  { rule: 'status.499', kind: 'cancelled.call', failure: { status: 499, body: {} } },
  { rule: 'status.501', kind: 'provider.unsupported', failure: { status: 501, body: {} } },
  { rule: 'status.503', kind: 'provider.overloaded', failure: { status: 503, body: {} } },
  { rule: 'status.address', kind: 'provider.invalid_request', failure: { status: 405, body: {} } },
  { rule: 'code.server', kind: 'provider.server_error', failure: { body: { error: { type: 'server_error', message: 'Sorry' } } } },
  { rule: 'code.refused', kind: 'provider.invalid_request', failure: { body: { error: { type: 'invalid_request_error', message: 'Sorry' } } } },
  { rule: 'code.denied', kind: 'provider.permission', failure: { body: { error: { status: 'PERMISSION_DENIED', message: 'Sorry' } } } },
  { rule: 'code.absent', kind: 'provider.model_not_found', failure: { body: { error: { type: 'not_found_error', message: 'Sorry' } } } },
];
