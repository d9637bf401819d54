/** Reads the declaration of an extension once, and checks all of it before any part is used. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { isArray, isPlainObject, keysOf, readProperty } from '../../errors/support/safe-json.ts';
import { suggest } from '../../errors/support/suggest.ts';
import {
  EXTENSION,
  EXTENSION_CONTRACT,
  type ExtensionOptions,
  type ExtensionParts,
} from '../../machine/ports/extension-port.ts';
import { describeValue } from '../../workflow/diagnostics/diagnostic-words.ts';
import { readCallable } from '../module/callable.ts';

export interface ReadExtension {
  /** The declared value; the same value is the same extension. */
  readonly declared: object;
  readonly name: string;
  readonly needs: readonly string[];
  readonly parts: ExtensionParts;
  readonly hooks: Pick<ExtensionOptions, 'load' | 'start' | 'stop'>;
}

const MAPS = ['tools', 'nodes', 'models', 'providers'] as const;
const FUNCTIONS = ['store', 'render', 'sink', 'guard'] as const;
const HOOKS = ['load', 'start', 'stop'] as const;
const PARTS: readonly string[] = [...MAPS, ...FUNCTIONS];
const KEYS: readonly string[] = ['name', 'contract', 'needs', ...HOOKS, ...PARTS];

const NAME = /^[a-z][a-z0-9_]{0,49}$/;
const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

export function isExtension(value: unknown): value is object {
  return readProperty(value, EXTENSION) === true;
}

/** Throws `extension.contract`. `owner` is a module or the host. */
export async function readExtension(value: unknown, owner: string): Promise<ReadExtension> {
  if (!isExtension(value))
    throw wrong(owner, 'is not an extension', 'Make it with extension({name, contract, …}).');
  const name = readProperty(value, 'name');
  if (typeof name !== 'string' || !NAME.test(name))
    throw wrong(
      `an extension of ${owner}`,
      `has ${describeValue(name)} for its name`,
      'Name it with lowercase letters, digits and `_`, a letter first.',
    );
  const what = `the extension ${name} of ${owner}`;
  checkContract(readProperty(value, 'contract'), what);
  checkKeys(value, KEYS, what);
  const needs = readProperty(value, 'needs') ?? [];
  if (!isArray(needs) || !needs.every((need) => typeof need === 'string'))
    throw wrong(what, 'has `needs` that is not a list of names', "Write needs: ['other'].");
  const hooks = Object.fromEntries(HOOKS.flatMap((hook) => functionOf(value, hook, what)));
  const parts = await readParts(value, what);
  return { declared: value, name, needs: [...(needs as string[])], parts, hooks };
}

/** Also used for the parts that `load` returns. */
export async function readParts(value: object, what: string): Promise<ExtensionParts> {
  const maps = MAPS.flatMap((part) => mapOf(value, part, what));
  for (const [part, entries] of maps) {
    if (part !== 'tools' && part !== 'nodes') continue;
    for (const [key, callable] of Object.entries(entries)) {
      if (!KEY.test(key))
        throw wrong(what, `has ${describeValue(key)} among its ${part}`, 'Use letters and digits.');
      const reading = await readCallable(key, callable, what);
      if (reading.type === 'other')
        throw wrong(
          what,
          `has ${key} among its ${part}, which ${reading.what}`,
          'Set it to a function.',
        );
    }
  }
  const functions = FUNCTIONS.flatMap((part) => functionOf(value, part, what));
  return Object.fromEntries([...maps, ...functions]);
}

export function checkLoaded(value: unknown, what: string): object {
  if (value === undefined) return {};
  if (!isPlainObject(value)) throw wrong(what, 'returns no parts from `load`', 'Return {tools}.');
  checkKeys(value, PARTS, `the result of \`load\` of ${what}`);
  return value;
}

function checkContract(contract: unknown, what: string): void {
  if (contract === EXTENSION_CONTRACT) return;
  const isOther = typeof contract === 'number';
  throw wrong(
    what,
    isOther ? `is written for contract ${contract}` : 'does not name its contract',
    isOther
      ? `This Errand has contract ${EXTENSION_CONTRACT}: use a version of the extension, or of Errand, that matches.`
      : `Write contract: ${EXTENSION_CONTRACT}.`,
  );
}

function checkKeys(value: object, known: readonly string[], what: string): void {
  const odd = keysOf(value).find((key) => !known.includes(key));
  if (odd === undefined) return;
  const meant = suggest(odd, known);
  throw wrong(
    what,
    `has the unknown key \`${odd}\``,
    meant === undefined ? `It may have ${known.join(', ')}.` : `Write \`${meant}\`.`,
  );
}

function mapOf<K extends string>(value: object, key: K, what: string): [K, object][] {
  const found = readProperty(value, key);
  if (found === undefined) return [];
  if (isPlainObject(found)) return [[key, found]];
  throw wrong(what, `has \`${key}\` that is not an object`, `Write ${key}: {name: …}.`);
}

function functionOf<K extends string>(value: object, key: K, what: string): [K, unknown][] {
  const found = readProperty(value, key);
  if (found === undefined) return [];
  if (typeof found === 'function') return [[key, found]];
  throw wrong(what, `has \`${key}\` that is not a function`, `Write ${key}: () => ….`);
}

function wrong(what: string, problem: string, advice: string): ErrandError {
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)} ${problem}`;
  return new ErrandError({
    kind: 'extension.contract',
    message,
    details: { problem },
    action: { kind: 'fix_code', detail: advice },
  });
}
