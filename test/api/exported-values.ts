/** The values that the package exports, with the doc comments before their declarations. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SOURCES = join(import.meta.dirname, '../../src');

/** The source of each entry, by the name that a program imports it with. */
export const ENTRY_FILES: Readonly<Record<string, string>> = {
  errand: 'index.ts',
  'errand/ai-sdk': 'ai-sdk/index.ts',
  'errand/classify': 'classify.ts',
  'errand/errors': 'errors/index.ts',
  'errand/stores': 'stores/index.ts',
  'errand/server': 'server/index.ts',
  'errand/temporal': 'temporal.ts',
  'errand/testing': 'rehearsal/index.ts',
  'errand/workflow': 'workflow/authoring/define.ts',
};

export interface ExportedValue {
  readonly name: string;
  /** The file of its declaration, below `src`. */
  readonly file: string;
  readonly comment: string;
}

/** Each declaration once, even if several entries export it. */
export function exportedValues(): readonly ExportedValue[] {
  const found = new Map<string, ExportedValue>();
  for (const entry of Object.values(ENTRY_FILES))
    for (const value of valuesIn(entry)) found.set(`${value.file} ${value.name}`, value);
  return [...found.values()];
}

function valuesIn(file: string): readonly ExportedValue[] {
  const text = readFileSync(join(SOURCES, file), 'utf8');
  const below = (path: string): string => join(dirname(file), path);
  const passedOn = [...text.matchAll(/^export \{([^}]*)\} from '([^']+)';/gm)].flatMap(
    ([, names = '', path = '']) => {
      const values = names.split(',').map((name) => name.trim());
      const wanted = values
        .filter((name) => name !== '' && !name.startsWith('type '))
        .map((name) => name.replace(/ as .*/, ''));
      return valuesIn(below(path)).filter(({ name }) => wanted.includes(name));
    },
  );
  const whole = [...text.matchAll(/^export \* from '([^']+)';/gm)].flatMap(([, path = '']) =>
    valuesIn(below(path)),
  );
  return [...declaredIn(file, text), ...passedOn, ...whole];
}

function declaredIn(file: string, text: string): readonly ExportedValue[] {
  const names = new Map<string, ExportedValue>();
  for (const match of text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)) {
    const [, name = ''] = match;
    // the first declaration of an overloaded function has the comment
    if (!names.has(name))
      names.set(name, { name, file, comment: commentBefore(text, match.index) });
  }
  return [...names.values()];
}

function commentBefore(text: string, index: number): string {
  const before = text.slice(0, index);
  if (!before.endsWith('*/\n')) return '';
  return before
    .slice(before.lastIndexOf('/**'))
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\*\*|\*\/|\*) ?/, ''))
    .join('\n');
}
