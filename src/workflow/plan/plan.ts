/**
 * The plan: a workflow file with nothing left to guess. Durations in milliseconds, money in
 * micro-dollars, defaults filled in, every route one move. JSON all through, so that it can be
 * stored, hashed and sent; templates are still text.
 */
import type { Ruled } from './simulated-entry.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { ModelEntry, NodePlan, ReasoningEffort } from './node-plan.ts';
import type { PlanLocation, Route, TemplateText } from './route-plan.ts';
import type { ToolDescriptions } from '../authoring/tool-description.ts';

export const PLAN_VERSION = 1;

/** Prefix of `file` for a plan that was made in code. */
export const IN_CODE = 'code:';

export const FIELD_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export const CONTEXT_MODES = ['accumulate', 'last_only', 'explicit'] as const;
export type ContextMode = (typeof CONTEXT_MODES)[number];

export const BUDGET_MODES = ['enforce', 'ask', 'audit'] as const;
export type BudgetMode = (typeof BUDGET_MODES)[number];

export const MERGES = ['replace', 'append', 'union', 'sum'] as const;
export type Merge = (typeof MERGES)[number];

export const OVERLAPS = ['skip', 'queue'] as const;

export const DEFAULT_TIMEZONE = 'UTC';

/** One time table by which servers start runs. */
export interface SchedulePlan {
  /** Five fields. */
  readonly cron: string;
  readonly timezone: string;
  readonly input: JsonObject;
  /** Decides about a time while the run before is not over. */
  readonly overlap: (typeof OVERLAPS)[number];
}

export interface InputField {
  readonly type: FieldType;
  /** False also where there is a default. */
  readonly required: boolean;
  readonly default?: JsonValue;
  readonly description?: string;
  /** JSON Schema of the whole value. */
  readonly schema: JsonObject;
}

export interface StateField {
  readonly type: FieldType;
  /** The initial value: the file's, else the empty value of the type. */
  readonly default: JsonValue;
  readonly merge: Merge;
  readonly description?: string;
}

export interface Limits {
  readonly maxIterations: number;
  /** Whether the file sets the limit itself: a loop that only the default bounds gets a warning. */
  readonly isDefaultMaxIterations: boolean;
  readonly timeoutMs?: number;
  readonly budgetUsdMicros?: number;
  readonly budgetTokens?: number;
  readonly budgetMode: BudgetMode;
  /** Models without a price may be called under a budget in dollars, which then ignores them. */
  readonly unpriced?: 'allow';
  readonly maxRetries?: number;
}

