/** Includes the file that `!file path` names, as YAML or as text. */
import type { ParsedNode } from 'yaml';
import { isCollection } from 'yaml';
import type { DiagnosticCode } from '../diagnostics/diagnostic-codes.ts';
import type { Problem, ReportProblem } from '../diagnostics/problem.ts';
import { sourceText, type SourceText, type Span } from './source-text.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';
import type { Outside } from './outside-values.ts';
import { parseYaml, refuseSize } from './parse-yaml.ts';
import type { FilePort } from './file-port.ts';

const MAX_INCLUDES = 1000;

export interface IncludeContext {
  readonly files: FilePort;
  readonly report: ReportProblem;
  /** The files that include each other down to this one, outermost first. */
  readonly includedFrom: readonly string[];
  readonly counts: { includes: number };
  /** Limits of the whole file that have been reported already. */
  readonly reported: Set<DiagnosticCode>;
  /** Values that came from outside the file. */
  readonly outside: Outside;
}

export interface Included {
  readonly source: SourceText;
  /** Undefined: the whole file is one text. */
  readonly node: ParsedNode | undefined;
}

/** Undefined when the file cannot be read, after reporting that. */
export function openInclude(
  written: string,
  at: Pick<Problem, 'path'> & { readonly span: Span },
  context: IncludeContext,
): Included | undefined {
  const { files, includedFrom, report, counts, reported } = context;
  const file = files.resolve(at.span.source.file, written);
  if (includedFrom.includes(file)) {
    const cycle = [...includedFrom.slice(includedFrom.indexOf(file)), file];
    report({
      ...at,
      code: 'include-cycle',
      message:
        cycle.length === 2
          ? `The file ${quoted(written)} includes itself`
          : `Files include each other in a cycle: ${cycle.join(' → ')}`,
      suggestion: 'Remove this `!file`, or name another file',
    });
    return undefined;
  }
  if (counts.includes++ >= MAX_INCLUDES) {
    if (!reported.has('include-too-many')) {
      report({
        ...at,
        code: 'include-too-many',
        message: `The workflow includes more than ${MAX_INCLUDES} files`,
        suggestion: 'Put several of them into one file',
      });
    }
    reported.add('include-too-many');
    return undefined;
  }
  const content = files.read(file);
  if (!content.ok) {
    report({
      ...at,
      code: 'include-unreadable',
      message: `The file ${quoted(written)} cannot be read: ${content.reason}`,
      suggestion: 'Check the path; it is relative to the file that names it',
    });
    return undefined;
  }
  // before any diagnostic can quote it
  context.outside.addIncluded(file, content.text, content.realPath);
  return readInclude(sourceText(file, content.text), at, report);
}

function readInclude(
  source: SourceText,
  at: Pick<Problem, 'path'>,
  report: ReportProblem,
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
  // a file with a YAML extension has to be YAML; any other that is not YAML is text
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

/** A prompt that begins with `Note: …` would parse as a YAML map, so the extension decides first. */
function formOf(file: string): 'yaml' | 'text' | 'either' {
  const ending = /\.([^./\\]+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  if (ending === 'yaml' || ending === 'yml' || ending === 'json') return 'yaml';
  return TEXT_ENDINGS.has(ending) ? 'text' : 'either';
}
