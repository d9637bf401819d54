/** What was said on the command line of where runs are; every command about runs asks here. */
export interface WhereFlags {
  readonly on?: string;
  readonly address?: string;
  readonly namespace?: string;
  readonly taskQueue?: string;
}

let said: WhereFlags = {};

/** Once, before a command begins. */
export function sayWhere(flags: WhereFlags): void {
  said = flags;
}

export function whereFlags(): WhereFlags {
  return said;
}
