/** The tools that drawn workflows may call, as a module would declare them. */
import type { ToolDescriptions } from '../../src/workflow/tool-description.ts';

const INPUT = {
  type: 'object',
  properties: { id: { type: 'number' } },
  required: ['id'],
};

const BACKOFF = { backoff: 'fixed', initialMs: 2000, maxMs: 10_000, jitter: 0 } as const;

export const TOOLS: ToolDescriptions = {
  /** Only reads, and tries again by itself. */
  lookup: {
    isDeclared: true,
    inputSchema: INPUT,
    isIdempotent: true,
    writes: false,
    retry: { max: 2, ...BACKOFF },
  },
  /** Must not happen twice, and retries nothing. */
  charge: { isDeclared: true, inputSchema: INPUT, isIdempotent: false, writes: true },
  /** Must not happen twice, and retries what surely failed. */
  send: {
    isDeclared: true,
    isIdempotent: false,
    writes: true,
    raises: ['stock.empty'],
    retry: { max: 1, ...BACKOFF, on: ['tool.failed', 'tool.busy', 'stock.*'] },
  },
  /** Of an MCP server, so that a breaker guards it; asked again when its server was away. */
  'box/read': {
    isDeclared: true,
    isIdempotent: true,
    writes: false,
    timeoutMs: 20_000,
    retry: { max: 1, ...BACKOFF },
  },
  /** Of the same server, and must not happen twice. */
  'box/write': { isDeclared: true, isIdempotent: false, writes: true, timeoutMs: 30_000 },
  /** A plain function, which says nothing. */
  plain: { isDeclared: false, isIdempotent: false, writes: null },
};
