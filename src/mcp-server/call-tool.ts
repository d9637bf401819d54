/** A call of a tool, from its arguments to its result. */
import {
  isJsonObject,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import type { TraceCarrier } from '../machine/ports/trace-carrier.ts';
import { checkArguments, givenArguments, waitMs, withShorterWait } from './arguments.ts';
import { Asking, ofRun, type InputRequired } from './asking.ts';
import type { McpCaller } from './caller.ts';
import type { ListQuery, McpHost } from './host.ts';
import type { Progress } from './progress.ts';
import {
  explainResult,
  kindResult,
  listResult,
  refusedResult,
  RUN_VALUES,
  runResult,
  valueResult,
  verdictResult,
  type ToolResult,
} from './results.ts';
import type { Era, SdkContext } from './sdk.ts';
import {
  builtinTool,
  isReading,
  MOVING_TOOLS,
  READING_TOOLS,
  type ToolDefinition,
} from './tools.ts';
import { startTools, type StartTool } from './workflow-tools.ts';

const WAIT = '_wait_seconds';

export interface ToolCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: McpCaller;
  readonly era: Era;
  readonly context: SdkContext;
  /** The context of the caller's trace. */
  readonly trace: TraceCarrier | undefined;
  readonly progress: Progress;
}

/** Lists the tools that a caller may use: a reader sees only tools that read. */
export async function listTools(
  host: McpHost,
  { isReader }: { readonly isReader: boolean },
): Promise<readonly ToolDefinition[]> {
  if (isReader) return READING_TOOLS;
  const starting = startTools(await host.workflows());
  return [
    ...starting.map(({ workflow: _workflow, own: _own, ...tool }) => tool),
    ...READING_TOOLS,
    ...MOVING_TOOLS,
  ];
}

/** Undefined if the tool does not exist. Every other failure is a result. */
export async function callTool(
  host: McpHost,
  call: ToolCall,
): Promise<ToolResult | InputRequired | undefined> {
  try {
    const tool = builtinTool(call.name) ?? (await startTool(host, call.name));
    if (tool === undefined) return undefined;
    refuseReader(tool, call.caller);
    return await new CalledTool(host, call, tool).result();
  } catch (thrown) {
    return refusedResult(host.report(thrown));
  }
}

async function startTool(host: McpHost, name: string): Promise<StartTool | undefined> {
  return startTools(await host.workflows()).find((tool) => tool.name === name);
}

function refuseReader(tool: ToolDefinition, { isReader }: McpCaller): void {
  if (!isReader || isReading(tool)) return;
  throw new ErrandError({
    kind: 'request.forbidden',
    message: `The role read does not allow ${tool.name}; it needs the role run`,
  });
}

type CallableTool = StartTool | NonNullable<ReturnType<typeof builtinTool>>;

class CalledTool {
  readonly #host: McpHost;
  readonly #call: ToolCall;
  readonly #tool: CallableTool;
  readonly #given: JsonObject;
  readonly #signal: AbortSignal;

  constructor(host: McpHost, call: ToolCall, tool: CallableTool) {
    this.#host = host;
    this.#call = call;
    this.#tool = tool;
    this.#given = withShorterWait(givenArguments(call.arguments), waitOf(tool));
    this.#signal = AbortSignal.any([call.context.mcpReq.signal, host.over]);
  }

  async result(): Promise<ToolResult | InputRequired> {
    const tool = this.#tool;
    if ('own' in tool) return this.#start(tool);
    const given = tool.name === 'list_runs' ? withLists(this.#given) : this.#given;
    checkArguments(tool.inputSchema, given);
    switch (tool.name) {
      case 'get_run':
        return this.#get(textOf(given['run']));
      case 'list_runs':
        return listResult((await this.#host.list(queryOf(given))).runs);
      case 'explain_failure':
        return given['run'] === undefined
          ? kindResult(this.#host.explainKind(textOf(given['kind'])))
          : explainResult(await this.#host.explainRun(textOf(given['run'])));
      case 'validate_workflow':
        return this.#validate();
      case 'answer_question':
        return this.#answer(textOf(given['run']));
      case 'resume_run':
        return this.#resume(textOf(given['run']));
      case 'cancel_run':
        return this.#cancel(textOf(given['run']));
    }
  }

  async #start({ workflow, own, inputSchema }: StartTool): Promise<ToolResult | InputRequired> {
    const { by } = this.#call.caller;
    const isOwn = ([name]: readonly [string, JsonValue]): boolean => own.includes(name);
    const given = this.#given;
    const mine = Object.fromEntries(Object.entries(given).filter(isOwn));
    if (workflow === undefined) checkArguments(inputSchema, given);
    else checkArguments(ownSchema(inputSchema, own), mine);
    const rest = Object.fromEntries(Object.entries(given).filter((entry) => !isOwn(entry)));
    const { [WAIT]: wait, _key: key } = mine;
    return this.#moved(waitMs(wait), () =>
      this.#host.start({
        ...(workflow === undefined ? namedIn(rest) : { workflow, input: rest }),
        by,
        trace: this.#call.trace,
        ...(typeof key === 'string' ? { key } : {}),
      }),
    );
  }

  async #get(run: string): Promise<ToolResult> {
    const { path, wait_seconds: wait } = this.#given;
    await this.#waitWhileRunning(run, waitMs(wait, 0));
    if (typeof path !== 'string') return runResult(await this.#host.read(run));
    const ofRun = isRunValue(path) ? RUN_VALUES[path] : undefined;
    const wanted = ofRun === undefined ? { of: 'output' as const, path } : { of: ofRun };
    return valueResult(await this.#host.value(run, wanted));
  }

  async #validate(): Promise<ToolResult> {
    const { workflow, text } = this.#given;
    const verdict = await this.#host.validate(
      textOf(workflow),
      typeof text === 'string' ? text : undefined,
    );
    return verdictResult(verdict);
  }

