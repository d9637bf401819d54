/** `errand init`: a first workflow that runs at once and fails on purpose, and a test of it. */
import { jsonText, oneLine } from '../../errors/printable.ts';
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { refusal } from '../exit.ts';
import { firstTest, firstWorkflow } from '../first-workflow.ts';
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
  const test = `${path.slice(0, -extname(path).length)}.test.mjs`;
  // neither is written when one of them is there; the workflow is the one to speak of
  if (existsSync(test) && !existsSync(path))
    throw refusal(`${test} is there already, and nothing was written`, OTHER);
  writeNew(path, text, OTHER);
  writeNew(test, firstTest(basename(path)), OTHER);
  if (format === 'json') terminal.out(jsonText({ file: path, test }, 2));
  else
    terminal.out(quiet ? `${oneLine(path)}\n${oneLine(test)}` : told(path, test, terminal.columns));
  return 0;
}

const OTHER = 'Choose another name: errand init NAME.yaml';

function told(path: string, test: string, columns: number): string {
  const word = shellWord(path);
  const commands = [
    [`errand validate ${word}`, 'what can fail in it'],
    [`errand run ${word} -i ticket="It broke"`, 'run it'],
    ['errand runs', 'then: errand explain RUN'],
    [`node --test ${shellWord(test)}`, 'where errand is installed'],
  ];
  return [
    oneLine(`Wrote ${path} and ${test}.`),
    'It needs no key: its models are simulated, and one fails on purpose.',
    '',
    ...tableLines(commands, columns - 2).map((line) => `  ${line}`),
  ].join('\n');
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