/** Secrets stay as written: the effect that connects reads `${VAR}`. */
export interface ProviderSettings {
  readonly name: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** A program and its arguments; it prints the key. */
  readonly apiKeyCommand?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Absent fields have their usual behaviour. */
export interface ModelTimeouts {
  readonly firstTokenMs?: number;
  readonly idleMs?: number;
  readonly totalMs?: number;
}

export interface ToolSettings {
  readonly writes?: boolean;
  readonly idempotent?: boolean;
  readonly timeoutMs?: number;
}

export interface McpServer {
  readonly type: 'stdio' | 'http' | 'sse';
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where its process runs, from the folder of the file. Default: that folder. */
  readonly workingDir?: string;
  readonly timeoutMs?: number;
  /** The tools of the server that exist for this workflow; null: all. */
  readonly tools: readonly string[] | null;
  readonly toolSettings: Readonly<Record<string, ToolSettings>>;
}

/** Name of the built-in fetch tool. */
export const FETCH_TOOL = 'http_fetch';

export const FETCH_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type FetchMethod = (typeof FETCH_METHODS)[number];

/** Options of the built-in tool `http_fetch`; without them, there is no such tool. */
export interface FetchOptions {
  /** Hosts that may be called: `api.example.com`, `*.example.com`, `http://host:port`. Default protocol: HTTPS. */
  readonly allow: readonly string[];
  /** The ones of `allow` that may be on this machine or its network. Default: none. */
  readonly allowPrivate?: readonly string[];
  /** Default: `GET` alone. */
  readonly methods?: readonly FetchMethod[];
  /** Limit of one call, redirects included. Default: 30 s. */
  readonly timeoutMs?: number;
  /** Limit of a body; a longer one is a failure, unless the node has `on_truncated: keep`. Default: 1 MiB. */
  readonly maxBytes?: number;
}

export interface SimulatedUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

export type SimulatedFailure =
  | { readonly kind: string; readonly message?: string; readonly retryAfterMs?: number }
  | {
      readonly status: number;
      readonly provider?: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: JsonValue;
    };

export type SimulatedAnswer = Ruled & {
  readonly delayMs: number;
  readonly usage?: SimulatedUsage;
  /** The request is processed, and the connection breaks before any of the reply arrives. */
  readonly isLost?: true;
} & (
    | { readonly type: 'hang' }
    | { readonly type: 'fail'; readonly fail: SimulatedFailure }
    | { readonly type: 'stream'; readonly chunks: readonly string[]; readonly isCut: boolean }
    | {
        readonly type: 'tool_calls';
        readonly calls: readonly { readonly name: string; readonly arguments: JsonObject }[];
      }
    | { readonly type: 'answer'; readonly answer: JsonValue }
  );

export interface Price {
  readonly inputUsdMicrosPerMtok: number;
  readonly outputUsdMicrosPerMtok: number;
  readonly cacheReadUsdMicrosPerMtok?: number;
  readonly cacheWriteUsdMicrosPerMtok?: number;
}

export interface Runtime {
  readonly provider?: ProviderSettings;
  readonly defaultModel?: readonly ModelEntry[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** For nodes that do not set it. */
  readonly reasoning?: ReasoningEffort;
  readonly modelTimeouts?: ModelTimeouts;
  /** How much of a tool result a model reads at once. Default: all. */
  readonly toolOutput?: { readonly maxChars: number };
  /** Where its MCP servers and scripts run, from the folder of the file. */
  readonly workingDir?: string;
  readonly mcpServers: Readonly<Record<string, McpServer>>;
  readonly httpFetch?: FetchOptions;
  readonly simulate: Readonly<Record<string, readonly SimulatedAnswer[]>>;
  readonly simulatePrice: Price;
}

/** One file. */
export interface FilePlan {
  readonly v: typeof PLAN_VERSION;
  readonly name: string;
  /** As passed to the loader, or as resolved from the calling file. */
  readonly file: string;
  readonly entryPoint: string;
  readonly description?: string;
  readonly version?: string;
  readonly metadata?: JsonObject;
  /** Precede every prompt. */
  readonly instructions: readonly TemplateText[];
  /** Path of the module, resolved from the file. */
  readonly module?: string;
  /** Paths of modules that export extensions, resolved from the file. */
  readonly extensions?: readonly string[];
  readonly input: Readonly<Record<string, InputField>>;
  /** Absent where there is none. */
  readonly schedule?: readonly SchedulePlan[];
  readonly contextMode: ContextMode;
  readonly limits: Limits;
  /** Absent if the file sets none: a child then uses its caller's. */
  readonly runtime?: Runtime;
  /** Prices that add to or override Errand's own. */
  readonly prices: Readonly<Record<string, Price>>;
  readonly state: Readonly<Record<string, StateField>>;
  /** Present where the file chooses the default explicitly. */
  readonly onUnhandled?: 'fail' | 'propagate';
  /** Matched after a node's own routes; every route has `onError`. */
  readonly onError: readonly Route[];
  /** Nodes, then parallel groups, then for_each groups, each in file order; names are unique. */
  readonly nodes: readonly NodePlan[];
  readonly output?: JsonObject;
  /** Where each field of the output is written. */
  readonly outputAt?: Readonly<Record<string, PlanLocation>>;
  readonly location: PlanLocation;
  /** Changes with anything in the file that a finished run could depend on. */
  readonly fingerprint: string;
}

/** A workflow with every workflow it can reach, by file. */
export interface WorkflowPlan extends FilePlan {
  readonly children: Readonly<Record<string, FilePlan>>;
  /**
   * Tools and functions that nodes and agents may call, by file as in `children`; those of this
   * file are under ``.
   */
  readonly tools?: Readonly<Record<string, ToolDescriptions>>;
  /** The provider that `--provider` named for this run, so that a resume uses it too. */
  readonly standIn?: string;
  /** The variables whose values are secrets of these files. */
  readonly secretVariables?: readonly string[];
  /** JSON Pointers to the secrets that a stored plan omits. */
  readonly withheld?: readonly string[];
}

/** The extension modules that a run needs, whichever of its files names them. */
export function extensionModules(plan: WorkflowPlan): readonly string[] {
  const named = [plan, ...Object.values(plan.children)].flatMap(
    ({ extensions = [] }) => extensions,
  );
  return [...new Set(named)];
}
