/** A small MCP server with the official package: tools that work, and tools for each way of failing. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export const SDKS = fileURLToPath(new URL('../sdks/', import.meta.url));

const requireSdk = createRequire(`${SDKS}package.json`);
const { McpServer } = requireSdk('@modelcontextprotocol/server');
const { z } = requireSdk('zod');

interface ToolContext {
  readonly mcpReq: {
    readonly signal: AbortSignal;
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly notify: (notification: object) => Promise<void>;
  };
}

export interface World {
  /** Records the work, so that a test can count it. */
  readonly did: (what: string) => void;
  /** Called by a tool that crashes its server. */
  readonly crash: () => void;
}

const text = (value: string): object => ({ content: [{ type: 'text', text: value }] });

export function newServer({ did, crash }: World): unknown {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ a, b }: { a: number; b: number }) => {
      did(`add ${a} ${b}`);
      const sum = { sum: a + b };
      return { ...text(JSON.stringify(sum)), structuredContent: sum };
    },
  );
  server.registerTool(
    'write',
    { inputSchema: z.object({ id: z.number() }), annotations: { destructiveHint: true } },
    ({ id }: { id: number }) => {
      did(`write ${id}`);
      return text(`written ${id}`);
    },
  );
  server.registerTool(
    'echo',
    { inputSchema: z.object({ text: z.string() }), annotations: { idempotentHint: true } },
    ({ text: said }: { text: string }) => text(said),
  );
  server.registerTool('plain', {}, () => text('nothing to say'));
  const token = process.env['TOKEN'] ?? 'nothing';
  const about = {
    description: `Refuses ${token}`,
    inputSchema: z.object({ by: z.literal(token).optional() }),
  };
  server.registerTool('refuse', about, () => {
    did('refuse');
    return { ...text(`no luck with ${process.env['TOKEN'] ?? 'nothing'}`), isError: true };
  });
  server.registerTool('half', {}, () => ({
    ...text('page 2 is gone'),
    structuredContent: { pages: [1, 3] },
    isError: true,
  }));
  server.registerTool('throw', {}, () => {
    throw new Error('it broke');
  });
  server.registerTool(
    'big',
    { inputSchema: z.object({ chars: z.number() }) },
    ({ chars }: { chars: number }) => text('x'.repeat(chars)),
  );
  server.registerTool('picture', {}, () => ({
    content: [
      { type: 'text', text: 'a dot' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    ],
  }));
  server.registerTool('environment', {}, () => text(Object.keys(process.env).toSorted().join(' ')));
  server.registerTool('key', {}, (context: ToolContext) =>
    text(String(context.mcpReq._meta?.['errand/idempotency-key'])),
  );
  server.registerTool('trace', {}, (context: ToolContext) => {
    const { traceparent, tracestate, baggage } = context.mcpReq._meta ?? {};
    return text(JSON.stringify({ traceparent, tracestate, baggage }));
  });
  server.registerTool('progress', {}, async (context: ToolContext) => {
    const progressToken = context.mcpReq._meta?.['progressToken'];
    const params = { progressToken, progress: 1, total: 2 };
    await context.mcpReq.notify({ method: 'notifications/progress', params });
    return text('done');
  });
  server.registerTool('crash', {}, () => {
    did('crash');
    crash();
    return new Promise(() => undefined);
  });
  server.registerTool('crash_safely', { annotations: { idempotentHint: true } }, () => {
    did('crash_safely');
    crash();
    return new Promise(() => undefined);
  });
  server.registerTool('hang', {}, (context: ToolContext) => {
    did('hang');
    const { promise, resolve } = Promise.withResolvers<object>();
    const { signal } = context.mcpReq;
    const cancel = (): void => {
      did('hang cancelled');
      resolve(text('late'));
    };
    // a starved server reads the call and its cancellation at once
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel);
    return promise;
  });
  server.registerTool('freeze', {}, () => {
    did('freeze');
    for (;;);
  });
  server.registerTool('child', {}, () => {
    const child = spawn('sleep', [process.env['MARK'] ?? '1000'], { stdio: 'ignore' });
    return text(String(child.pid));
  });
  server.registerTool('noise', {}, () => {
    process.stdout.write('this is no message\n');
    return text('after the noise');
  });
  return server;
}
