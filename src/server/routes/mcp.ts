/** `POST /mcp`: the runs of the server as tools of the Model Context Protocol. */
import { z } from '@hono/zod-openapi';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { McpOverHttp, McpRequest } from '../../mcp-server/http.ts';
import type { ServerCore } from '../core.ts';
import type { CheckedRequest, Route } from '../http/http-route.ts';
import { mcpHost } from '../mcp-host.ts';
import { includesRole } from '../access/access-tokens.ts';
import { Problem } from '../schemas/common.ts';

const Message = z.looseObject({ jsonrpc: z.literal('2.0') }).openapi('McpMessage', {
  description: 'A message of JSON-RPC 2.0, as the Model Context Protocol defines them.',
});

export interface McpRoute {
  readonly route: Route;
  /** Resolves when calls under way are answered. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function mcpRoute(core: ServerCore): McpRoute {
  let opening: Promise<McpOverHttp> | undefined;
  const face = (): Promise<McpOverHttp> => {
    opening ??= openFace(core).catch((thrown: unknown) => {
      // the package may be installed meanwhile
      opening = undefined;
      throw thrown;
    });
    return opening;
  };
  const opened = async (): Promise<McpOverHttp | undefined> => opening?.catch(() => undefined);
  return {
    route: {
      operationId: 'callMcp',
      method: 'post',
      path: '/mcp',
      summary: 'Call the server as an MCP server',
      role: 'read',
      body: { media: ['application/json'], schema: Message, isText: true },
      answers: {
        200: {
          description: 'The answer, as JSON or as a stream of messages.',
          content: { 'application/json': Message, 'text/event-stream': z.string() },
        },
        202: { description: 'A notification was taken.' },
        400: {
          description: 'The message does not belong to the protocol.',
          content: { 'application/json': Message },
        },
        404: {
          description:
            'The protocol has no such method; or the package that serves it is not installed.',
          content: { 'application/json': Message, 'application/problem+json': Problem },
        },
        406: {
          description: 'The client does not accept both JSON and a stream.',
          content: { 'application/json': Message },
        },
      },
      handle: async (request) => unbuffered(await (await face()).fetch(await asked(request))),
    },
    settled: async () => (await opened())?.settled(),
    close: async () => (await opened())?.close(),
  };
}

/** A proxy that waits for the end of a stream would delay questions. */
function unbuffered(answer: Response): Response {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream') === true)
    answer.headers.set('x-accel-buffering', 'no');
  return answer;
}

async function asked({ raw, text = '', visitor }: CheckedRequest): Promise<McpRequest> {
  const { name = 'nobody', role = 'read' } = visitor ?? {};
  const { readMessage } = await import('../../mcp-server/read-message.ts');
  const holder = { name, isReader: !includesRole(role, 'run') };
  try {
    return { request: raw, body: readMessage(text), holder };
  } catch (thrown) {
    throw new ErrandError(
      { kind: 'request.invalid', message: 'The body is not JSON' },
      { cause: thrown },
    );
  }
}

async function openFace(core: ServerCore): Promise<McpOverHttp> {
  const [{ loadMcpServerSdk }, { McpOverHttp: Face }] = await Promise.all([
    import('../../mcp-server/sdk.ts'),
    import('../../mcp-server/http.ts'),
  ]);
  try {
    const sdk = loadMcpServerSdk(core.directory);
    return new Face({ sdk, host: mcpHost(core) });
  } catch (thrown) {
    if (!isKind(thrown, 'extension.missing') || !(thrown instanceof ErrandError)) throw thrown;
    const { message, action } = thrown.report;
    throw new ErrandError({ kind: 'request.not_found', message, action }, { cause: thrown });
  }
}
