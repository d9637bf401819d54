/**
 * The direction of imports and the purity of the lower layers, read from the syntax tree of each
 * source file. The compiler and the linter enforce the same; this one also sees type imports in
 * strings, computed imports and third-party packages. The table of layers is `scripts/layers.mjs`.
 */
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { parseAst } from 'vite';
import { LAYERS, READS_THE_WORLD, TOP_LEVEL } from '../scripts/layers.mjs';

export interface SourceFile {
  /** The path relative to the root of the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Offence {
  readonly path: string;
  readonly line: number;
  readonly reason: string;
}

interface LayerRules {
  readonly imports: readonly string[];
  readonly doors?: Readonly<Record<string, readonly string[]>>;
  readonly isPure?: boolean;
}

const LAYERS_AND_TOP: Readonly<Record<string, LayerRules>> = { ...LAYERS, ...TOP_LEVEL };

/** Files beside the folders of `src`, each with its layer. */
const TOP_FILES = new Map<string, string>(
  Object.entries(TOP_LEVEL).flatMap(([layer, { files }]) =>
    files.map((file) => [file, layer] as const),
  ),
);

const READS_CLOCK = new Set<string>(READS_THE_WORLD);

/** Files that load modules outside the sources. */
const IMPORTS_BY_PATH = new Set([
  'src/effects/module/load-module.ts',
  // the page of a run, which another tool builds for another runtime
  'src/cli/project/run-html.ts',
]);

/** Third-party packages, each with the few files or folders that may know it. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  // types only: the bundle must not import it
  '@ai-sdk/provider': ['src/ai-sdk/', 'src/effects/model/'],
  '@hono/node-server': ['src/server/listen.ts'],
  '@hono/zod-openapi': ['src/server/'],
  '@jitl/quickjs-wasmfile-release-sync': ['src/effects/sandbox/quickjs.ts'],
  // types only; the package itself is loaded when a host has registered a provider
  '@opentelemetry/api': ['src/telemetry/otel/otel-api.ts'],
  '@temporalio/workflow': ['src/engine/temporal/'],
  commander: ['src/cli/'],
  croner: ['src/workflow/schedule/cron.ts'],
  hono: ['src/server/http/'],
  'quickjs-emscripten-core': ['src/effects/sandbox/quickjs.ts'],
  yaml: ['src/workflow/yaml/'],
  zod: ['src/errors/report/report-schema.ts', 'src/workflow/schema/'],
};

const FORBIDDEN_GLOBALS = new Set([
  'Buffer',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'fetch',
  'performance',
  'process',
  'require',
  'setImmediate',
  'setInterval',
  'setTimeout',
]);

const FORBIDDEN_MEMBERS = new Set(['Date.now', 'Math.random']);

const BUILTINS = new Set(builtinModules);

/** A node of the tree, with the fields that this file reads. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export function findOffences(files: readonly SourceFile[]): Offence[] {
  return files.filter((file) => !isTest(file.path)).flatMap(offencesIn);
}

function isTest(path: string): boolean {
  return /\.(test|test-d|cases)\.tsx?$/.test(path);
}

/** Layers that the dashboard contains; from others it uses only types. */
const SHOWN = ['errors', 'history'];
const SHOWN_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  preact: ['dashboard/'],
  '@preact/signals': ['dashboard/'],
  'preact-render-to-string': ['dashboard/html.tsx'],
  vite: ['dashboard/vite.config.ts'],
};

/** The dashboard runs in a browser, with the pure parts of the package. */
export function findDashboardOffences(files: readonly SourceFile[]): Offence[] {
  return files
    .filter((file) => !isTest(file.path))
    .flatMap((file) => {
      const offences: Offence[] = [];
      visit(parseAst(file.text, { lang: 'tsx' }), null, (node) => {
        const reason = dashboardOffence(node, file.path);
        if (reason !== null)
          offences.push({ path: file.path, line: lineAt(file.text, node.start), reason });
      });
      return offences;
    });
}

function dashboardOffence(node: Node, from: string): string | null {
  const source = node['source'];
  if (!isNode(source)) return null;
  const specifier = source['value'];
  if (typeof specifier !== 'string') return 'imports a computed path, which nobody can check';
  if (specifier.startsWith('node:')) return `runs in a browser and may not import ${specifier}`;
  if (!specifier.startsWith('.')) return packageOffence(specifier, from, SHOWN_PACKAGES);
  const path = posix.join(posix.dirname(from), specifier);
  if (path.startsWith('dashboard/')) return null;
  const layer = layerOf(path);
  if (layer === null) return `imports ${path}, which is not a layer of src`;
  const isOfType = node['importKind'] === 'type' || node['exportKind'] === 'type';
  if (SHOWN.includes(layer) || (isOfType && (isPure(layer) || layer === 'server'))) return null;
  return `the dashboard may not import ${layer} (${path})`;
}

