/**
 * Declares the inputs of a file that names a provider of another engine, as that engine reads them:
 * an input that the file only reads may be given, and an optional one without a default has the
 * empty value of its type. In other files both are mistakes, which the checks report.
 */
import { quoted } from '../diagnostics/diagnostic-words.ts';
import type { Problem } from '../diagnostics/problem.ts';
import { isTemplate } from '../plan/model-names.ts';
import { EMPTY_VALUES } from '../json-schema/field-schema.ts';
import type { FieldType } from '../plan/plan.ts';
import type { Path } from '../plan/pointer.ts';
import { isForeign } from '../plan/provider-choice.ts';
import { asList, asMap, type Raw } from '../rules/read-raw.ts';
import { parseTemplate } from '../template/template.ts';
import { providerNameIn } from './stand-in.ts';

export interface Declared {
  readonly document: unknown;
  readonly problems: readonly Problem[];
}

/** Where templates and references to inputs stand. */
const PARTS = ['agents', 'nodes', 'parallel', 'for_each', 'output'];

/** A reference without braces: an entry of `input`, or the `source` of a group. */
const PLAIN_REFERENCE = /^workflow\.input\.(\w+)(\?|\.|$)/;

interface Read {
  readonly path: Path;
  readonly type: 'string' | 'array';
  /** Every reader of it allows for a missing value. */
  readonly isOptional: boolean;
}

export function withInputsOfOthers(document: unknown): Declared {
  const file = asMap(document);
  const header = asMap(file['workflow']);
  const provider = providerNameIn(asMap(header['runtime']));
  // a header that is no map is reported by its schema
  if (provider === undefined || !isForeign(provider)) return { document, problems: [] };
  const declared = asMap(header['input']);
  const undeclared = [...readInputs(file)].filter(([name]) => !Object.hasOwn(declared, name));
  const input: Raw = Object.fromEntries<unknown>([
    ...Object.entries(declared).map(([name, field]) => [name, withEmptyDefault(field)] as const),
    ...undeclared.map(
      ([name, { type, isOptional }]) => [name, { type, required: !isOptional }] as const,
    ),
  ]);
  return {
    document: Object.keys(input).length === 0 ? file : { ...file, workflow: { ...header, input } },
    problems: undeclared.map(([name, { path, type }]) => undeclaredInput(name, path, type)),
  };
}

function withEmptyDefault(field: unknown): unknown {
  const written = asMap(field);
  const { type, required, default: preset } = written;
  const isOpen = required === false && preset === undefined;
  return isOpen && isFieldType(type) ? { ...written, default: EMPTY_VALUES[type] } : field;
}

function isFieldType(type: unknown): type is FieldType {
  return typeof type === 'string' && Object.hasOwn(EMPTY_VALUES, type);
}

function undeclaredInput(name: string, path: Path, type: string): Problem {
  return {
    code: 'unknown-input',
    severity: 'warning',
    message: `The file reads the input ${quoted(name)} and does not declare it`,
    path,
    suggestion: `Declare it under \`workflow.input\`: \`${name}: {type: ${type}}\``,
  };
}

function readInputs(file: Raw): ReadonlyMap<string, Read> {
  const found = new Map<string, Read>();
  const add = (name: string, read: Read): void => {
    const before = found.get(name);
    if (before === undefined) found.set(name, read);
    else found.set(name, { ...before, isOptional: before.isOptional && read.isOptional });
  };
  for (const part of PARTS)
    walk(file[part], [part], (text, path) => {
      for (const [name, read] of readsOf(text, path)) add(name, read);
    });
  return found;
}

function walk(value: unknown, path: Path, onText: (text: string, path: Path) => void): void {
  if (typeof value === 'string') return onText(value, path);
  for (const [index, item] of asList(value).entries()) walk(item, [...path, index], onText);
  for (const [key, item] of Object.entries(asMap(value))) walk(item, [...path, key], onText);
}

function readsOf(text: string, path: Path): readonly (readonly [string, Read])[] {
  if (!isTemplate(text)) {
    const [, name, after] = PLAIN_REFERENCE.exec(text) ?? [];
    if (name === undefined) return [];
    const type = path.at(-1) === 'source' ? 'array' : 'string';
    return [[name, { path, type, isOptional: after === '?' }]];
  }
  const parsed = parseTemplate(text);
  if (!parsed.ok) return [];
  return parsed.template.references.flatMap(({ path: [first, second, name], ...reference }) =>
    first === 'workflow' && second === 'input' && typeof name === 'string'
      ? [[name, { path, type: 'string', isOptional: reference.isForgiven || reference.isGuarded }]]
      : [],
  );
}
