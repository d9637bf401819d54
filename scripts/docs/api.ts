/**
 * `docs/reference/api.md` and `docs/reference/api.txt`: the exports of each entry of the package,
 * from the declarations that the compiler emits. The first is for readers. The second has no
 * comments, so that its diff is a change of the API.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  childOf,
  docBefore,
  exportsOf,
  listOf,
  listedWords,
  lookUp,
  nameOf,
  walk,
  type Declaration,
  type SyntaxNode,
} from './declarations.ts';
import { anchors, page } from './markdown.ts';

export const API_PAGE = 'docs/reference/api.md';
export const API_REPORT = 'docs/reference/api.txt';

const ROOT = dirname(dirname(import.meta.dirname));

interface Exported {
  readonly name: string;
  readonly isType: boolean;
  readonly doc: string;
  /** Formatted, with the comments of members. */
  readonly text: string;
  /** Formatted, without any comment. */
  readonly bare: string;
  readonly declarations: readonly Declaration[];
}

interface Entry {
  /** The name in an import: `errand/errors`. */
  readonly name: string;
  readonly doc: string;
  readonly exports: readonly Exported[];
  /** Types that its signatures use, and that no entry exports. */
  readonly hidden: readonly string[];
}

export function renderApi(): string {
  const anchorOf = anchors();
  const homes = new Map<Declaration | undefined, string>();
  const title = 'API';
  anchorOf(title);
  const parts = entries().flatMap(({ name, doc, exports }) => {
    const known = exports.filter(({ declarations: [first] }) => homes.has(first));
    const fresh = exports.filter((each) => !known.includes(each));
    anchorOf(name);
    const section = (heading: string, members: readonly Exported[]): readonly string[] => {
      if (members.length === 0) return [];
      anchorOf(heading);
      for (const { name: member, declarations } of members)
        homes.set(declarations[0], anchorOf(member));
      return [`### ${heading}`, ...members.flatMap(exportSection)];
    };
    const links = known.map(
      ({ name: other, declarations: [first] }) => `[\`${other}\`](#${homes.get(first)})`,
    );
    return [
      `## \`${name}\``,
      doc,
      ...section(
        'Values',
        fresh.filter(({ isType }) => !isType),
      ),
      ...section(
        'Types',
        fresh.filter(({ isType }) => isType),
      ),
      ...(links.length === 0 ? [] : [`Also exported here: ${links.join(', ')}.`]),
    ];
  });
  return page(
    `# ${title}`,
    '<!-- Made by `npm run docs` from the declarations that the compiler emits. Do not edit. -->',
    'What each entry of the package exports. [api.txt](api.txt) has the same without comments.',
    ...parts,
  );
}

function exportSection({ name, doc, text }: Exported): readonly string[] {
  return [`#### ${name}`, ...(doc === '' ? [] : [doc]), ['```ts', text, '```'].join('\n')];
}

export function renderApiReport(): string {
  const parts = entries().flatMap(({ name, exports, hidden }) => [
    `== ${name}`,
    ...exports.map(({ bare }) => bare),
    ...(hidden.length === 0 ? [] : [`-- used here, exported nowhere: ${hidden.join(', ')}`]),
  ]);
  return page(
    'The public API. Made by `npm run docs`; a change here is a change for users.',
    ...parts,
  );
}

let made: readonly Entry[] | undefined;

function entries(): readonly Entry[] {
  made ??= readEntries();
  return made;
}

function readEntries(): readonly Entry[] {
  compile();
  const found = entryFiles().map(({ name, path }) => ({ name, path, exports: publicOf(path) }));
  const everywhere = new Set(found.flatMap(({ exports }) => [...exports.values()].flat()));
  const anywhere = publicNames(found.flatMap(({ exports }) => [...exports]));
  const written = found.map(({ name, path, exports }) => {
    // an entry may have its own name for what another one exports too
    const names = new Map([...anywhere, ...publicNames([...exports])]);
    return {
      name,
      path,
      declared: [...exports]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([exported, declarations]) => ({
          exported,
          declarations,
          text: textOf(declarations, names),
        })),
    };
  });
  const texts = formatted(
    written.flatMap(({ declared }) =>
      declared.flatMap(({ text }) => [text, withoutComments(text)]),
    ),
  );
  return written.map(({ name, path, declared }) => ({
    name,
    doc: firstDoc(readFileSync(path, 'utf8')),
    exports: declared.map(({ exported, declarations, text }) => ({
      name: exported,
      isType: declarations.every(({ node }) => isTypeNode(node.type)),
      doc: declarations.map(({ doc }) => doc).find((doc) => doc !== '') ?? '',
      text: texts.get(text) ?? '',
      bare: texts.get(withoutComments(text)) ?? '',
      declarations,
    })),
    hidden: hiddenIn(
      declared.flatMap(({ declarations }) => declarations),
      everywhere,
    ),
  }));
}

type PublicNames = ReadonlyMap<Declaration, string>;

/** A program imports a declaration by this name, whatever its file calls it. */
function publicNames(exports: readonly (readonly [string, readonly Declaration[]])[]): PublicNames {
  return new Map(
    exports.flatMap(([name, declarations]) => declarations.map((each) => [each, name] as const)),
  );
}

