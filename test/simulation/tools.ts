/** The tools that generated workflows may call, as a module would declare them. */
import type { ToolDescriptions } from '../../src/workflow/authoring/tool-description.ts';

const INPUT = {
  type: 'object',
  properties: { id: { type: 'number' } },
  required: ['id'],
};

const BACKOFF = { backoff: 'fixed', initialMs: 2000, maxMs: 10_000, jitter: 0 } as const;

export const TOOLS: ToolDescriptions = {
  /** Only reads, and retries by itself. */
  lookup: {
    isDeclared: true,
    inputSchema: INPUT,
    isIdempotent: true,
    writes: false,
    retry: { max: 2, ...BACKOFF },
  },
  /** Must not happen twice, and retries nothing. */
  charge: { isDeclared: true, inputSchema: INPUT, isIdempotent: false, writes: true },
  /** Must not happen twice, and retries certain failures. */
  send: {
    isDeclared: true,
    isIdempotent: false,
    writes: true,
    raises: ['stock.empty'],
    retry: { max: 1, ...BACKOFF, on: ['tool.failed', 'tool.busy', 'stock.*'] },
  },
  /** A tool of an MCP server, so that a breaker guards it; called again if its server was away. */
  'box/read': {
    isDeclared: true,
    isIdempotent: true,
    writes: false,
    timeoutMs: 20_000,
    retry: { max: 1, ...BACKOFF },
  },
  /** A tool of the same server that must not happen twice. */
  'box/write': { isDeclared: true, isIdempotent: false, writes: true, timeoutMs: 30_000 },
  /** A plain function without declarations. */
  plain: { isDeclared: false, isIdempotent: false, writes: null },
};
