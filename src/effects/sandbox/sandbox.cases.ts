/** What the tests of the sandbox share: an evaluation as an answer, or as its value. */
import type { Answer } from './protocol.ts';
import type { Sandbox } from './sandbox.ts';

export const NEVER: AbortSignal = new AbortController().signal;

export interface Asking {
  readonly run: (code: string, input?: unknown) => Promise<Answer>;
  readonly value: (code: string, input?: unknown) => Promise<unknown>;
}

export function ask(sandbox: Sandbox): Asking {
  const run: Asking['run'] = async (code, input = {}) => {
    const ending = await sandbox.evaluate({ code, input: JSON.stringify(input) }, NEVER);
    if (ending.type !== 'answer') throw new Error(`${ending.type} for ${code}`);
    return ending.answer;
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