/** Writes the declarations; does not compile up-to-date ones again. */
function compile(): void {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, '-b', join(ROOT, 'src/tsconfig.index.json')],
    { encoding: 'utf8' },
  );
  if (status !== 0)
    throw new Error(`The sources do not compile, so the API is unknown:\n${stdout}`);
}

/** Resolves a constant that only renames a function to that function. */
function publicOf(path: string): ReadonlyMap<string, readonly Declaration[]> {
  const passedOn = ({ node, file }: Declaration): readonly Declaration[] => {
    const constant = listOf(node['declarations'])[0]?.['id'];
    const [query] = [...walk(constant)].filter(({ type }) => type === 'TSTypeQuery');
    return lookUp(nameOf(query === undefined ? undefined : childOf(query, 'exprName')), file);
  };
  return new Map(
    [...exportsOf(path)].map(([name, declarations]) => {
      const others = declarations.flatMap(passedOn);
      return [name, others.length === 0 ? declarations : others] as const;
    }),
  );
}

/** The entries that package.json exports, as the compiler wrote them. */
function entryFiles(): readonly { readonly name: string; readonly path: string }[] {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly types?: string }>>;
  };
  return Object.entries(exports).flatMap(([entry, to]) =>
    typeof to === 'string' || to.types === undefined
      ? []
      : [{ name: join(name, entry), path: join(ROOT, to.types.replace(/^\.\/dist/, 'build')) }],
  );
}

function isTypeNode(type: string): boolean {
  return type === 'TSInterfaceDeclaration' || type === 'TSTypeAliasDeclaration';
}

function textOf(declarations: readonly Declaration[], names: PublicNames): string {
  return declarations.map((each) => shortened(each, names)).join('\n');
}

/** The longest map of a constant that is written out; a longer one shows only its keys. */
const MAX_MEMBERS = 40;

/**
 * Removes the parts that a reader cannot use, and writes out the texts that a list of constants
 * stands for.
 */
function shortened(declaration: Declaration, names: PublicNames): string {
  const { node, file, text } = declaration;
  const start = node.end - text.length;
  const renamed = [...walk(node)].flatMap((each) => renamings(each, declaration, names));
  const edits = [...walk(node)].flatMap((each): readonly Edit[] => {
    if (each.type === 'TSIndexedAccessType') {
      const words = listedWords(each, file);
      return words === undefined ? [] : [{ ...each, by: words.join(' | ') }];
    }
    const members = each.type === 'TSTypeLiteral' ? listOf(each['members']) : [];
    if (node.type !== 'VariableDeclaration' || members.length <= MAX_MEMBERS) return [];
    return members.flatMap((member) => {
      const inner = childOf(member, 'typeAnnotation');
      return inner === undefined ? [] : [{ ...inner, by: ': {}' }];
    });
  });
  return withoutInner([...edits, ...renamed])
    .toReversed()
    .reduce(
      (done, edit) => done.slice(0, edit.start - start) + edit.by + done.slice(edit.end - start),
      text,
    )
    .replace(/^export (?:declare )?/, '')
    .replace(/^ *#private;\n/m, '');
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** The edits in order; one inside of another is replaced with it. */
function withoutInner(edits: readonly Edit[]): readonly Edit[] {
  let end = -1;
  return edits
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter((edit) => {
      const isInner = edit.start < end;
      if (!isInner) ({ end } = edit);
      return !isInner;
    });
}

/** Gives a declaration its public name, where it is declared and where others use it. */
function renamings(
  each: SyntaxNode,
  { node, file }: Declaration,
  names: PublicNames,
): readonly Edit[] {
  const ids = each === node ? [node, ...listOf(node['declarations'])] : [];
  const used = ['typeName', 'exprName', 'expression'].map((field) => childOf(each, field));
  return [...ids.map((one) => childOf(one, 'id')), ...used].flatMap((id) => {
    if (id?.type !== 'Identifier') return [];
    const [found] = lookUp(nameOf(id), file);
    const by = found === undefined ? undefined : names.get(found);
    return by === undefined || by === nameOf(id) ? [] : [{ ...id, by }];
  });
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '');
}

/** The comment at the head of a file. */
function firstDoc(text: string): string {
  return docBefore(text, text.indexOf('*/') + 2);
}

/** Names in signatures that nobody can import. */
function hiddenIn(
  declarations: readonly Declaration[],
  exported: ReadonlySet<Declaration>,
): readonly string[] {
  const hidden = declarations.flatMap(({ node, file }) =>
    [...walk(node)].flatMap((each) => {
      const name = nameOf(childOf(each, 'typeName')) || nameOf(childOf(each, 'expression'));
      const [found] = lookUp(name, file);
      return found === undefined || exported.has(found) ? [] : [name];
    }),
  );
  return [...new Set(hidden)].toSorted();
}

/** Each text in the formatter's style. */
function formatted(texts: readonly string[]): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-api-'));
  try {
    const files = texts.map((text, at) => ({ text, path: join(folder, `${at}.d.ts`) }));
    for (const { text, path } of files) writeFileSync(path, text);
    execFileSync(process.execPath, [
      join(ROOT, 'node_modules/oxfmt/bin/oxfmt'),
      '--config',
      join(ROOT, '.oxfmtrc.json'),
      folder,
    ]);
    return new Map(files.map(({ text, path }) => [text, readFileSync(path, 'utf8').trimEnd()]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
