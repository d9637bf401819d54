/**
 * A page of the documentation as a script. A block that the text introduces with a file name and a
 * colon is that file. In a `console` block a line after `$ ` is a command, and the lines below it
 * are its output, on stdout and stderr together, in this order. `…` stands for any text, or on a
 * line of its own for any lines. `# exit 3` after a command is its expected exit code.
 */
import { dirname, join } from 'node:path';

export interface Command {
  readonly typed: string;
  readonly exit: number;
  readonly prints: readonly string[];
  /** The line in the page. */
  readonly line: number;
}

export type Step =
  | { readonly type: 'file'; readonly name: string; readonly text: string }
  | ({ readonly type: 'command' } & Command);

export interface Fence {
  readonly language: string;
  readonly text: string;
  readonly line: number;
  /** The last line of text above it. */
  readonly introduction: string;
}

const FILE_NAME = /`(?<name>[\w./-]+\.\w+)`:$/;
const EXIT = / +# exit (?<code>\d+)$/;

export function stepsOf(page: string): readonly Step[] {
  return fencesOf(page).flatMap((fence): readonly Step[] => {
    const name = FILE_NAME.exec(fence.introduction)?.groups?.['name'];
    if (fence.language === 'console') return commandsOf(fence);
    return name === undefined ? [] : [{ type: 'file', name, text: fence.text }];
  });
}

/** Commands that a page shows outside the blocks that run. */
export function strayCommands(page: string): readonly string[] {
  return fencesOf(page)
    .filter(({ language }) => language !== 'console')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => /^(\$ )?(npx )?errand \w/.test(line));
}

/** The files that the page at this path links to. */
export function linksOf(path: string, page: string): readonly string[] {
  const links = page.matchAll(/\]\((?<to>[^)#:]+)(?:#[^)]*)?\)/g);
  return Array.from(links, ({ groups = {} }) => join(dirname(path), groups['to'] ?? ''));
}

export function fencesOf(page: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: { language: string; line: number; lines: string[] } | undefined;
  let above = '';
  for (const [at, line] of page.split('\n').entries()) {
    const fence = /^```(?<language>\w*)$/.exec(line)?.groups;
    if (open === undefined && fence !== undefined)
      open = { language: fence['language'] ?? '', line: at + 1, lines: [] };
    else if (open !== undefined && fence !== undefined) {
      const { language, line: begun, lines } = open;
      fences.push({ language, text: `${lines.join('\n')}\n`, line: begun, introduction: above });
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (line.trim() !== '') above = line.trim();
  }
  return fences;
}

function commandsOf({ text, line }: Fence): readonly Step[] {
  const commands: { typed: string; exit: number; prints: string[]; line: number }[] = [];
  for (const [at, row] of text.trimEnd().split('\n').entries()) {
    if (row.startsWith('$ ')) {
      const exit = Number(EXIT.exec(row)?.groups?.['code'] ?? '0');
      const typed = row.slice(2).replace(EXIT, '');
      commands.push({ typed, exit, prints: [], line: line + at + 1 });
    } else commands.at(-1)?.prints.push(row);
  }
  return commands.map((command) => ({ type: 'command', ...command }));
}

/** The part that the output lacks, or undefined if it contains everything that the page shows. */
export function notPrinted(shown: readonly string[], printed: string): string | undefined {
  const lines = printed.split('\n').map((line) => line.trimEnd());
  let from = 0;
  let maySkip = false;
  for (const row of shown) {
    if (row.trim() === '…') {
      maySkip = true;
      continue;
    }
    const pattern = patternOf(row.trimEnd());
    const found = lines.findIndex((line, at) => at >= from && pattern.test(line));
    if (found < 0 || (!maySkip && found !== from)) return row;
    from = found + 1;
    maySkip = false;
  }
  return undefined;
}

function patternOf(row: string): RegExp {
  const parts = row.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
