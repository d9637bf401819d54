/** `errand init`: writes a first workflow that runs right away and fails on purpose, and a test of it. */
import { jsonText, oneLine } from '../../errors/support/printable.ts';
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { refusal } from '../exit.ts';
import { firstTest, firstWorkflow } from '../project/first-workflow.ts';
import type { OutputOptions } from '../format.ts';
import { tableLines } from '../screen/table-lines.ts';
import { shellWord } from '../../errors/support/shell-word.ts';
import type { Terminal } from '../terminal.ts';
import { writeNew } from '../project/write-new.ts';

export function init(
  file: string,
  { format, quiet }: Pick<OutputOptions, 'format' | 'quiet'>,
  terminal: Terminal,
): number {
  const path = extname(file) === '' ? `${file}.yaml` : file;
  if (!['.yaml', '.yml'].includes(extname(path)))
    throw refusal(`${path} is not a name for a workflow file`, 'Give a name that ends in .yaml.');
  const text = firstWorkflow({ file: path, name: nameOf(path), schema: schemaFor(path) });
  const test = `${path.slice(0, -extname(path).length)}.test.mjs`;
  // neither file is written when one of them exists; the workflow is named first
  if (existsSync(test) && !existsSync(path))
    throw refusal(`${test} already exists; nothing was written`, OTHER);
  writeNew(path, text, OTHER);
  writeNew(test, firstTest(basename(path)), OTHER);
  if (format === 'json') terminal.out(jsonText({ file: path, test }, 2));
  else
    terminal.out(
      quiet ? `${oneLine(path)}\n${oneLine(test)}` : writtenText(path, test, terminal.columns),
    );
  return 0;
}

const OTHER = 'Choose another name: errand init NAME.yaml';

function writtenText(path: string, test: string, columns: number): string {
  const word = shellWord(path);
  const commands = [
    [`errand validate ${word}`, 'what can fail in it'],
    [`errand rehearse ${word}`, 'play each of these failures'],
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

/** Makes a valid workflow name. */
function nameOf(path: string): string {
  const name = basename(path, extname(path)).replace(/[^A-Za-z0-9_-]+/g, '-');
  return /^[A-Za-z_]/.test(name) ? name : `workflow-${name}`;
}

/** The path of the schema for editors: that of the installed package, else where it will be installed. */
function schemaFor(path: string): string {
  const installed = 'node_modules/errand/schema/workflow.json';
  for (let folder = dirname(path), ups = 0; ups < MAX_UPS; folder = join(folder, '..'), ups++) {
    if (existsSync(join(folder, installed)))
      return relative(dirname(path), join(folder, installed)).replaceAll('\\', '/');
  }
  return `./${installed}`;
}

const MAX_UPS = 20;