function offencesIn(file: SourceFile): Offence[] {
  const layer = layerOf(file.path);
  const offences: Offence[] = [];
  const report = (node: Node, reason: string): void => {
    offences.push({ path: file.path, line: lineAt(file.text, node.start), reason });
  };
  if (layer === null) return [{ path: file.path, line: 1, reason: 'belongs to no known layer' }];

  const mustBePure = isPure(layer) && !READS_CLOCK.has(file.path);
  visit(parseAst(file.text, { lang: 'ts' }), null, (node, parent) => {
    const reason = importOffence(node, file.path, layer);
    if (reason !== null) report(node, reason);
    const use = mustBePure ? worldlyUse(node, parent) : null;
    if (use !== null) report(node, `src/${layer} is pure and may not use ${use}`);
  });
  return offences;
}

function importOffence(node: Node, from: string, layer: string): string | null {
  const source = node['source'];
  if (!isNode(source)) return null;
  if (typeof source['value'] !== 'string') {
    return IMPORTS_BY_PATH.has(from) ? null : 'imports a computed path, which nobody can check';
  }

  const specifier = source['value'];
  if (specifier.startsWith('.')) return relativeOffence(specifier, from, layer);
  if (specifier.startsWith('node:') || BUILTINS.has(specifier)) {
    return isPure(layer) ? `${layer} is pure and may not import ${specifier}` : null;
  }
  return packageOffence(specifier, from);
}

function relativeOffence(specifier: string, from: string, layer: string): string | null {
  const path = posix.join(posix.dirname(from), specifier);
  const target = layerOf(path);
  if (target === null) return `imports ${path}, which is not a layer of src`;
  if (target !== layer && !mayImport(layer, target)) {
    return `${layer} may not import ${target} (${path})`;
  }
  const doors = LAYERS_AND_TOP[layer]?.doors?.[target];
  if (doors?.includes(path.slice(`src/${target}/`.length)) === false) {
    return `${layer} may import of ${target} only ${doors.join(', ')} (${path})`;
  }
  const isBarrel = path.endsWith('/index.ts');
  if (isBarrel && layer !== 'root' && target !== 'root') {
    return `imports the list ${path}; import the file that has the name`;
  }
  return null;
}

function packageOffence(
  specifier: string,
  from: string,
  packages: typeof PACKAGES = PACKAGES,
): string | null {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const places = Object.hasOwn(packages, name) ? packages[name] : undefined;
  if (places === undefined) return `imports ${name}, which the table of packages does not have`;
  const isAllowed = places.some((place) =>
    place.endsWith('/') ? from.startsWith(place) : from === place,
  );
  return isAllowed ? null : `imports ${name}, which only ${places.join(' and ')} may`;
}

function worldlyUse(node: Node, parent: Node | null): string | null {
  if (node.type === 'MemberExpression') {
    const object = withoutCasts(node['object']);
    const property = memberName(node);
    if (object?.type !== 'Identifier' || property === null) return null;
    const path = `${String(object['name'])}.${property}`;
    if (FORBIDDEN_MEMBERS.has(path)) return path;
    return object['name'] === 'globalThis' && FORBIDDEN_GLOBALS.has(property) ? path : null;
  }
  if (node.type === 'NewExpression') {
    const callee = withoutCasts(node['callee']);
    const isDate = callee?.['name'] === 'Date';
    return isDate && asList(node['arguments']).length === 0 ? 'new Date() without a time' : null;
  }
  if (node.type !== 'Identifier' || !FORBIDDEN_GLOBALS.has(String(node['name']))) return null;
  return isPropertyName(node, parent) ? null : String(node['name']);
}

/** `x.process`, `{ process: 1 }` and `{ process?: T }` name a property, not the global. */
function isPropertyName(node: Node, parent: Node | null): boolean {
  if (parent === null || parent['computed'] === true) return false;
  const isShorthand = parent['shorthand'] === true;
  return parent['property'] === node || (parent['key'] === node && !isShorthand);
}

function memberName(node: Node): string | null {
  const property = node['property'];
  if (!isNode(property)) return null;
  const name = node['computed'] === true ? property['value'] : property['name'];
  return typeof name === 'string' ? name : null;
}

function withoutCasts(value: unknown): Node | null {
  if (!isNode(value)) return null;
  return isNode(value['expression']) ? withoutCasts(value['expression']) : value;
}

function layerOf(path: string): string | null {
  const [top, second, third] = path.split('/');
  if (top !== 'src' || second === undefined) return null;
  if (third === undefined) return TOP_FILES.get(second) ?? null;
  return Object.hasOwn(LAYERS, second) ? second : null;
}

function isPure(layer: string): boolean {
  return LAYERS_AND_TOP[layer]?.isPure === true;
}

function mayImport(layer: string, target: string): boolean {
  return LAYERS_AND_TOP[layer]?.imports.includes(target) === true;
}

function visit(
  node: unknown,
  parent: Node | null,
  look: (node: Node, parent: Node | null) => void,
): void {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, parent, look);
    return;
  }
  if (!isNode(node)) return;
  look(node, parent);
  for (const value of Object.values(node)) visit(value, node, look);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
