/** Declarations of TypeScript files, read from their syntax: names, members, types and doc comments. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseAst } from 'vite';

/** A node of the tree, with the fields that the generators read. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The origin of a name's text in another file. */
interface Source {
  /** The name in that file. */
  readonly name: string;
  readonly path: string;
}

export interface Declaration {
  readonly name: string;
  readonly node: SyntaxNode;
  readonly file: SourceFile;
  /** The text without its doc comment. */
  readonly text: string;
  /** Empty if there is none. */
  readonly doc: string;
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Declarations by name, overloads in order; exported or not. */
  readonly declared: ReadonlyMap<string, readonly Declaration[]>;
  readonly imported: ReadonlyMap<string, Source>;
  /** The name in this or another file, by exported name. */
  readonly exported: ReadonlyMap<string, Source>;
  /** The files of `export * from`. */
  readonly passedOn: readonly string[];
}

const files = new Map<string, SourceFile>();

export function readSource(path: string): SourceFile {
  const known = files.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const declared = new Map<string, Declaration[]>();
  const imported = new Map<string, Source>();
  const exported = new Map<string, Source>();
  const passedOn: string[] = [];
  const file: SourceFile = { path, text, declared, imported, exported, passedOn };
  const fileOf = (node: SyntaxNode): string | undefined => {
    const specifier = childOf(node, 'source')?.['value'];
    return typeof specifier === 'string' ? resolve(path, specifier) : undefined;
  };
  for (const node of listOf(parseAst(text, { lang: 'ts' }).body)) {
    const source = fileOf(node);
    if (node.type === 'ExportAllDeclaration' && source !== undefined) passedOn.push(source);
    for (const each of listOf(node['specifiers'])) {
      const own = nameOf(childOf(each, 'local'));
      if (node.type === 'ImportDeclaration') {
        const name = nameOf(childOf(each, 'imported'));
        if (source !== undefined) imported.set(own, { name, path: source });
      } else exported.set(nameOf(childOf(each, 'exported')), { name: own, path: source ?? path });
    }
    const declaration = childOf(node, 'declaration') ?? node;
    for (const name of namesOf(declaration)) {
      const found = declared.get(name) ?? [];
      const doc = docBefore(text, node.start);
      found.push({ name, node: declaration, file, text: text.slice(node.start, node.end), doc });
      declared.set(name, found);
      if (node.type === 'ExportNamedDeclaration') exported.set(name, { name, path });
    }
  }
  files.set(path, file);
  return file;
}

/** Every name that a file exports, with its declarations, wherever they are. */
export function exportsOf(path: string): ReadonlyMap<string, readonly Declaration[]> {
  const { exported, passedOn } = readSource(path);
  const own = [...exported].map(([name, source]) => [name, declarationsOf(source)] as const);
  return new Map([...passedOn.flatMap((other) => [...exportsOf(other)]), ...own]);
}

/** Resolves a name in a file; finds nothing for names of the language and of other packages. */
export function lookUp(
  name: string,
  { path, imported, declared }: SourceFile,
): readonly Declaration[] {
  if (declared.has(name)) return declarationsOf({ name, path });
  const source = imported.get(name);
  return source === undefined ? [] : declarationsOf(source);
}

function declarationsOf({ name, path }: Source): readonly Declaration[] {
  const file = readSource(path);
  const here = file.declared.get(name);
  if (here !== undefined) return here;
  const source = file.exported.get(name) ?? file.imported.get(name);
  if (source !== undefined && (source.path !== path || source.name !== name))
    return declarationsOf(source);
  const imported = file.imported.get(name);
  return imported === undefined ? [] : declarationsOf(imported);
}

/** The doc comment that ends right before a node, as plain text. */
export function docBefore(text: string, start: number): string {
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, start))?.[1] ?? '';
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
}

/** The texts behind `(typeof NAMES)[number]`, written as a list or as the type of one. */
export function listedWords(node: SyntaxNode, file: SourceFile): readonly string[] | undefined {
  const object = childOf(node, 'objectType');
  const query = [...walk(object)].find(({ type }) => type === 'TSTypeQuery');
  if (query === undefined) return undefined;
  const [list] = lookUp(nameOf(childOf(query, 'exprName')), file);
  const words = [...walk(list?.node)].filter(({ type }) => type === 'Literal');
  return list === undefined ? undefined : words.map(({ value }) => `'${String(value)}'`);
}

/** All nodes below one, and the node itself. */
export function* walk(value: unknown): Generator<SyntaxNode> {
  if (Array.isArray(value)) for (const each of value) yield* walk(each);
  if (!isNode(value)) return;
  yield value;
  for (const each of Object.values(value)) yield* walk(each);
}

export function childOf(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const child = node[field];
  return isNode(child) ? child : undefined;
}

export function listOf(value: unknown): readonly SyntaxNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function nameOf(node: SyntaxNode | undefined): string {
  const name = node?.['name'] ?? node?.['value'];
  return typeof name === 'string' ? name : '';
}

function namesOf(declaration: SyntaxNode): readonly string[] {
  const names = listOf(declaration['declarations']).map((each) => nameOf(childOf(each, 'id')));
  const id = childOf(declaration, 'id');
  return id === undefined ? names : [nameOf(id)];
}

/** Resolves relative files only: other packages document their own declarations. */
function resolve(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = join(dirname(from), specifier);
  return from.endsWith('.d.ts') ? path.replace(/\.[jt]s$/, '.d.ts') : path;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
