/** Names that the built-in workflow of `errand draft` and its function share. */

/** Registered in every process that may resume a run. */
export const CHECK_FUNCTION = 'errand_check_draft';
/** The node that drafts. */
export const WRITER = 'write';
/** The file name in diagnostics, and in the folder of the run when no draft was valid. */
export const DRAFT_FILE = 'draft.yaml';
export const DRAFT_INVALID = 'draft.not_valid';
/** How often the model may write. */
export const MAX_ROUNDS = 3;

/** Models tend to put a code fence around a file, whatever the prompt says. */
export function withoutFence(text: string): string {
  const fenced = /^\s*```[\w-]*\n(?<file>[\s\S]*?)\n?```\s*$/.exec(text)?.groups?.['file'];
  return `${(fenced ?? text).trim()}\n`;
}
