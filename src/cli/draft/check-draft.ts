/** Checks a draft: returns the file when it is valid, else throws its diagnostics, for a limited number of rounds. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isJsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { renderDiagnostic, type Diagnostic } from '../../workflow/diagnostics/diagnostics.ts';
import { NO_FILES } from '../../workflow/yaml/file-port.ts';
import { loadWorkflowText } from '../../workflow/yaml/load-workflow.ts';
import { validateLoaded } from '../../workflow/check/validate-workflow.ts';
import { DRAFT_FILE, DRAFT_INVALID, MAX_ROUNDS, withoutFence } from './draft-names.ts';

const MAX_SHOWN = 20;

/** Takes `{text, round}`. Throws `draft.not_valid`, and after the last round `architect.failed`. */
export function checkDraft(input: JsonValue): JsonValue {
  const { text, round } = isJsonObject(input) ? input : {};
  const file = withoutFence(typeof text === 'string' ? text : '');
  // a model wrote it, and the diagnostics go back to the model: no file and no variable of this machine
  // is read, so that none can leak through a diagnostic
  const loaded = loadWorkflowText(file, { file: DRAFT_FILE, files: NO_FILES, environment: {} });
  const { isValid, files } = validateLoaded(DRAFT_FILE, loaded, { asTop: true });
  const found = files.flatMap(({ diagnostics }) => diagnostics);
  if (isValid) return { file };
  throw refused(found, Number(round) + 1);
}

function refused(found: readonly Diagnostic[], rounds: number): ErrandError {
  const errors = found.filter(({ severity }) => severity === 'error');
  const diagnostics = errors.slice(0, MAX_SHOWN).map(renderDiagnostic);
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
