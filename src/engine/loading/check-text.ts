/**
 * Checks a text in the place of a workflow file. The text may come from a stranger, so nothing is loaded
 * or read for it that the file on disk does not name already: no module, no extension, no other file, and
 * no value of a variable. No server is started for it.
 */
import { loadWorkflow } from '../../workflow/yaml/load-workflow.ts';
import type { Environment, FilePort } from '../../workflow/yaml/file-port.ts';
import { extensionModules, type WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { Validation } from '../../workflow/check/validate-workflow.ts';
import { checkFile, type CheckFileOptions, type Workspace } from './check-file.ts';
import { nodeFiles } from './node-files.ts';
import { providersOf } from './chosen-providers.ts';

/** The value for a variable that is set here but not named by the file on disk. */
const UNREAD = 'unread';

export async function checkText(
  file: string,
  text: string,
  workspace: Workspace,
  options: CheckFileOptions,
): Promise<Validation> {
  const { base, env } = workspace;
  const providers = await providersOf(workspace);
  const disk = new ReadFiles(nodeFiles(base));
  const present = loadWorkflow(file, disk, env, providers);
  const named = new Set(present.ok ? codeOf(present.plan) : []);
  const name = disk.resolve('', file);
  const files = limitedTo(disk, name, text);
  const environment = limitedEnvironment(env, disk.texts());
  const asked = loadWorkflow(file, files, environment, providers);
  const isKnownCode = asked.ok && codeOf(asked.plan).every((each) => named.has(each));
  return checkFile(
    file,
    { base, env: environment, providers },
    { ...options, files, ...(isKnownCode ? {} : { modules: 'not loaded' }) },
  );
}

/** Remembers what was read. */
class ReadFiles implements FilePort {
  readonly read: FilePort['read'];
  readonly resolve: FilePort['resolve'];
  readonly #texts = new Map<string, string>();

  constructor(files: FilePort) {
    this.resolve = files.resolve;
    this.read = (path) => {
      const content = files.read(path);
      if (content.ok) this.#texts.set(path, content.text);
      return content;
    };
  }

  has(path: string): boolean {
    return this.#texts.has(path);
  }

  texts(): readonly string[] {
    return [...this.#texts.values()];
  }
}

function limitedTo(disk: ReadFiles, name: string, text: string): FilePort {
  return {
    resolve: disk.resolve,
    read: (path) => {
      if (path === name) return { ok: true, text };
      if (disk.has(path)) return disk.read(path);
      return { ok: false, reason: 'the file on disk does not name it, so it is not read' };
    },
  };
}

function limitedEnvironment(env: Environment, texts: readonly string[]): Environment {
  const named = new Set(
    texts.flatMap((text) => Array.from(text.matchAll(/\$\{(\w+)/g), ([, name = '']) => name)),
  );
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      named.has(name) || value === undefined ? value : UNREAD,
    ]),
  );
}

/** The modules and extensions of a workflow and of all that it calls. */
function codeOf(plan: WorkflowPlan): readonly string[] {
  const all = [plan, ...Object.values(plan.children)];
  return [
    ...all.flatMap(({ module }) => (module === undefined ? [] : [module])),
    ...extensionModules(plan),
  ];
}
