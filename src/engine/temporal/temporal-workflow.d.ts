/**
 * `@temporalio/workflow` as far as Errand uses it, written down here because the package is not there
 * when Errand is built. `test/temporal/sdk-types.ts` holds it to the real one.
 */
declare module '@temporalio/workflow' {
  export class CancellationScope {
    constructor();
    static current(): CancellationScope;
    static nonCancellable<T>(run: () => Promise<T>): Promise<T>;
    run<T>(run: () => Promise<T>): Promise<T>;
    cancel(): void;
    /** Rejects when the scope is cancelled. */
    readonly cancelRequested: Promise<never>;
  }

  export class ApplicationFailure extends Error {
    static create(options: {
      message?: string;
      type?: string;
      nonRetryable?: boolean;
      details?: unknown[];
      nextRetryDelay?: number;
    }): ApplicationFailure;
  }

  export class CancelledFailure extends Error {
    constructor(message: string | undefined, details?: unknown[]);
  }

  export class ContinueAsNew extends Error {}

  export interface ActivityOptions {
    readonly startToCloseTimeout?: number;
    readonly heartbeatTimeout?: number;
    readonly retry?: { readonly maximumAttempts?: number };
    readonly cancellationType?: 'WAIT_CANCELLATION_COMPLETED';
    readonly summary?: string;
  }

  export function proxyActivities<Activities>(options: ActivityOptions): Activities;
  export function proxyLocalActivities<Activities>(options: {
    readonly startToCloseTimeout: number;
    readonly retry: { readonly maximumAttempts: number };
  }): Activities;
  export function proxySinks<Sinks>(): Sinks;

  export interface WorkflowInfo {
    readonly runId: string;
    readonly historyLength: number;
    readonly historySize: number;
    readonly continueAsNewSuggested: boolean;
    readonly memo?: Record<string, unknown>;
    readonly searchAttributes: Record<string, unknown>;
    readonly unsafe: { readonly isReplaying: boolean };
  }

  export function workflowInfo(): WorkflowInfo;
  export function sleep(ms: number): Promise<void>;
  /** False for the rest of an execution whose recorded past decided without it. */
  export function patched(id: string): boolean;
  export function condition(isTrue: () => boolean): Promise<void>;
  export function condition(isTrue: () => boolean, timeout: number): Promise<boolean>;
  export function makeContinueAsNewFunc<Args extends unknown[]>(options?: {
    memo?: Record<string, unknown>;
    searchAttributes?: Record<string, unknown>;
  }): (...args: Args) => Promise<never>;
  export function upsertMemo(memo: Record<string, unknown>): void;
  export function upsertSearchAttributes(attributes: Record<string, readonly string[]>): void;

  export interface UpdateDefinition<Ret, Args extends unknown[]> {
    readonly type: 'update';
    readonly name: string;
    readonly ret?: Ret;
    readonly args?: Args;
  }

  export interface QueryDefinition<Ret, Args extends unknown[]> {
    readonly type: 'query';
    readonly name: string;
    readonly ret?: Ret;
    readonly args?: Args;
  }

  export interface SignalDefinition<Args extends unknown[]> {
    readonly type: 'signal';
    readonly name: string;
    readonly args?: Args;
  }

  export function defineSignal<Args extends unknown[]>(name: string): SignalDefinition<Args>;
  export function defineUpdate<Ret, Args extends unknown[]>(
    name: string,
  ): UpdateDefinition<Ret, Args>;
  export function defineQuery<Ret, Args extends unknown[]>(
    name: string,
  ): QueryDefinition<Ret, Args>;
  export function setHandler<Args extends unknown[]>(
    definition: SignalDefinition<Args>,
    handler: (...args: Args) => void,
  ): void;
  export function setHandler<Ret, Args extends unknown[]>(
    definition: QueryDefinition<Ret, Args>,
    handler: (...args: Args) => Ret,
  ): void;
  export function setHandler<Ret, Args extends unknown[]>(
    definition: UpdateDefinition<Ret, Args>,
    handler: (...args: Args) => Ret,
    options: { readonly validator?: (...args: Args) => void },
  ): void;
}
