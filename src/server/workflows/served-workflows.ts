/**
 * The workflows of a server by name, each as its file is at the moment. A verdict is kept until the
 * file, or a file that it reads, has changed.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Engine } from '../../engine/errand.ts';
import type { RunnableWorkflow } from '../../engine/errand-options.ts';
import { nodeFiles } from '../../engine/loading/node-files.ts';
import { createRedactor, type Redactor } from '../../errors/redaction/redact.ts';
import { withoutValues } from '../../errors/report/without-values.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { suggest } from '../../errors/support/suggest.ts';
import {
  fileVerdict,
  type FileVerdict,
  type WorkflowVerdict,
} from '../../workflow/check/validation-json.ts';
import type { Validation } from '../../workflow/check/validate-workflow.ts';
import { extensionModules, type WorkflowPlan } from '../../workflow/plan/plan.ts';
import { etagOf } from './etag.ts';
import { stampOf, type WorkflowFile, type WorkflowFiles } from './workflow-files.ts';

export interface ServedWorkflow extends WorkflowFile {
  readonly verdict: WorkflowVerdict;
  /** Absent where it cannot run. */
  readonly plan?: WorkflowPlan;
  readonly secrets: readonly string[];
  /** Knows the secrets of the file. Every part of the plan passes `shownOf` before it is shown. */
  readonly redactor: Redactor;
  /** As it is on disk; empty where it cannot be read. */
  readonly text: string;
  /** Changes with the text. */
  readonly etag: string;
}

interface Kept {
  readonly stamps: readonly (readonly [path: string, stamp: string | undefined])[];
  readonly validation: Validation;
  readonly verdict: WorkflowVerdict;
  readonly redactor: Redactor;
}

export interface ServedWorkflowsOptions {
  readonly files: WorkflowFiles;
  readonly base: string;
  readonly engine: () => Promise<Engine>;
}

export class ServedWorkflows {
  readonly #options: ServedWorkflowsOptions;
  readonly #kept = new Map<string, Promise<Kept>>();

  constructor(options: ServedWorkflowsOptions) {
    this.#options = options;
  }

