/** What can be proved of the workflows of one Errand, with what its host registers. */
import { relative, resolve } from 'node:path';
import type { McpServers } from '../effects/mcp/mcp.ts';
import type { Callables } from '../effects/module/find-callable.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import type { Validation } from '../workflow/validate.ts';
import type { WorkflowVerdict } from '../workflow/verdict.ts';
import type { CheckFileOptions, Place } from './check-file.ts';
import type { Extensions } from './extensions.ts';
import { givenWorkflow } from './given.ts';
import { providersOf } from './providers-of.ts';

export interface Checkable {
  readonly plan: WorkflowPlan;
  readonly file?: string;
  readonly functions?: Readonly<Record<string, (input: never, context: never) => unknown>>;
}

export interface VerdictsHost {
  readonly functions?: Callables;
  readonly tools?: Callables;
  readonly models?: object;
  readonly providers?: object;
}

export interface VerdictsParts {
  readonly place: Place;
  readonly host: VerdictsHost;
  readonly extensions: Extensions;
  /** Those that are asked what they have are the ones that are called. */
  readonly serversOf: (workflow: Checkable) => McpServers;
}

export class Verdicts {
  readonly #parts: VerdictsParts;
  readonly #known = new WeakMap<WorkflowPlan, Promise<Validation>>();

  constructor(parts: VerdictsParts) {
    this.#parts = parts;
  }

  /** What a file is checked with. */
  get registered(): CheckFileOptions {
    const { extensions, host } = this.#parts;
    const { functions, tools, models = {}, providers = {} } = host;
    return {
      extensions,
      providers: [{ models, providers }, extensions.added].flatMap(providersOf),
      ...(functions === undefined ? {} : { functions }),
      ...(tools === undefined ? {} : { tools }),
    };
  }

  /** Of a file by its path, or of a workflow. */
  async on(workflow: Checkable | string): Promise<WorkflowVerdict> {
    const { fileVerdict } = await import('../workflow/verdict.ts');
    const file = typeof workflow === 'string' ? workflow : givenWorkflow(workflow).file;
    const { isValid, files } =
      typeof workflow === 'string' || file !== undefined
        ? await this.#ofFile(file ?? '')
        : await this.#ofCode(workflow, {});
    return { isValid, files: files.map(fileVerdict) };
  }

  /**
   * The plan that can run; rejects with what is wrong. One made in code is checked here as a file is;
   * a file has been when it was loaded. `isReload`: for a run that is there already.
   */
  async planOf(workflow: Checkable, { isReload = false } = {}): Promise<WorkflowPlan> {
    const { plan, file } = givenWorkflow(workflow);
    if (file !== undefined) return plan;
    const known = this.#known.get(plan) ?? this.#ofCode(workflow, { asTop: true });
    this.#known.set(plan, known);
    const { acceptedPlan } = await import('./check-code.ts');
    return acceptedPlan(await known, { isReload });
  }

  async #ofFile(file: string): Promise<Validation> {
    const { place } = this.#parts;
    // the checks are needed only where something is checked
    const { checkFile } = await import('./check-file.ts');
    return checkFile(relative(place.base, resolve(place.base, file)), place, this.registered);
  }

  /** Servers are started only for what is about to run. */
  async #ofCode(workflow: Checkable, { asTop = false }): Promise<Validation> {
    const { place, extensions, host, serversOf } = this.#parts;
    const { added } = extensions;
    const { checkCode } = await import('./check-code.ts');
    return checkCode(workflow.plan, {
      base: place.base,
      registered: {
        ...added.tools,
        ...host.functions,
        // what a node passes is JSON, and what the function says of it is the author's word
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
