/**
 * Why a module could not be loaded, told to the one who can change it: the file, the line where
 * Node knows it, and what to do. Stacks and host paths stay in the cause, which only the internal
 * record shows.
 */
import { dirname } from 'node:path';
import { ErrandError } from '../../errors/errand-error.ts';
import { hideHostPaths } from '../../errors/host-paths.ts';
import { readProperty } from '../../errors/json.ts';
import type { ReportDraft } from '../../errors/report.ts';
import { describe } from '../../errors/to-report.ts';
import { codeOf } from '../system-code.ts';

export interface ModuleFile {
  /** As the workflow calls it. */
  readonly name: string;
  /** Where it lies; for ourselves only. */
  readonly path: string;
}

type Said = Pick<ReportDraft, 'kind' | 'message' | 'action'>;

export function importFailure(thrown: unknown, file: ModuleFile): ErrandError {
  const said = missingImport(thrown, file) ?? unreadable(thrown, file) ?? threw(thrown, file);
  const line = lineIn(thrown);
  const details = { module: file.name, ...(line === undefined ? {} : { line }) };
  return new ErrandError({ ...said, details, outcome: 'not_started' }, { cause: thrown });
}

/** The module is there; something that it imports is not. */
function missingImport(thrown: unknown, { name, path }: ModuleFile): Said | undefined {
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
    message: `The module ${name} imports ${shorten(wanted, path)}, which is not there`,
    action: {
      kind: 'fix_code',
      detail: 'Correct the path of the import, with the extension of the file, or create the file.',
    },
  };
}

function unreadable(thrown: unknown, { name, path }: ModuleFile): Said | undefined {
  const code = codeOf(thrown);
  const said = shorten(textOf(thrown), path);
  const line = lineIn(thrown);
  const place = line === undefined ? '' : ` (line ${line})`;
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return {
      kind: 'extension.lifecycle',
      message: `The module ${name} has TypeScript that cannot be run as it is: ${said}${place}`,
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
      message: `The module ${name} uses TypeScript that lies in node_modules, where it is not run`,
      action: { kind: 'fix_code', detail: 'Use the compiled .js file of the package.' },
    };
  }
  if (readProperty(thrown, 'name') !== 'SyntaxError' || !isFromLoading(thrown)) return undefined;
  return {
    kind: 'extension.lifecycle',
    message: `The module ${name} cannot be read: ${said}${place}`,
    action: { kind: 'fix_code', detail: `Correct ${name}${place}; \`node --check\` reads it too.` },
  };
}

/** Not one that the module's own code threw, as `JSON.parse` does: no line of ours is in its stack. */
function isFromLoading(thrown: unknown): boolean {
  const stack = readProperty(thrown, 'stack');
  const first = typeof stack === 'string' ? /\n\s+at (.*)/.exec(stack)?.[1] : undefined;
  return first === undefined || /node:internal\/modules|^wrapSafe/.test(first);
}

function threw(thrown: unknown, { name, path }: ModuleFile): Said {
  const [said = ''] = shorten(describe(thrown), path).split('\n');
  return {
    kind: 'extension.lifecycle',
    message: `The module ${name} threw while it was loaded: ${said}`,
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

/** Paths below the module's own folder as they are seen from there, others by their last name. */
function shorten(text: string, path: string): string {
  const folder = dirname(path);
  return hideHostPaths(text.replaceAll(`file://${folder}/`, './').replaceAll(`${folder}/`, './'));
}

/** Node puts the place before the stack of what it could not parse: `/path/file.ts:3`. */
function lineIn(thrown: unknown): number | undefined {
  const stack = readProperty(thrown, 'stack');
  if (typeof stack !== 'string') return undefined;
  const line = /^(?:file:\/\/)?\/?\S.*:(\d+)\n/.exec(stack)?.[1];
  return line === undefined ? undefined : Number(line);
}
