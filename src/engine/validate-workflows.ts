/** Validates the workflows of one Errand, with what its host registers. */
import { relative, resolve } from 'node:path';
import type { McpServers } from '../effects/mcp/mcp-servers.ts';
import type { Callables } from '../effects/module/find-callable.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { FilePort } from '../workflow/yaml/file-port.ts';
import type { Validation } from '../workflow/check/validate-workflow.ts';
import type { WorkflowVerdict } from '../workflow/check/validation-json.ts';
import type { ErrandOptions, RunnableWorkflow } from './errand-options.ts';
import type { CheckFileOptions, Workspace } from './loading/check-file.ts';
import type { Extensions } from './loading/extensions.ts';
import { checkedWorkflow } from './loading/checked-input.ts';
import { LazyResource } from './loading/lazy-resource.ts';
import { modelProviders } from './loading/model-providers.ts';

interface ValidatorParts {
  readonly place: Workspace;
  readonly host: ErrandOptions;
  readonly extensions: Extensions;
  /** The servers that are asked for their tools are the ones that are called later. */
  readonly serversOf: (workflow: RunnableWorkflow) => McpServers;
}

export interface InspectOptions {
  /** A text that is judged in the place of the file; nothing is loaded that the file does not name. */
  readonly text?: string;
  /** Reads the files. Default: those on disk. */
  readonly files?: FilePort;
}

export class WorkflowValidator {
  readonly #parts: ValidatorParts;
  readonly #known = new WeakMap<WorkflowPlan, Promise<Validation>>();
  /** Needed only where something in code is checked. */
  readonly #codeChecks = new LazyResource(() => import('./loading/check-code.ts'));

  constructor(parts: ValidatorParts) {
    this.#parts = parts;
  }

  /** The setting in which a file is checked. */
  get registered(): CheckFileOptions {
    const { extensions, host } = this.#parts;
    const { functions, tools, models = {}, providers = {} } = host;
    return {
      extensions,
      providers: [{ models, providers }, extensions.added].flatMap(modelProviders),
      ...(functions === undefined ? {} : { functions }),
      ...(tools === undefined ? {} : { tools }),
    };
  }

  /** Validates a file by its path, or a workflow. */
  async on(workflow: RunnableWorkflow | string): Promise<WorkflowVerdict> {
    const { fileVerdict } = await import('../workflow/check/validation-json.ts');
    const file = typeof workflow === 'string' ? workflow : checkedWorkflow(workflow).file;
    const { isValid, files } =
      typeof workflow === 'string' || file !== undefined
        ? await this.#ofFile(file ?? '')
        : await this.#ofCode(workflow, {});
    return { isValid, files: files.map(fileVerdict) };
  }

  /** Judges a file by its path with everything that is known about it; or a text in its place. */
  async inspect(file: string, options: InspectOptions = {}): Promise<Validation> {
    const { place } = this.#parts;
    const near = relative(place.base, resolve(place.base, file));
    if (options.text !== undefined) {
      const { checkText } = await import('./loading/check-text.ts');
      return checkText(near, options.text, place, this.registered);
    }
    const { checkFile } = await import('./loading/check-file.ts');
    const { files } = options;
    return checkFile(near, place, {
      ...this.registered,
      ...(files === undefined ? {} : { files }),
    });
  }

  /**
   * The plan that can run; rejects with what is wrong. One made in code is checked here as a file is;
   * a file has been when it was loaded. `isReload`: for a run that is there already.
   */
  async planOf(workflow: RunnableWorkflow, { isReload = false } = {}): Promise<WorkflowPlan> {
    const { plan, file } = checkedWorkflow(workflow);
    if (file !== undefined) return plan;
    const known = this.#known.get(plan) ?? this.#ofCode(workflow, { asTop: true });
    this.#known.set(plan, known);
    const { acceptedPlan } = this.#codeChecks.made ?? (await this.#codeChecks.get());
    return acceptedPlan(await known, { isReload });
  }

  async #ofFile(file: string): Promise<Validation> {
    const { place } = this.#parts;
    // the checks are needed only where something is checked
    const { checkFile } = await import('./loading/check-file.ts');
    return checkFile(relative(place.base, resolve(place.base, file)), place, this.registered);
  }

  /** Servers are started only for what is about to run. */
  async #ofCode(workflow: RunnableWorkflow, { asTop = false }): Promise<Validation> {
    const { place, extensions, host, serversOf } = this.#parts;
    const { added } = extensions;
    const { checkCode } = await this.#codeChecks.get();
    return checkCode(workflow.plan, {
      base: place.base,
      registered: {
        ...added.tools,
        ...host.functions,
        // a node passes JSON, and the author's function declares its type
        ...(workflow.functions as Callables | undefined),
        ...host.tools,
      },
      nodes: added.nodes,
      providers: this.registered.providers ?? [],
      asTop,
      ...(asTop ? { discover: { servers: serversOf(workflow) } } : {}),
    });
  }
}
