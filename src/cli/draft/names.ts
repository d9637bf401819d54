/** What the built-in workflow of `errand draft` and the function behind it call each other. */

/** Registered wherever a run may go on. */
export const CHECK_FUNCTION = 'errand_check_draft';
/** The node that drafts. */
export const WRITER = 'write';
/** What a draft is called where it is spoken of, and beside its run when none was valid. */
export const DRAFT_FILE = 'draft.yaml';
export const DRAFT_INVALID = 'draft.not_valid';
/** How often the model may write. */
export const MAX_ROUNDS = 3;

/** Models like to put a fence around a file, whatever they are told. */
export function withoutFence(text: string): string {
  const fenced = /^\s*```[\w-]*\n(?<file>[\s\S]*?)\n?```\s*$/.exec(text)?.groups?.['file'];
  return `${(fenced ?? text).trim()}\n`;
}
