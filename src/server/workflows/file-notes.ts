/**
 * Logs at the start of a server which of its files cannot run: it serves the others all the same.
 */
import { toReport } from '../../errors/thrown/to-report.ts';
import type { ServedWorkflows } from './served-workflows.ts';

/** Never rejects: the server runs without these lines too. */
export async function logFileNotes(
  workflows: ServedWorkflows,
  log: (line: string) => void,
): Promise<void> {
  try {
    const all = await workflows.all();
    if (all.length === 0) log('no workflow files here; start it with files, or with their folder');
    for (const { file, verdict } of all)
      if (!verdict.isValid) log(`${file} is not valid and cannot run: errand validate ${file}`);
  } catch (thrown) {
    log(`the workflow files cannot be checked: ${toReport(thrown).message}`);
  }
}
