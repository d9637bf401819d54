/** The place of a run: a folder of its own with the workflow, the store and the world. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFiles } from '../../src/engine/loading/node-files.ts';
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import { completeInput } from '../../src/workflow/plan/inputs.ts';
import { validateWorkflow } from '../../src/workflow/check/validate-workflow.ts';
import type { Job } from './one-leg.ts';
import type { Subject } from './subjects.ts';
import { DEED } from './world.ts';

/** A workflow that can run any number of times. */
export interface Prepared {
  readonly name: string;
  readonly folder: string;
  /** The path of the file that `errand` runs, from the folder. */
  readonly file: string;
  readonly plan: string;
  readonly directory: string;
  readonly input: JsonObject;
  readonly answers: Job['answers'];
  /** Whether its scripts leave their traces in the world. */
  readonly isWitnessed: boolean;
  /** It ends well, but its result depends on timing. */
  readonly isLoose: boolean;
  /** The store of each place. Default: a file in its home. */
  readonly storeAt?: (home: string) => string;
}

export interface Place {
  readonly job: Job;
  readonly isWitnessed: boolean;
  /** The value of ERRAND_HOME. */
  readonly home: string;
}

export function prepare(subject: Subject, folder: string): Prepared {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'deed.sh'), DEED);
  for (const [name, text] of Object.entries(subject.files)) writeFileSync(join(folder, name), text);
  const [file = ''] = Object.keys(subject.files);
  return { ...prepareFile({ ...subject, folder, file, plans: folder }), isWitnessed: true };
}

/** Prepares an existing file; the plan is kept in `plans`. */
export function prepareFile(of: {
  readonly name: string;
  readonly folder: string;
  readonly file: string;
  readonly plans: string;
  readonly input: JsonObject;
  readonly answers: Job['answers'];
  readonly isLoose?: boolean;
}): Prepared {
  const { name, folder, file, plans, input, answers, isLoose = false } = of;
  const verdict = validateWorkflow(file, nodeFiles(folder), {}, { asTop: true });
  if (verdict.plan === undefined) {
    const reported = verdict.files.flatMap(({ diagnostics }) => diagnostics);
    throw new Error(`${name}: ${reported.map(({ message }) => message).join('; ')}`);
  }
  mkdirSync(plans, { recursive: true });
  const plan = join(plans, `${name.replaceAll(/\W+/g, '-')}.plan.json`);
  writeFileSync(plan, JSON.stringify(verdict.plan));
  const directory = dirname(join(folder, file));
  const whole = completeInput(verdict.plan, input);
  const run = { name, folder, file, plan, directory, input: whole, answers };
  return { ...run, isWitnessed: false, isLoose };
}

/** An empty store and an empty world, in a folder that is removed after the work. */
export async function inPlace<T>(
  { folder, file, plan, directory, input, answers, isWitnessed, storeAt }: Prepared,
  root: string,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const home = join(root, `place-${++places}`);
  mkdirSync(home, { recursive: true });
  const job: Job = {
    store: storeAt?.(home) ?? join(home, 'errand.db'),
    plan,
    file: join(folder, file),
    directory,
    world: join(home, 'world'),
    input,
    answers,
  };
  const result = await work({ job, home, isWitnessed });
  // a failed run stays for inspection
  rmSync(home, { recursive: true, force: true });
  return result;
}

let places = 0;
