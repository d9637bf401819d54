/**
 * Bundles the workflow into one file, which Temporal's sandbox loads. The SDK's bundler takes seconds, so an
 * installed package bundles once and keeps the file beside the packages that it was made from: a person who can
 * change the file can change those too. Its name contains a hash of all its sources.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  loadWorkerModule,
  quietLogger,
  sdkPackage,
  workflowPackages,
  type Logger,
  type WebpackRule,
  type WorkerModule,
  type WorkflowBundle,
} from './temporal-sdk.ts';

/** The sources in a checkout, the built file in an installed package. */
const SOURCE = fileURLToPath(new URL('run-workflow.ts', import.meta.url));
const BUILT = fileURLToPath(new URL('run-workflow.js', import.meta.url));

export interface BundleOptions {
  /** Where Temporal's packages are searched for first. */
  readonly directory: string;
  /** Keeps the bundle in this file instead. */
  readonly file?: string | undefined;
  readonly sdk?: WorkerModule;
  readonly logger?: Logger;
}

/** Reads the bundle that was kept, or makes and keeps one. */
export async function workflowBundle(options: BundleOptions): Promise<WorkflowBundle> {
  const { directory, file } = options;
  if (file !== undefined && existsSync(file)) return { code: readFileSync(file, 'utf8') };
  const kept = file === undefined ? keptFile(directory) : undefined;
  const code = kept === undefined ? undefined : readKept(kept);
  if (code !== undefined) return { code };
  const bundle = await bundleWorkflow(options);
  if (file !== undefined) writeFileSync(file, bundle.code);
  if (kept !== undefined) keep(kept, bundle.code);
  return bundle;
}

export function bundleWorkflow({
  directory,
  sdk = loadWorkerModule(directory),
  logger = quietLogger(),
}: BundleOptions): Promise<WorkflowBundle> {
  const packages = workflowPackages(directory);
  return sdk.bundleWorkflowCode({
    workflowsPath: existsSync(SOURCE) ? SOURCE : BUILT,
    logger,
    webpackConfigHook: (config) => ({
      ...config,
      module: { ...config.module, rules: (config.module?.rules ?? []).map(modern) },
      resolve: {
        ...config.resolve,
        modules: [...(config.resolve?.modules ?? ['node_modules']), packages],
      },
    }),
  });
}

/** Sources are taken as Node runs them, not rewritten for engines of ten years ago. */
function modern(rule: WebpackRule): WebpackRule {
  const { jsc } = rule.use?.options ?? {};
  if (jsc === undefined) return rule;
  const options = { ...rule.use?.options, jsc: { ...jsc, target: 'es2022' } };
  return { ...rule, use: { ...rule.use, options } };
}

const PREFIX = 'workflow-';

/** Undefined in a checkout, whose many sources change. */
function keptFile(directory: string): string | undefined {
  if (existsSync(SOURCE)) return undefined;
  const workflow = sdkPackage('workflow', directory);
  const common = dirname(
    createRequire(join(workflow, 'package.json')).resolve('@temporalio/common/package.json'),
  );
  const hash = createHash('sha256').update(readFileSync(BUILT));
  // the SDK's own files too: some people patch their packages
  for (const folder of [workflow, common, sdkPackage('worker', directory)])
    for (const file of filesOf(folder))
      hash.update(`${file}\n`).update(readFileSync(join(folder, file)));
  const name = `${PREFIX}${hash.digest('hex').slice(0, 32)}.js`;
  return join(workflowPackages(directory), '.cache', 'errand', name);
}

function filesOf(folder: string): readonly string[] {
  const made = readdirSync(join(folder, 'lib'), { recursive: true, encoding: 'utf8' });
  const code = made.filter((file) => file.endsWith('.js')).map((file) => join('lib', file));
  return ['package.json', ...code.toSorted()];
}

/** Undefined for a file that is missing or damaged: a machine may have lost its power while writing. */
export function readKept(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // not made yet, removed by a worker of another version, or not readable: the caller makes it
    return undefined;
  }
  const end = text.lastIndexOf('\n');
  const code = text.slice(0, end);
  return text.slice(end + 1) === seal(code) ? code : undefined;
}

/**
 * Keeps the bundle, in place of a damaged one and of those of other versions. Does nothing where the folder of the
 * packages is read-only, as in many images.
 */
export function keep(file: string, code: string): void {
  const folder = dirname(file);
  const written = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    const isKept = readKept(file) !== undefined;
    for (const name of readdirSync(folder))
      if (name.startsWith(PREFIX) && !(isKept && name === basename(file)))
        rmSync(join(folder, name), { force: true });
    writeFileSync(written, `${code}\n${seal(code)}`);
    try {
      // of two workers that make it at once, the first keeps it
      linkSync(written, file);
    } finally {
      rmSync(written);
    }
  } catch {
    // this worker has its bundle; the next one finds it or makes it
  }
}

function seal(code: string): string {
  return `// ${createHash('sha256').update(code).digest('hex')}`;
}
