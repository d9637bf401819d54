/** The path of an imported run's workflow file in this project. */
import { relative, resolve, sep } from 'node:path';
import { IN_CODE } from '../../workflow/plan/plan.ts';
import { isPartOfWorkflow } from '../../workflow/yaml/outside-values.ts';
import { refusal } from '../exit.ts';

/**
 * An export names a file inside the folder. A forged export could name any file of this machine,
 * whose text a resume would then show with its diagnostics.
 */
export function importedFile(file: string | null, folder: string): string | null {
  if (file === null) return null;
  const path = resolve(folder, file);
  const near = relative(folder, path).split(sep).join('/');
  const isInCode = near.startsWith(IN_CODE);
  if (isInCode || isPartOfWorkflow(near)) return path;
  throw refusal(
    `The run names ${JSON.stringify(file)} as its workflow, which is not in this folder or is neither YAML nor JSON`,
    'Import only runs that `errand export` wrote, from a file with the ending .yaml, .yml or .json.',
  );
}
