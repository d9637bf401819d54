/** The recorded verdicts of the compared systems, from which the page can be made without them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type System = 'ai' | 'litellm' | 'pipelex';

export interface Verdict {
  readonly id: string;
  readonly system: System;
  /** Whether the system would send the same request again. */
  readonly retries: boolean;
  /** The system's word for the failure; null if it accepted the response as a good answer. */
  readonly named: string | null;
}

export const VERDICTS_FILE: string = fileURLToPath(new URL('verdicts.jsonl', import.meta.url));

export function readVerdicts(): readonly Verdict[] {
  return readFileSync(VERDICTS_FILE, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Verdict);
}
