/** What the built-in workflow of `errand draft` and the function behind it call each other. */

/** Registered wherever a run may go on. */
export const CHECK_FUNCTION = 'errand_check_draft';
export const DRAFT_INVALID = 'draft.not_valid';
/** How often the model may write. */
export const MAX_ROUNDS = 3;
