/** Checks that a file lets its servers and scripts run only in folders inside the project. */
import type { FilePlan } from './plan.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';

export function checkWorkingDir({ file, runtime }: FilePlan, report: ReportProblem): void {
  const { workingDir } = runtime ?? {};
  if (workingDir === undefined || isInside(file, workingDir)) return;
  report({
    code: 'bad-value',
    message: `The folder ${quoted(workingDir)} is outside the project`,
    path: ['workflow', 'runtime', 'working_dir'],
    expected: 'a folder of the project, such as ./work',
    suggestion: 'Name a folder below the one in which Errand is started',
  });
}

/** Follows the path from the folder of the file, without looking at the disk. */
function isInside(file: string, path: string): boolean {
  if (/^(?:[\\/]|[A-Za-z]:)/.test(path)) return false;
  let depth = file.split('/').length - 1;
  for (const step of path.split(/[\\/]/)) {
    if (step === '..') depth--;
    else if (step !== '.' && step !== '') depth++;
    if (depth < 0) return false;
  }
  return true;
}
