import { describe, expect, it } from 'vitest';
import { extractFailure } from './extract.ts';

function branded(brands: readonly string[], fields: object, message = 'failed'): Error {
  const error = Object.assign(new Error(message), fields);
  return Object.defineProperty(error, Symbol.for('mcp.sdk.errorBrands'), {
    value: new Set(brands.map((brand) => `mcp.${brand}`)),
  });
}

describe('the MCP client', () => {
  it.each([
    [-32_601, 'mcp_method_not_found'],
    [-32_602, 'mcp_invalid_params'],
    [-32_603, 'mcp_internal'],
    [-32_700, 'mcp_internal'],
    [-32_000, 'mcp_internal'],
    [-32_022, 'unsupported_feature'],
    [1234, 'mcp_internal'],
  ])('passes the server’s code %i on as %s', (code, finding) => {
    const failure = extractFailure(branded(['ProtocolError'], { code }));
    expect(failure).toMatchObject({ source: 'mcp', provider: 'mcp', finding, code: String(code) });
  });

  it.each([
    ['REQUEST_TIMEOUT', 'timed_out', 'sent'],
    ['CONNECTION_CLOSED', 'connection_closed', 'sent'],
    ['NOT_CONNECTED', 'connection_closed', 'before_send'],
    ['CAPABILITY_NOT_SUPPORTED', 'mcp_method_not_found', 'before_send'],
    ['INVALID_RESULT', 'output_unparsable', 'headers'],
    ['SOMETHING_NEW', 'mcp_internal', 'headers'],
  ])('finds out %s by itself', (code, finding, phase) => {
    expect(extractFailure(branded(['SdkError'], { code }))).toMatchObject({ finding, phase });
  });

  it('keeps the response of the HTTP transport', () => {
    const data = { status: 429, statusText: 'Too Many Requests', text: '{"error":"slow down"}' };
    const code = 'CLIENT_HTTP_NOT_IMPLEMENTED';
    expect(extractFailure(branded(['SdkError', 'SdkHttpError'], { code, data }))).toMatchObject({
      status: 429,
      body: { error: 'slow down' },
    });
    expect(extractFailure(branded(['UnauthorizedError'], {}))?.status).toBe(401);
    expect(extractFailure(branded(['SseError'], { code: 502 }))?.status).toBe(502);
  });

  it('prefers the fault of the network to its own summary', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const thrown = branded(['SdkError'], { code: 'ERA_NEGOTIATION_FAILED', cause });
    const failure = extractFailure(thrown);
    expect(failure).toMatchObject({ transport: { code: 'ECONNREFUSED' }, phase: 'before_send' });
    expect(failure).not.toHaveProperty('finding');
  });

  it.each([
    [-32_001, 'MCP error -32001: Request timed out', 'timed_out'],
    [-32_000, 'MCP error -32000: Connection closed', 'connection_closed'],
    [-32_602, 'MCP error -32602: no such tool', 'mcp_invalid_params'],
  ])('of version 1 uses the code %i', (code, message, finding) => {
    const thrown = Object.assign(new Error(message), { name: 'McpError', code });
    expect(extractFailure(thrown)?.finding).toBe(finding);
  });

  it('gives results that are failures of the tool', () => {
    const content = [{ type: 'text', text: 'disk full' }];
    expect(extractFailure({ isError: true, content })).toMatchObject({
      finding: 'mcp_tool_error',
      message: 'disk full',
      phase: 'headers',
    });
    expect(extractFailure({ isError: false, content })).toBeUndefined();
  });
});
