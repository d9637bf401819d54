/**
 * The next action after a refused call: the catalog names commands and routes, and this file names
 * tools instead.
 */
import { catalogRow, type RuntimeKind } from '../errors/catalog/catalog.ts';
import { rebuild } from '../errors/report/build.ts';
import type { ErrorReport } from '../errors/report/report.ts';

type Details = Readonly<Partial<Record<RuntimeKind, string>>>;

/** Replaces advice that names commands. */
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

/** Replaces the advice of the catalog; a more precise advice stays, such as a suggested name. */
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
