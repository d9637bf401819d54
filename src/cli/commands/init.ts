/** `errand init`: a first workflow that runs at once, fails on purpose, and shows what then happens. */
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { refusal } from '../exit.ts';
import { firstWorkflow } from '../first-workflow.ts';
import type { Telling } from '../format.ts';
import { tableLines } from '../screen/table.ts';
import { shellWord } from '../screen/words.ts';
import type { Terminal } from '../terminal.ts';
import { writeNew } from '../write-new.ts';

export function init(
  file: string,
  { format, quiet }: Pick<Telling, 'format' | 'quiet'>,
  terminal: Terminal,
): number {
  const path = extname(file) === '' ? `${file}.yaml` : file;
  if (!['.yaml', '.yml'].includes(extname(path)))
    throw refusal(`${path} is not a name of a workflow file`, 'Give a name that ends in .yaml.');
  const text = firstWorkflow({ file: path, name: nameOf(path), schema: schemaFor(path) });
  writeNew(path, text, 'Choose another name: errand init NAME.yaml');
  if (format === 'json' || quiet) {
    terminal.out(format === 'json' ? JSON.stringify({ file: path }, null, 2) : path);
    return 0;
  }
  const word = shellWord(path);
  const commands = [
    [`errand validate ${word}`, 'what can fail, and what takes it'],
    [`errand run ${word} -i ticket="It broke"`, 'run it'],
    ['errand runs', 'then tell its failures with: errand explain RUN'],
  ];
  terminal.out(
    [
      `Wrote ${path}.`,
      'It needs no key: its models are simulated, and one fails on purpose.',
      '',
      ...tableLines(commands, terminal.columns - 2).map((line) => `  ${line}`),
    ].join('\n'),
  );
  return 0;
}

/** A name that a workflow may have. */
function nameOf(path: string): string {
  const name = basename(path, extname(path)).replace(/[^A-Za-z0-9_-]+/g, '-');
  return /^[A-Za-z_]/.test(name) ? name : `workflow-${name}`;
}

/** What an editor completes the file by: the installed package's, else where it will be. */
function schemaFor(path: string): string {
  const installed = 'node_modules/errand/schema/workflow.json';
  for (let folder = dirname(path), ups = 0; ups < MAX_UPS; folder = join(folder, '..'), ups++) {
    if (existsSync(join(folder, installed)))
      return relative(dirname(path), join(folder, installed)).replaceAll('\\', '/');
  }
  return `./${installed}`;
}

const MAX_UPS = 20;
