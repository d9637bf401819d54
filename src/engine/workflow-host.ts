/**
 * The workflows of one Errand as they can run here: loads and checks them, and makes for each the runner
 * of its effects and its MCP servers. What was made is closed with the host, or earlier by `release`.
 */
import { dirname, join, resolve } from 'node:path';
import type { McpServers } from '../effects/mcp/mcp-servers.ts';
import type { Callables } from '../effects/module/find-callable.ts';
import { addHostFolder } from '../errors/redaction/host-folders.ts';
import type { Validation } from '../workflow/check/validate-workflow.ts';
import type { WorkflowVerdict } from '../workflow/check/validation-json.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { ErrandOptions, RunnableWorkflow } from './errand-options.ts';
import type { Workspace } from './loading/check-file.ts';
import { checkedFile } from './loading/checked-input.ts';
import type { Extensions } from './loading/extensions.ts';
import {
  loadWorkflowFile,
  reloadWorkflow,
  serversFor,
  type LoadedWorkflow,
} from './loading/load-file.ts';
import { createEffectRunner, type EffectRunner } from './run/effect-runner.ts';
import { withStandIn } from './loading/chosen-providers.ts';
import { WorkflowValidator, type InspectOptions } from './validate-workflows.ts';

export interface WorkflowHostOptions extends ErrandOptions {
  /** Functions that run here and that no file may name. */
  readonly builtins?: Callables;
}

export class WorkflowHost {
  readonly #place: Workspace;
  readonly #extensions: Extensions;
  readonly #options: WorkflowHostOptions;
  readonly #validator: WorkflowValidator;
  readonly #runners = new Map<object, EffectRunner>();
  /** The MCP servers of each workflow that was loaded, run or not. */
  readonly #servers = new Map<object, McpServers>();

  constructor(directory: string, extensions: Extensions, options: WorkflowHostOptions) {
    addHostFolder(directory);
    this.#place = { base: directory, env: options.env ?? process.env };
    this.#extensions = extensions;
    this.#options = options;
    this.#validator = new WorkflowValidator({
      place: this.#place,
      host: options,
      extensions,
      serversOf: (workflow) => this.#serversOf(workflow),
    });
  }

  async load(file: string): Promise<LoadedWorkflow> {
    addHostFolder(dirname(resolve(this.#place.base, checkedFile(file))));
    return this.#held(await loadWorkflowFile(file, this.#place, this.#validator.registered));
  }

  /**
   * The workflow of a run as its file is now; undefined when the file is gone. `standIn`: the provider that
   * the run was started with, unless this Errand was opened with another.
   */
  async reload(file: string | null, standIn?: string): Promise<LoadedWorkflow | undefined> {
    const place = await withStandIn(this.#place, standIn);
    const loaded = await reloadWorkflow(file, place, this.#validator.registered);
    return loaded === undefined ? undefined : this.#held(loaded);
  }

  validate(workflow: RunnableWorkflow | string): Promise<WorkflowVerdict> {
    return this.#validator.on(workflow);
  }

  inspect(file: string, options?: InspectOptions): Promise<Validation> {
    return this.#validator.inspect(file, options);
  }

  planOf(workflow: RunnableWorkflow, how: { readonly isReload?: boolean }): Promise<WorkflowPlan> {
    return this.#validator.planOf(workflow, how);
  }

  /** A workflow's functions are its own, and its scripts run beside its file. */
  runnerOf(workflow: Partial<RunnableWorkflow>): EffectRunner {
    const known = this.#runners.get(workflow) ?? this.#newRunner(workflow);
    this.#runners.set(workflow, known);
    return known;
  }

  /** Forgets the workflow only when it is closed, so that `close` waits for it. */
  async release(workflow: LoadedWorkflow): Promise<void> {
    await this.#runners.get(workflow)?.close();
    await workflow.servers?.close();
    this.#runners.delete(workflow);
    this.#servers.delete(workflow);
  }

  async close(): Promise<void> {
    for (const runner of this.#runners.values()) await runner.close();
    for (const servers of this.#servers.values()) await servers.close();
  }

  #held(loaded: LoadedWorkflow): LoadedWorkflow {
    this.#servers.set(loaded, this.#serversOf(loaded));
    return loaded;
  }

  /** The servers that listed their tools when the workflow was loaded are the ones that are called. */
  #serversOf(workflow: Partial<LoadedWorkflow>): McpServers {
    const place = this.#place;
    const known =
      workflow.servers ??
      this.#servers.get(workflow) ??
      serversFor(workflow.file ?? join(place.base, 'code'), place);
    this.#servers.set(workflow, known);
    return known;
  }

  #newRunner(workflow: Partial<RunnableWorkflow>): EffectRunner {
    const { file, functions } = workflow;
    const { builtins, tools, models, providers, credentials, guard } = this.#options;
    const { base, env } = this.#place;
    return createEffectRunner({
      extensions: this.#extensions,
      servers: this.#serversOf(workflow),
      ...(guard === undefined ? {} : { guards: [{ name: 'the host', check: guard }] }),
      ...(credentials === undefined ? {} : { credentials }),
      ...(models === undefined ? {} : { models }),
      ...(providers === undefined ? {} : { providers }),
      env,
      directory: file === undefined ? base : dirname(file),
      base,
      // a node passes JSON; that the function takes it is for the author to say
      functions: {
        ...builtins,
        ...this.#options.functions,
        ...(functions as Callables | undefined),
      },
      ...(tools === undefined ? {} : { tools }),
    });
  }
}
