/**
 * Explains to the author why a module could not be loaded: the file, the line if Node knows it, and what
 * to do. Stacks and host paths stay in the cause, which only the internal record shows.
 */
import { dirname } from 'node:path';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { hideHostPaths } from '../../errors/redaction/host-paths.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import { describe } from '../../errors/thrown/to-report.ts';
import { codeOf } from '../process/system-code.ts';

export interface ModuleFile {
  /** As written in the workflow. */
  readonly name: string;
  /** Absolute path; never shown. */
  readonly path: string;
}

type Explanation = Pick<ReportDraft, 'kind' | 'message' | 'action'>;

export function importFailure(thrown: unknown, file: ModuleFile): ErrandError {
  const text = missingImport(thrown, file) ?? unreadable(thrown, file) ?? threw(thrown, file);
  const line = lineIn(thrown);
  const details = { module: file.name, ...(line === undefined ? {} : { line }) };
  return new ErrandError({ ...text, details, outcome: 'not_started' }, { cause: thrown });
}

/** The module is there; something that it imports is not. */
function missingImport(thrown: unknown, { name, path }: ModuleFile): Explanation | undefined {
  if (codeOf(thrown) !== 'ERR_MODULE_NOT_FOUND' && codeOf(thrown) !== 'MODULE_NOT_FOUND')
    return undefined;
  const message = textOf(thrown);
  const wanted = /^Cannot find (?:package|module) '([^']+)'/.exec(message)?.[1] ?? '';
  if (message.startsWith('Cannot find package') || /^(@[\w.-]+\/)?[\w.-]+$/.test(wanted)) {
    return {
      kind: 'extension.missing',
      message: `The module ${name} needs the package ${wanted}, which is not installed`,
      action: {
        kind: 'install_package',
        detail: `Run \`npm install ${wanted}\` in the folder of the module.`,
      },
    };
  }
  return {
    kind: 'extension.missing',
    message: `The module ${name} imports ${shorten(wanted, path)}, which does not exist`,
    action: {
      kind: 'fix_code',
      detail: 'Correct the path of the import, with the extension of the file, or create the file.',
    },
  };
}

function unreadable(thrown: unknown, { name, path }: ModuleFile): Explanation | undefined {
  const code = codeOf(thrown);
  const text = shorten(textOf(thrown), path);
  const line = lineIn(thrown);
  const position = line === undefined ? '' : ` (line ${line})`;
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return {
      kind: 'extension.lifecycle',
      message: `The module ${name} has TypeScript that cannot be run as it is: ${text}${position}`,
      action: {
        kind: 'fix_code',
        detail:
          'Types are removed and nothing is compiled: write enums, namespaces and parameter properties as plain JavaScript, or name a compiled .js file.',
      },
    };
  }
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING') {
    return {
      kind: 'extension.lifecycle',
      message: `The module ${name} imports TypeScript from node_modules, which Node does not run`,
      action: { kind: 'fix_code', detail: 'Use the compiled .js file of the package.' },
    };
  }
  if (readProperty(thrown, 'name') !== 'SyntaxError' || !isFromLoading(thrown)) return undefined;
  return {
    kind: 'extension.lifecycle',
    message: `The module ${name} cannot be read: ${text}${position}`,
    action: {
      kind: 'fix_code',
      detail: `Correct ${name}${position}; \`node --check\` reads it too.`,
    },
  };
}

/** A syntax error of loading, not one that the module's code threw (as `JSON.parse` does). */
function isFromLoading(thrown: unknown): boolean {
  const stack = readProperty(thrown, 'stack');
  const first = typeof stack === 'string' ? /\n\s+at (.*)/.exec(stack)?.[1] : undefined;
  return first === undefined || /node:internal\/modules|^wrapSafe/.test(first);
}

function threw(thrown: unknown, { name, path }: ModuleFile): Explanation {
  const [text = ''] = shorten(describe(thrown), path).split('\n');
  return {
    kind: 'extension.lifecycle',
    message: `The module ${name} threw while it was loaded: ${text}`,
    action: {
      kind: 'fix_code',
      detail: `Correct what ${name} does when it is imported, outside of its functions.`,
    },
  };
}

function textOf(thrown: unknown): string {
  const [first = ''] = describe(thrown).split('\n');
  return first;
}

/** Makes paths relative to the module's folder; of other paths only the last name is kept. */
function shorten(text: string, path: string): string {
  const folder = dirname(path);
  return hideHostPaths(text.replaceAll(`file://${folder}/`, './').replaceAll(`${folder}/`, './'));
}

/** Node prints the position before the stack of a file that it could not parse: `/path/file.ts:3`. */
function lineIn(thrown: unknown): number | undefined {
  const stack = readProperty(thrown, 'stack');
  if (typeof stack !== 'string') return undefined;
  const line = /^(?:file:\/\/)?\/?\S.*:(\d+)\n/.exec(stack)?.[1];
  return line === undefined ? undefined : Number(line);
}
