/** `!file path`: what the named file is, a piece of YAML or a text. */
import type { ParsedNode } from 'yaml';
import { isCollection } from 'yaml';
import type { Problem, Report } from '../problem.ts';
import { sourceText, type SourceText, type Span } from '../source.ts';
import { quoted } from '../words.ts';
import { parseYaml, refuseSize } from './parse-yaml.ts';
import type { FilePort } from './port.ts';

const MAX_INCLUDES = 1000;

export interface IncludeContext {
  readonly files: FilePort;
  readonly report: Report;
  /** The files that include each other down to here, outermost first. */
  readonly trail: readonly string[];
  readonly counts: { includes: number };
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
  const { files, trail, report, counts } = context;
  const file = files.resolve(at.span.source.file, written);
  if (trail.includes(file)) {
    const circle = [...trail.slice(trail.indexOf(file)), file].join(' → ');
    report({
      ...at,
      code: 'include-cycle',
      message: `Files include each other in a circle: ${circle}`,
    });
    return undefined;
  }
  if (counts.includes++ >= MAX_INCLUDES) {
    report({
      ...at,
      code: 'include-too-many',
      message: `More than ${MAX_INCLUDES} files are included`,
    });
    return undefined;
  }
  const content = files.read(file);
  if (!content.ok) {
    report({
      ...at,
      code: 'include-unreadable',
      message: `The file ${quoted(written)} cannot be read: ${content.reason}`,
      expected: 'a path from the file that includes it',
    });
    return undefined;
  }
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