  async #answer(run: string): Promise<ToolResult | InputRequired> {
    const { gate, opening, value = null, wait_seconds: wait } = this.#given;
    const ms = waitMs(wait);
    return this.#moved(ms, async () => {
      const { trace, caller } = this.#call;
      const { by } = caller;
      const named = {
        ...(typeof gate === 'string' ? { gate } : {}),
        ...(typeof opening === 'number' ? { opening } : {}),
      };
      await this.#host.answer(run, { ...named, value, by, isByProgram: true, trace }, ms);
      return run;
    });
  }

  async #resume(run: string): Promise<ToolResult | InputRequired> {
    const { from, input, now, accept_drift: acceptDrift, wait_seconds: wait } = this.#given;
    return this.#moved(waitMs(wait), async () => {
      await this.#host.resume(run, {
        by: this.#call.caller.by,
        trace: this.#call.trace,
        ...(typeof from === 'string' ? { from } : {}),
        ...(isPlainObject(input) ? { input } : {}),
        ...(typeof now === 'boolean' ? { now } : {}),
        ...(typeof acceptDrift === 'boolean' ? { acceptDrift } : {}),
      });
      return run;
    });
  }

  async #cancel(run: string): Promise<ToolResult> {
    const { reason, wait_seconds: wait } = this.#given;
    const { by } = this.#call.caller;
    await this.#host.cancel(run, { by, ...(typeof reason === 'string' ? { reason } : {}) });
    return ofRun(this.#host, run, async () => {
      await this.#waitWhileRunning(run, waitMs(wait));
      return runResult(await this.#host.read(run));
    });
  }

  #waitWhileRunning(run: string, ms: number): Promise<void> {
    return this.#call.progress.during(run, () =>
      this.#host.waitWhileRunning(run, ms, this.#signal),
    );
  }

  /**
   * Moves a run, unless the call brings the answer to a question that it asked: then it continues
   * that run.
   */
  async #moved(wait: number, move: () => Promise<string>): Promise<ToolResult | InputRequired> {
    const { caller, name, era, context, trace } = this.#call;
    const asking = new Asking(this.#host, {
      caller,
      era,
      context,
      signal: this.#signal,
      identity: { by: caller.by, tool: name, arguments: this.#given },
      waitWhileRunning: (run) => this.#waitWhileRunning(run, wait),
      waitMs: wait,
      trace,
    });
    return asking.isAnswered ? asking.continued() : asking.follow(await move());
  }
}

/** The argument for the wait, unless an input of the workflow has its name. */
function waitOf(tool: CallableTool): string | undefined {
  if (!('own' in tool)) return 'wait_seconds';
  return tool.own.includes(WAIT) ? WAIT : undefined;
}

/** The schema has checked the value. */
function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function isRunValue(path: string): path is keyof typeof RUN_VALUES {
  return Object.hasOwn(RUN_VALUES, path);
}

/**
 * The schema of the arguments that are no inputs: the start of a run checks the inputs, with the
 * same messages on every surface.
 */
function ownSchema({ properties }: JsonObject, own: readonly string[]): JsonObject {
  const all = isPlainObject(properties) ? properties : {};
  const entries = own.map((name) => [name, all[name] ?? {}] as const);
  return { type: 'object', properties: Object.fromEntries(entries) };
}

/** The workflow that an argument names, and its inputs. The schema has checked both. */
function namedIn({ workflow, input = {} }: JsonObject): {
  readonly workflow: string;
  readonly input: JsonObject;
} {
  return { workflow: textOf(workflow), input: isJsonObject(input) ? input : {} };
}

/** Lists may also be written with commas, as in HTTP queries. */
function withLists(given: JsonObject): JsonObject {
  const isList = (name: string, value: JsonValue): value is string =>
    (name === 'attention' || name === 'status') && typeof value === 'string';
  const entries = Object.entries(given).map(([name, value]): [string, JsonValue] => [
    name,
    isList(name, value) ? value.split(',').map((word) => word.trim()) : value,
  ]);
  return Object.fromEntries(entries);
}

function queryOf({ attention, status, workflow, limit }: JsonObject): ListQuery {
  // the schema has checked them
  return {
    ...(attention === undefined ? {} : { attention }),
    ...(status === undefined ? {} : { status }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(limit === undefined ? {} : { limit }),
  } as ListQuery;
}
