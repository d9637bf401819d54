/** Shared by the tests of the sandbox: evaluates code to its result, or to its value. */
import type { Answer } from './worker-messages.ts';
import type { Sandbox } from './sandbox.ts';

export const NEVER: AbortSignal = new AbortController().signal;

/** For cases that are not about time: filling the memory may take longer than the default second. */
export const PATIENT = { limitMs: 120_000 };

export interface Evaluate {
  readonly run: (code: string, input?: unknown) => Promise<Answer>;
  readonly value: (code: string, input?: unknown) => Promise<unknown>;
}

export function ask(sandbox: Sandbox): Evaluate {
  const run: Evaluate['run'] = async (code, input = {}) => {
    const end = await sandbox.evaluate({ code, input: JSON.stringify(input) }, NEVER);
    if (end.type !== 'answer') throw new Error(`${end.type} for ${code}`);
    return end.answer;
  };
  return {
    run,
    value: async (code, input) => {
      const answer = await run(code, input);
      if (!answer.ok) throw new Error(JSON.stringify(answer));
      return JSON.parse(answer.json);
    },
  };
}
