/** `docs/reference/events.md`: every event of a run, from the types and their doc comments. */
import { fileURLToPath } from 'node:url';
import {
  childOf,
  docBefore,
  listOf,
  listedWords,
  lookUp,
  nameOf,
  readSource,
  walk,
  type Declaration,
  type SourceFile,
  type SyntaxNode,
} from './declarations.ts';
import { anchor, cell, page, table } from './markdown.ts';

export const EVENTS_PAGE = 'docs/reference/events.md';

const EVENTS = fileURLToPath(import.meta.resolve('../../src/machine/state/events.ts'));

/** Types that another page describes, or that need no description. */
const KNOWN: Readonly<Record<string, string>> = {
  ErrorReport: 'report.schema.json',
  WorkflowPlan: 'workflow-file.md',
  JsonValue: '',
  JsonObject: '',
};

const INTRODUCTION = `An event is stored before anyone sees it, and a run is nothing but its events in order. \`errand run
--json\` and \`errand watch --json\` print them one per line, \`events.jsonl\` of a run has all of them, and
\`run.events()\` of the library gives them one by one. \`JsonValue\` is any JSON, \`JsonObject\` a map of JSON;
\`ErrorReport\` is described by [report.schema.json](report.schema.json). A field with \`?\` may be absent.`;

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly annotation: SyntaxNode;
  readonly doc: string;
  readonly file: SourceFile;
}

export function renderEvents(): string {
  const events = eventsIn('EventBody');
  const common = fieldsOf(aliased(declarationOf('RunEvent')), (name) => name === 'EventBody');
  const types = typesOf([...common, ...events.flatMap(({ fields }) => fields)]);
  const named = new Set(types.map(({ name }) => name));
  return page(
    '# Events',
    '<!-- Made by `npm run docs` from the types of the events. Do not edit. -->',
    INTRODUCTION,
    '## Fields of every event',
    fieldTable(common, named),
    ...events.flatMap(({ names, doc, fields }) => [
      `## ${names.join(', ')}`,
      doc,
      fieldTable(fields, named),
    ]),
    '## Types',
    ...types.flatMap((declaration) => [
      `### ${declaration.name}`,
      ...(declaration.doc === '' ? [] : [prose(declaration.doc)]),
      typeBody(declaration, named),
    ]),
  );
}

interface EventText {
  readonly names: readonly string[];
  readonly doc: string;
  readonly fields: readonly Field[];
}

/** Each member of the union, with the sentence about its `type`: when it is stored. */
function eventsIn(union: string): readonly EventText[] {
  const declaration = declarationOf(union);
  const members = listOf(aliased(declaration).node['types']);
  return members.map((node) => {
    const fields = fieldsOf({ node, file: declaration.file });
    const type = fields.find(({ name }) => name === 'type');
    if (type === undefined || type.doc === '')
      throw new Error(`an event says not when it is stored: ${textOf(node, declaration.file)}`);
    const names = [...walk(type.annotation)].flatMap(({ type: kind, value }) =>
      kind === 'Literal' ? [String(value)] : [],
    );
    return { names, doc: prose(type.doc), fields: fields.filter((field) => field !== type) };
  });
}

interface TypeNode {
  readonly node: SyntaxNode;
  readonly file: SourceFile;
}

/** The fields of a map, of the types that it joins and of those that it extends. */
function fieldsOf(
  { node, file }: TypeNode,
  isLeftOut: (name: string) => boolean = () => false,
): readonly Field[] {
  switch (node.type) {
    case 'TSIntersectionType':
      return listOf(node['types']).flatMap((each) => fieldsOf({ node: each, file }, isLeftOut));
    case 'TSParenthesizedType':
      return fieldsOf({ node: required(node, 'typeAnnotation'), file }, isLeftOut);
    case 'TSTypeLiteral':
      return listOf(node['members']).map((each) => fieldOf(each, file));
    case 'TSInterfaceDeclaration': {
      const bases = listOf(node['extends']).map((each) => nameOf(childOf(each, 'expression')));
      return [
        ...bases.flatMap((name) => fieldsOf(aliased(declarationOf(name, file)), isLeftOut)),
        ...listOf(required(node, 'body')['body']).map((each) => fieldOf(each, file)),
      ];
    }
    case 'TSTypeReference': {
      const name = nameOf(childOf(node, 'typeName'));
      return isLeftOut(name) ? [] : fieldsOf(aliased(declarationOf(name, file)), isLeftOut);
    }
    default:
      throw new Error(`${node.type} is no map of fields: ${textOf(node, file)}`);
  }
}

