/** The page of exit codes, from the one table that the command and the catalog share. */
import { CATALOG } from '../../src/errors/catalog/catalog.ts';
import { EXITS } from '../../src/errors/catalog/exit-codes.ts';

export const EXIT_CODES_PAGE = 'docs/reference/exit-codes.md';

const INTRODUCTION = `How every command ends. A run that ends on a failure has the exit of its kind; kinds that a
workflow raises itself end with 3. \`errand run --help\` prints the same table.`;

/** The endings of commands that run nothing. */
export const EXITS_OF_COMMANDS = `\`errand cancel\` and the commands that only look (\`runs\`, \`show\`, \`watch\`, \`costs\`,
\`audit\`, \`explain\`) end with 0 when they did what was asked, whatever became of the run.
A second Ctrl-C ends at once, with 130 too; also then the run is safe.`;

export function renderExitCodes(): string {
  return [
    '# Exit codes',
    '<!-- Made by `npm run docs` from src/errors/catalog/exit-codes.ts and the catalog. Do not edit. -->',
    INTRODUCTION,
    [
      '| exit | meaning | kinds |',
      '|---|---|---|',
      ...Object.entries(EXITS).map(
        ([code, meaning]) => `| ${code} | ${meaning} | ${kindsWith(Number(code))} |`,
      ),
    ].join('\n'),
    EXITS_OF_COMMANDS,
  ]
    .join('\n\n')
    .concat('\n');
}

/** Most kinds end with 3, and are not listed. */
function kindsWith(code: number): string {
  const kinds = Object.entries(CATALOG).filter(([, { exitCode }]) => exitCode === code);
  if (code === 3) return '[all others](errors.md)';
  return kinds.map(([kind]) => `[\`${kind}\`](errors.md#${kind})`).join(', ');
}
