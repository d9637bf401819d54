/** The flags for the location of runs, for every command about runs. */
export interface RunLocationFlags {
  readonly on?: string;
  /** Address of an Errand server. */
  readonly server?: string;
  readonly address?: string;
  readonly namespace?: string;
  readonly taskQueue?: string;
}

let current: RunLocationFlags = {};

/** Call it once, before a command begins. */
export function setRunLocationFlags(flags: RunLocationFlags): void {
  current = flags;
}

export function runLocationFlags(): RunLocationFlags {
  return current;
}
