/** `!file path`: what the named file is, a piece of YAML or a text. */
import type { ParsedNode } from 'yaml';
import { isCollection } from 'yaml';
import type { DiagnosticCode } from '../codes.ts';
import type { Problem, Report } from '../problem.ts';
import { sourceText, type SourceText, type Span } from '../source.ts';
import { quoted } from '../words.ts';
import type { Outside } from './outside.ts';
import { parseYaml, refuseSize } from './parse-yaml.ts';
import type { FilePort } from './port.ts';

const MAX_INCLUDES = 1000;

export interface IncludeContext {
  readonly files: FilePort;
  readonly report: Report;
  /** The files that include each other down to here, outermost first. */
  readonly trail: readonly string[];
  readonly counts: { includes: number };
  /** Limits of the whole file that have been reported; once is enough. */
  readonly told: Set<DiagnosticCode>;
  /** What came from around the file. */
  readonly outside: Outside;
}

export interface Included {
  readonly source: SourceText;
  /** Undefined: the whole file is one text. */
  readonly node: ParsedNode | undefined;
}

/** Undefined when it cannot be read; that has been reported. */
export function openInclude(
  written: string,
  at: Pick<Problem, 'path'> & { readonly span: Span },
  context: IncludeContext,
): Included | undefined {
  const { files, trail, report, counts, told } = context;
  const file = files.resolve(at.span.source.file, written);
  if (trail.includes(file)) {
    const circle = [...trail.slice(trail.indexOf(file)), file];
    report({
      ...at,
      code: 'include-cycle',
      message:
        circle.length === 2
          ? `The file ${quoted(written)} includes itself`
          : `Files include each other in a circle: ${circle.join(' → ')}`,
      suggestion: 'Remove this `!file`, or name another file',
    });
    return undefined;
  }
  if (counts.includes++ >= MAX_INCLUDES) {
    if (!told.has('include-too-many')) {
      report({
        ...at,
        code: 'include-too-many',
        message: `The workflow includes more than ${MAX_INCLUDES} files`,
        suggestion: 'Put several of them into one file',
      });
    }
    told.add('include-too-many');
    return undefined;
  }
  const content = files.read(file);
  if (!content.ok) {
    report({
      ...at,
      code: 'include-unreadable',
      message: `The file ${quoted(written)} cannot be read: ${content.reason}`,
      suggestion: 'Check the path; it begins in the folder of the file that names it',
    });
    return undefined;
  }
  // before anything is said about it
  context.outside.addIncluded(file, content.text, content.realPath);
  return readInclude(sourceText(file, content.text), at, report);
}

function readInclude(
  source: SourceText,
  at: Pick<Problem, 'path'>,
  report: Report,
): Included | undefined {
  const tooLarge = refuseSize(source);
  if (tooLarge !== undefined) {
    report({ ...tooLarge, path: at.path });
    return undefined;
  }
  const form = formOf(source.file);
  if (form === 'text') return { source, node: undefined };

  const problems: Problem[] = [];
  const node = parseYaml(source, (problem) => problems.push(problem));
  // a file that says that it is YAML has to be; any other that is not YAML is a text
  if (node === undefined && form === 'yaml') {
    for (const problem of problems) report({ ...problem, path: at.path });
    return undefined;
  }
  return { source, node: isCollection(node) ? node : undefined };
}

const TEXT_ENDINGS: ReadonlySet<string> = new Set(
  'md markdown txt prompt j2 jinja jinja2 tmpl sh bash py js mjs ts ps1 sql html xml csv'.split(
    ' ',
  ),
);

/** A prompt that begins with `Note: …` reads as a YAML map, so its name decides where it can. */
function formOf(file: string): 'yaml' | 'text' | 'either' {
  const ending = /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  if (ending === 'yaml' || ending === 'yml' || ending === 'json') return 'yaml';
  return TEXT_ENDINGS.has(ending) ? 'text' : 'either';
}
