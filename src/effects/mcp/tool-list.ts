/** Reads a server's list of tools once, and merges it with what the file says about them. */
import {
  isArray,
  isPlainObject,
  readProperty,
  type JsonObject,
} from '../../errors/support/safe-json.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { omitUndefined } from '../../workflow/plan/omit-undefined.ts';
import type { McpServer } from '../../workflow/plan/plan.ts';
import type { ToolDescription } from '../../workflow/authoring/tool-description.ts';
import { toOutput } from '../../machine/state/stored-output.ts';

/** Limit of one call, unless the file sets one for the tool or the server. */
const DEFAULT_TIMEOUT_MS = 60_000;

export interface ServerTool {
  readonly name: string;
  /** The definition as sent; the client needs it for some servers. */
  readonly definition: Readonly<Record<string, unknown>>;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** Reads the response to `tools/list`: the tools that the file allows. Entries without a name are skipped. */
export function readTools(answer: unknown, { tools: wanted }: McpServer): readonly ServerTool[] {
  const listed = readProperty(answer, 'tools');
  if (!isArray(listed)) return [];
  return listed.flatMap((definition) => {
    const name = readProperty(definition, 'name');
    if (!isPlainObject(definition) || typeof name !== 'string' || name === '') return [];
    if (wanted !== null && !wanted.includes(name)) return [];
    return [
      omitUndefined({
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
  // true: it came as JSON
  return isPlainObject(schema) ? (schema as JsonObject) : undefined;
}

/** The tool without the secrets that the server was started with. */
export function redactedTool(tool: ServerTool, redactor: Redactor): ServerTool {
  const output = toOutput(tool.definition, redactor);
  const definition = output.ok && isPlainObject(output.value) ? output.value : {};
  return omitUndefined({
    name: tool.name,
    definition,
    inputSchema: schemaIn(definition, 'inputSchema'),
    outputSchema: schemaIn(definition, 'outputSchema'),
  });
}

/** The file wins over the server's own description. */
export function describeTool(
  name: string,
  server: McpServer,
  tool: ServerTool | undefined,
): ToolDescription {
  const settings = Object.hasOwn(server.toolSettings, name) ? server.toolSettings[name] : undefined;
  const hints = readProperty(tool?.definition, 'annotations');
  const isReadOnly = readProperty(hints, 'readOnlyHint');
  const isRepeatable = isReadOnly === true || readProperty(hints, 'idempotentHint') === true;
  const description = readProperty(tool?.definition, 'description');
  return omitUndefined({
    isDeclared: tool !== undefined,
    description: typeof description === 'string' ? description : undefined,
    inputSchema: tool?.inputSchema,
    outputSchema: tool?.outputSchema,
    // `writes: true` in the file does not make a tool idempotent
    isIdempotent: settings?.idempotent ?? (settings?.writes !== true && isRepeatable),
    writes: settings?.writes ?? writesBy(isReadOnly, readProperty(hints, 'destructiveHint')),
    timeoutMs: settings?.timeoutMs ?? server.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  });
}

function writesBy(isReadOnly: unknown, isDestructive: unknown): boolean | null {
  if (isReadOnly === true) return false;
  return isReadOnly === false || isDestructive === true ? true : null;
}
