/** The workflow that a server runs, for a name or for a file of this machine that has its name. */
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Engine, LoadedWorkflow } from '../../engine/errand.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { workflowNameIn } from '../../workflow/yaml/workflow-name.ts';
import { etagOf } from '../../server/workflows/etag.ts';
import { refusal } from '../exit.ts';

/** `note` gets what a person should know about the file. */
export async function servedWorkflow(
  engine: Engine,
  file: string,
  note: (text: string) => void,
): Promise<LoadedWorkflow> {
  const text = textOf(file);
  const name = text === undefined ? bareName(file) : nameIn(text, file);
  const served = await engine.served(name);
  if (served === undefined) throw refusal('No server is named', 'Give --server URL.');
  if (text !== undefined && etagOf(text) !== served.etag)
    note(`${file} differs from the workflow ${name} that the server runs; the server's is used.`);
  const { plan } = served;
  return { plan, file: plan.file, secrets: [], warnings: [] };
}

/** Undefined where the server no longer has the workflow. */
export async function servedNow(engine: Engine, name: string): Promise<LoadedWorkflow | undefined> {
  try {
    const served = await engine.served(name);
    if (served === undefined) return undefined;
    return { plan: served.plan, file: served.plan.file, secrets: [], warnings: [] };
  } catch (thrown) {
    // the server refuses the resume itself, and says why
    if (isKind(thrown, 'workflow.not_found') || isKind(thrown, 'validation.*')) return undefined;
    throw thrown;
  }
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function bareName(word: string): string {
  if (!['.yaml', '.yml'].includes(extname(word)) && !/[\\/]/.test(word)) return word;
  throw refusal(
    `Cannot read ${word}`,
    'Give a workflow file that exists, or the name of a workflow that the server has.',
  );
}

function nameIn(text: string, file: string): string {
  const { name } = workflowNameIn(text);
  if (name !== undefined) return name;
  throw refusal(
    `${file} has no \`workflow.name\`, by which a server knows a workflow`,
    'Give a workflow file, or the name of a workflow that the server has.',
  );
}
