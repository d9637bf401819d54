import { describe, expect, it } from 'vitest';
import type { Terminal } from '../terminal.ts';
import { createProgram } from './program.ts';

const SILENT: Terminal = {
  columns: 80,
  color: false,
  out: () => undefined,
  err: () => undefined,
  drained: () => Promise.resolve(),
};

const NAMES = createProgram(SILENT)
  .program.commands.map((command) => command.name())
  .filter((name) => name !== 'help');

function helpOf(name: string, typed?: string): string | undefined {
  const { program } = createProgram(SILENT, typed);
  return program.commands.find((command) => command.name() === name)?.helpInformation();
}

describe('a program for one command', () => {
  it.each(NAMES)('has it as the whole program has it: %s', (name) => {
    expect(helpOf(name, name)).toBe(helpOf(name));
  });

  it('has no other, except where the command prints all', () => {
    const others = NAMES.filter((name) => name !== 'completion').map(
      (name) => createProgram(SILENT, name).program.commands.length,
    );
    expect(new Set(others)).toEqual(new Set([1]));
    expect(createProgram(SILENT, 'completion').program.commands).toHaveLength(NAMES.length);
  });

  it.each(['help', '--help', 'vallidate', 'constructor', ''])(
    'is the whole one for %j',
    (typed) => {
      expect(createProgram(SILENT, typed).program.commands).toHaveLength(NAMES.length);
    },
  );
});
