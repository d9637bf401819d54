/** What can be done after a refused call: what the catalog says with commands and routes is said with tools here. */
import { catalogRow, type RuntimeKind } from '../errors/catalog/catalog.ts';
import { rebuild } from '../errors/report/build.ts';
import type { ErrorReport } from '../errors/report/report.ts';

type Details = Readonly<Partial<Record<RuntimeKind, string>>>;

/** In place of whatever names commands. */
const DETAILS: Details = {
  'gate.closed': 'Read the run with get_run: it says what was answered, and what is open.',
  'run.already_active':
    'Wait until the other process is done: get_run with wait_seconds waits for it.',
  'run.already_ended':
    'Start a new run, or repeat a part of one that has completed: resume_run with from.',
  'run.drifted':
    'Undo the change, keep the old results (resume_run with accept_drift), or start a new run.',
  'run.not_found': 'Look up the id with list_runs.',
  'store.claim_lost': 'Read the run with get_run: another process may be running it.',
  'store.unavailable':
    'Wait until the store is back, then repeat the call; a run that stopped is continued with resume_run.',
  'validation.workflow': 'Fix what the report points at, then check it with validate_workflow.',
};

/** In place of what the catalog says; a better advice is kept, such as a name that was meant. */
const DEFAULTS: Details = {
  'request.key_reused': 'Use a new _key for another start.',
  'request.limited': 'Wait a few seconds, then repeat the call.',
  'workflow.not_found': 'Use a name that the list of tools has.',
};

export function withToolAction(report: ErrorReport): ErrorReport {
  const detail = DETAILS[report.kind as RuntimeKind] ?? defaultFor(report);
  return detail === undefined ? report : rebuild(report, { action: { ...report.action, detail } });
}

function defaultFor({ kind, action }: ErrorReport): string | undefined {
  const isPlain = action.detail === catalogRow(kind)?.action.detail;
  return isPlain ? DEFAULTS[kind as RuntimeKind] : undefined;
}
