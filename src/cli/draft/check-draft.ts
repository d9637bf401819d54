/** What becomes of a draft: the file when it is valid, else what is wrong with it, so many times. */
import { ErrandError } from '../../errors/errand-error.ts';
import { isJsonObject, type JsonValue } from '../../errors/json.ts';
import { renderDiagnostic, type Diagnostic } from '../../workflow/diagnostics.ts';
import { NO_FILES } from '../../workflow/load/port.ts';
import { loadWorkflowText } from '../../workflow/load/workflow.ts';
import { validateLoaded } from '../../workflow/validate.ts';
import { DRAFT_FILE, DRAFT_INVALID, MAX_ROUNDS, withoutFence } from './names.ts';

const MAX_TOLD = 20;

/** `{text, round}` in; throws what is wrong, after the last round as `architect.failed`. */
export function checkDraft(input: JsonValue): JsonValue {
  const { text, round } = isJsonObject(input) ? input : {};
  const file = withoutFence(typeof text === 'string' ? text : '');
  // a stranger wrote it, and what is wrong with it goes back to the stranger: no file and no variable of
  // this machine is looked at, so that none can be read through what is said about them
  const loaded = loadWorkflowText(file, { file: DRAFT_FILE, files: NO_FILES, environment: {} });
  const { isValid, files } = validateLoaded(DRAFT_FILE, loaded, { asTop: true });
  const found = files.flatMap(({ diagnostics }) => diagnostics);
  if (isValid) return { file };
  throw refused(found, Number(round) + 1);
}

function refused(found: readonly Diagnostic[], rounds: number): ErrandError {
  const errors = found.filter(({ severity }) => severity === 'error');
  const diagnostics = errors.slice(0, MAX_TOLD).map(renderDiagnostic);
  const details = { rounds, diagnostics };
  const [first] = errors;
  if (rounds < MAX_ROUNDS)
    return new ErrandError({
      kind: DRAFT_INVALID,
      message: `The draft is not valid: ${first?.message ?? 'it cannot be read'}`,
      details,
    });
  return new ErrandError({
    kind: 'architect.failed',
    message: `None of ${rounds} drafts is a valid workflow; the last one: ${first?.message ?? 'it cannot be read'}`,
    details,
  });
}
