/**
 * Writes the files of the command a second time, as CommonJS: `bin/load-command.mjs` can keep the
 * compiled code of such files. Nobody can keep that of ES modules, because V8 makes it before they
 * run. Also writes entries of the package, for modules of workflows, which must get the Errand that
 * runs them.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'rolldown/utils';

/** Names that CommonJS gives to a file. */
const GIVEN = new Set(['exports', 'require', 'module', '__filename', '__dirname']);

const ADDRESS = 'require("node:url").pathToFileURL(__filename).href';

/**
 * @param {string} dist
 * @param {readonly string[]} entries paths in it without their extension, the command's first
 */
export function writeCommandParts(dist, entries) {
  const paths = new Set(entries.map((name) => join(dist, `${name}.js`)));
  const [main = ''] = paths;
  const hash = createHash('sha256');
  // the loop also visits paths that are added during it
  for (const path of paths) {
    const { text, imported } = asCommonJs(path, { isMain: path === main });
    for (const each of imported) paths.add(each);
    hash.update(`${relative(dist, path)}\n${text}`);
    writeFileSync(commonJsName(path), text);
  }
  // files of two builds may have the same length, which is all that V8 compares
  writeFileSync(join(dirname(main), 'build-id'), hash.digest('hex').slice(0, 16));
}

/**
 * @param {string} path of an ES module that the bundler wrote
 * @param {{ isMain: boolean }} options the command's own file awaits, and exports nothing
 * @returns {{ text: string, imported: readonly string[] }} the files of ours that it imports, at once or on demand
 */
function asCommonJs(path, { isMain }) {
  const source = readFileSync(path, 'utf8');
  const { program, module } = parseSync(path, source);
  /** @type {{ start: number, end: number, text: string }[]} */
  const edits = [];
  /** @type {string[]} */
  const imported = [];
  /** @param {{ start: number, end: number }} node @param {string} text */
  const replace = ({ start, end }, text) => edits.push({ start, end, text });
  /** @param {string} specifier */
  const required = (specifier) => {
    if (!specifier.startsWith('.')) throw new Error(`${path} imports ${specifier}`);
    imported.push(join(dirname(path), specifier));
    return `require(${JSON.stringify(commonJsName(specifier))})`;
  };

  /**
   * Names whose value an importer would take too early. @type {Set<string>}
   */
  const changing = new Set();
  for (const node of program.body)
    for (const { name, isSet } of declaredBy(node)) {
      if (GIVEN.has(name)) throw new Error(`${path} declares ${name}`);
      if (!isSet) changing.add(name);
    }
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') {
      const names = node.specifiers.map((each) => {
        if (each.type !== 'ImportSpecifier') throw new Error(`${path} imports a whole module`);
        return `${nameOf(each.imported)}: ${each.local.name}`;
      });
      const from = required(node.source.value);
      replace(node, names.length === 0 ? `${from};` : `const { ${names.join(', ')} } = ${from};`);
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration === null) {
      const from = node.source === null ? '' : `${required(node.source.value)}.`;
      const changed = node.specifiers.find((each) => changing.has(nameOf(each.local)));
      if (from === '' && changed !== undefined) throw new Error(`${path} may change an export`);
      // in this form, Node finds the names without running the file
      const lines = node.specifiers.map(
        (each) => `exports.${nameOf(each.exported)} = ${from}${nameOf(each.local)};`,
      );
      replace(node, lines.join(' '));
    } else if (node.type.startsWith('Export')) throw new Error(`${path} has an ${node.type}`);
  }
  for (const { start, end, moduleRequest } of module.dynamicImports) {
    const specifier = source.slice(moduleRequest.start, moduleRequest.end);
    // a package that may be missing, or a file of the user
    if (!/^"\.{1,2}\//.test(specifier)) continue;
    const now = required(JSON.parse(specifier));
    // Node itself loads a part that a workflow's module imports, and its `require` has no `later`
    const later = `require.later?.(${JSON.stringify(commonJsName(JSON.parse(specifier)))})`;
    edits.push({ start, end, text: `(${later} ?? Promise.resolve().then(() => ${now}))` });
  }
  for (const { start, end } of module.importMetas) {
    const whole = end + '.url'.length;
    if (source.slice(end, whole) !== '.url') throw new Error(`${path} uses more than its address`);
    edits.push({ start, end: whole, text: `(${ADDRESS})` });
  }
  const body = edited(source, edits);
  return { text: `"use strict"; ${isMain ? inFunction(body) : body}`, imported };
}

/** @param {string} body */
function inFunction(body) {
  return `(async () => {${body}\n})();\n`;
}

/** @param {string} path */
function commonJsName(path) {
  return path.replace(/\.m?js$/, '.cjs');
}

/** @param {{ readonly type: string, readonly name?: string, readonly value?: unknown }} node */
function nameOf(node) {
  if (node.type !== 'Identifier') throw new Error(`${String(node.value)} is no name`);
  return node.name ?? '';
}

/**
 * @param {import('rolldown/utils').ESTree.Program['body'][number]} node at the top of a file
 * @returns {readonly { name: string, isSet: boolean }[]} whether it is set here and nowhere else
 */
function declaredBy(node) {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration')
    return [{ name: node.id?.name ?? '', isSet: true }];
  if (node.type !== 'VariableDeclaration') return [];
  return node.declarations.flatMap(({ id, init }) =>
    id.type === 'Identifier'
      ? [{ name: id.name, isSet: node.kind !== 'let' && init !== null }]
      : [],
  );
}

/**
 * @param {string} source
 * @param {readonly { start: number, end: number, text: string }[]} edits
 */
function edited(source, edits) {
  let at = 0;
  let text = '';
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    text += source.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + source.slice(at);
}
