/** The tools that Errand itself offers to agents. The machine answers them; nothing is executed. */
export const RAISE_ERROR = 'raise_error';
export const WRITE_STATE = 'write_state';
export const ASK_PERSON = 'ask_person';
export const READ_OUTPUT = 'read_tool_output';

export const BUILT_IN_TOOLS: readonly string[] = [
  RAISE_ERROR,
  WRITE_STATE,
  ASK_PERSON,
  READ_OUTPUT,
];
