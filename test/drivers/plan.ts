/** A plan from texts: whatever the files call, somebody is taken to have it. */
import type { FilePort } from '../../src/workflow/load/port.ts';
import type { WorkflowPlan } from '../../src/workflow/model.ts';
import { validateWorkflow } from '../../src/workflow/validate.ts';

export function planOfTexts(files: Readonly<Record<string, string>>): WorkflowPlan {
  const port: FilePort = {
    resolve: (_from, to) => to.replace(/^\.\//, ''),
    read: (path) => {
      const text = files[path];
      return text === undefined
        ? { ok: false, reason: 'there is no such file' }
        : { ok: true, text };
    },
  };
  const { plan, files: verdicts } = validateWorkflow('main.yaml', port, {});
  if (plan === undefined) throw new Error(JSON.stringify(verdicts.flatMap((v) => v.diagnostics)));
  return plan;
}