  /** The names of all that can be asked for. */
  names(): readonly string[] {
    return [...new Set(this.#options.files.all().map(({ name }) => name))];
  }

  /** The path of the file that is served under this name; undefined for none, and for two. */
  pathOf(name: string): string | undefined {
    const [first, ...more] = this.#options.files.all().filter((each) => each.name === name);
    return more.length === 0 ? first?.path : undefined;
  }

  /** Those that runs are started of by the clock. */
  async scheduled(): Promise<readonly RunnableWorkflow[]> {
    const all = await this.all();
    return all.flatMap(({ plan, path, secrets }) =>
      plan?.schedule === undefined ? [] : [{ plan, file: path, secrets }],
    );
  }

  async all(): Promise<readonly ServedWorkflow[]> {
    const files = this.#options.files.all();
    const counts = Map.groupBy(files, ({ name }) => name);
    const served: ServedWorkflow[] = [];
    for (const file of files)
      served.push(await this.#served(file, (counts.get(file.name)?.length ?? 0) > 1));
    return served;
  }

  /** Rejects with `workflow.not_found`. */
  async get(name: string): Promise<ServedWorkflow> {
    const files = this.#options.files.all();
    const fitting = files.filter((each) => each.name === name);
    const [first] = fitting;
    if (first === undefined) throw notFound(name, this.names());
    return this.#served(first, fitting.length > 1);
  }

  /** Undefined where no file has the name. */
  async find(name: string): Promise<ServedWorkflow | undefined> {
    return this.#options.files.all().some((each) => each.name === name)
      ? this.get(name)
      : undefined;
  }

  /** Rejects with `workflow.not_found`, and with `validation.workflow` for one that cannot run. */
  async runnable(name: string): Promise<ServedWorkflow & { readonly plan: WorkflowPlan }> {
    const served = await this.get(name);
    const { plan } = served;
    if (plan !== undefined) return { ...served, plan };
    throw invalidWorkflow(served.file, served.verdict);
  }

  /** The verdict on the file, or on a text in its place. Rejects with `workflow.not_found`. */
  async judge(name: string, text?: string): Promise<WorkflowVerdict> {
    const { path, verdict } = await this.get(name);
    if (text === undefined) return verdict;
    return verdictOf(await (await this.#options.engine()).inspect(path, { text }));
  }

  async #served(file: WorkflowFile, isDouble: boolean): Promise<ServedWorkflow> {
    const { validation, verdict, redactor } = await this.#validation(file.path);
    const { plan, secrets } = validation;
    const text = textOf(file.path);
    const shared = { ...file, secrets, redactor, text, etag: etagOf(text) };
    if (isDouble) return { ...shared, verdict: asDouble(verdict, file) };
    return { ...shared, verdict, ...(plan === undefined ? {} : { plan }) };
  }

  async #validation(path: string): Promise<Kept> {
    const known = await this.#kept.get(path);
    if (known?.stamps.every(([file, stamp]) => stampOf(file) === stamp) === true) return known;
    const fresh = this.#inspect(path);
    this.#kept.set(path, fresh);
    try {
      return await fresh;
    } catch (thrown) {
      this.#kept.delete(path);
      throw thrown;
    }
  }

  async #inspect(path: string): Promise<Kept> {
    const { base } = this.#options;
    const engine = await this.#options.engine();
    const disk = nodeFiles(base);
    const stamps = new Map<string, string | undefined>([[path, stampOf(path)]]);
    const validation = await engine.inspect(path, {
      files: {
        resolve: disk.resolve,
        read: (file) => {
          const absolute = resolve(base, file);
          stamps.set(absolute, stampOf(absolute));
          return disk.read(file);
        },
      },
    });
    for (const module of modulesOf(validation.plan)) {
      const absolute = resolve(base, module);
      stamps.set(absolute, stampOf(absolute));
    }
    const redactor = createRedactor(validation.secrets);
    return { stamps: [...stamps], validation, verdict: verdictOf(validation), redactor };
  }
}

/** Without the secrets of the file that was judged. */
export function verdictOf({ isValid, files, secrets }: Validation): WorkflowVerdict {
  return shownOf({ isValid, files: files.map(fileVerdict) }, createRedactor(secrets));
}

/** A part of a plan as a client may see it: variables are filled in there, and some are secrets. */
export function shownOf<T extends object>(part: T, redactor: Redactor): T {
  return withoutValues(part, redactor, { keys: 'as they are' });
}

/** The problem document of a workflow that cannot run lists what is wrong with it. */
export function invalidWorkflow(file: string, { files }: WorkflowVerdict): ErrandError {
  const all = files.flatMap(({ file: of, diagnostics }) =>
    diagnostics.map((diagnostic) => ({ file: of, ...diagnostic })),
  );
  const first = all.find(({ severity }) => severity === 'error');
  return new ErrandError({
    kind: 'validation.workflow',
    message: `${file} is not valid${first === undefined ? '' : `: ${first.message}`}`,
    // diagnostics are plain JSON
    details: { diagnostics: all as unknown as JsonObject[] },
  });
}

function modulesOf(plan: WorkflowPlan | undefined): readonly string[] {
  if (plan === undefined) return [];
  const all = [plan, ...Object.values(plan.children)];
  return [...all.flatMap(({ module }) => module ?? []), ...extensionModules(plan)];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // the verdict says why it cannot be read
    return '';
  }
}

function asDouble({ files }: WorkflowVerdict, { name, file }: WorkflowFile): WorkflowVerdict {
  const problem: FileVerdict['diagnostics'][number] = {
    severity: 'error',
    kind: 'validation.workflow',
    code: 'duplicate-name',
    message: `Another file that is served has the name ${name} too, so neither runs`,
    pointer: '/workflow/name',
    line: 1,
    column: 1,
    suggestion: 'Give each workflow a name of its own',
  };
  const [own, ...others] = files;
  const first: FileVerdict = own ?? { file, diagnostics: [], nodes: {}, worstCase: null };
  return {
    isValid: false,
    files: [{ ...first, diagnostics: [...first.diagnostics, problem] }, ...others],
  };
}

function notFound(name: string, known: readonly string[]): ErrandError {
  const meant = suggest(name, known);
  return new ErrandError({
    kind: 'workflow.not_found',
    message: `The server has no workflow ${name.slice(0, 80)}`,
    ...(meant === undefined
      ? {}
      : { action: { kind: 'change_input', detail: `Did you mean ${meant}?` } }),
  });
}