function fieldOf(member: SyntaxNode, file: SourceFile): Field {
  const name = nameOf(childOf(member, 'key'));
  const doc = docBefore(file.text, member.start);
  if (doc === '') throw new Error(`${name} in ${file.path} has no doc comment`);
  return {
    name,
    isOptional: member['optional'] === true,
    annotation: required(required(member, 'typeAnnotation'), 'typeAnnotation'),
    doc,
    file,
  };
}

/**
 * Every type that the fields name, and those that these types name, in the order of their first
 * use.
 */
function typesOf(fields: readonly Field[]): readonly Declaration[] {
  const found = new Map<string, Declaration>();
  const collect = ({ node, file }: TypeNode): void => {
    for (const each of walk(node)) {
      const name = nameOf(childOf(each, 'typeName'));
      const declaration = lookUp(name, file)[0];
      if (declaration === undefined || found.has(name) || name in KNOWN) continue;
      found.set(name, declaration);
      if (declaration.node.type === 'TSInterfaceDeclaration')
        for (const field of fieldsOf(declaration))
          collect({ node: field.annotation, file: field.file });
      else collect(declaration);
    }
  };
  for (const { annotation, file } of fields) collect({ node: annotation, file });
  return [...found.values()];
}

function typeBody(declaration: Declaration, named: ReadonlySet<string>): string {
  if (declaration.node.type === 'TSInterfaceDeclaration')
    return fieldTable(fieldsOf(declaration), named);
  const { node, file } = aliased(declaration);
  const list = node.type === 'TSIndexedAccessType' ? listedWords(node, file) : undefined;
  if (list !== undefined) return list.map((each) => `\`${each}\``).join(', ');
  return `\`${textOf(node, file)}\``;
}

function fieldTable(fields: readonly Field[], named: ReadonlySet<string>): string {
  return table(
    ['field', 'type', 'meaning'],
    fields.map((field) => [
      `\`${field.name}${field.isOptional ? '?' : ''}\``,
      typeCell(field, named),
      cell(prose(field.doc)),
    ]),
  );
}

function typeCell({ annotation, file }: Field, named: ReadonlySet<string>): string {
  const text = `\`${cell(textOf(annotation, file))}\``;
  const names = [...walk(annotation)].map((each) => nameOf(childOf(each, 'typeName')));
  const name = names.find((each) => named.has(each) || (KNOWN[each] ?? '') !== '');
  if (name === undefined) return text;
  return `[${text}](${named.has(name) ? `#${anchor(name)}` : KNOWN[name]})`;
}

function textOf({ start, end }: SyntaxNode, { text }: SourceFile): string {
  return text
    .slice(start, end)
    .replaceAll('readonly ', '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^\((.*)\)$/, '$1');
}

function prose(doc: string): string {
  return doc.replaceAll('\n', ' ');
}

function aliased(declaration: Declaration): TypeNode {
  const { node, file } = declaration;
  return { node: childOf(node, 'typeAnnotation') ?? node, file };
}

function declarationOf(name: string, file: SourceFile = readSource(EVENTS)): Declaration {
  const [declaration] = lookUp(name, file);
  if (declaration === undefined) throw new Error(`${file.path} has no type ${name}`);
  return declaration;
}

function required(node: SyntaxNode, field: string): SyntaxNode {
  const child = childOf(node, field);
  if (child === undefined) throw new Error(`${node.type} has no ${field}`);
  return child;
}
