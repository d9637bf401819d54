/** What a server says of its tools, read once and trusted after, and what the file says over it. */
import { isArray, isPlainObject, readProperty, type JsonObject } from '../../errors/json.ts';
import { given } from '../../workflow/given.ts';
import type { McpServer } from '../../workflow/model.ts';
import type { ToolDescription } from '../../workflow/tool-description.ts';

/** Of one call, where neither the tool nor the server has a time in the file. */
const DEFAULT_TIMEOUT_MS = 60_000;

export interface ServerTool {
  readonly name: string;
  /** What the server sent; the client wants it back for some servers. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** Of the answer to `tools/list`: those that the file lets count. What has no name is no tool. */
export function readTools(answer: unknown, { tools: wanted }: McpServer): readonly ServerTool[] {
  const listed = readProperty(answer, 'tools');
  if (!isArray(listed)) return [];
  return listed.flatMap((definition) => {
    const name = readProperty(definition, 'name');
    if (!isPlainObject(definition) || typeof name !== 'string' || name === '') return [];
    if (wanted !== null && !wanted.includes(name)) return [];
    return [
      given({
        name,
        definition,
        inputSchema: schemaIn(definition, 'inputSchema'),
        outputSchema: schemaIn(definition, 'outputSchema'),
      }),
    ];
  });
}

function schemaIn(definition: unknown, key: string): JsonObject | undefined {
  const schema = readProperty(definition, key);
  // it came as JSON
  return isPlainObject(schema) ? (schema as JsonObject) : undefined;
}

/** The file wins over what the server says of itself, and that wins over nothing. */
export function describeTool(
  name: string,
  server: McpServer,
  tool: ServerTool | undefined,
): ToolDescription {
  const settings = Object.hasOwn(server.toolSettings, name) ? server.toolSettings[name] : undefined;
  const hints = readProperty(tool?.definition, 'annotations');
  const isReadOnly = readProperty(hints, 'readOnlyHint');
  const isRepeatable = readProperty(hints, 'idempotentHint') === true;
  const description = readProperty(tool?.definition, 'description');
  return given({
    isDeclared: tool !== undefined,
    description: typeof description === 'string' ? description : undefined,
    inputSchema: tool?.inputSchema,
    outputSchema: tool?.outputSchema,
    isIdempotent: settings?.idempotent ?? (isReadOnly === true || isRepeatable),
    writes: settings?.writes ?? writesBy(isReadOnly, readProperty(hints, 'destructiveHint')),
    timeoutMs: settings?.timeoutMs ?? server.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  });
}

function writesBy(isReadOnly: unknown, isDestructive: unknown): boolean | null {
  if (isReadOnly === true) return false;
  return isReadOnly === false || isDestructive === true ? true : null;
}
