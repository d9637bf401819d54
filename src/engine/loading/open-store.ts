/** Opens the store of an address. */
import { isAbsolute, join } from 'node:path';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { foreignWords } from '../../errors/thrown/describe-thrown.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { openSqliteStore } from '../../stores/sqlite/sqlite.ts';
import type { Extensions } from './extensions.ts';

/**
 * `memory`, `sqlite:path`, `postgres://…`, or `name:address` of an extension. Rejects with
 * `validation.input`.
 */
export async function openStore(
  address: string | RunStore,
  directory: string,
  extensions?: Extensions,
): Promise<RunStore> {
  if (typeof address !== 'string') return address;
  if (address === 'memory') return openMemoryStore({ now: Date.now });
  const { scheme = '', rest = '' } =
    /^(?<scheme>[a-z][a-z0-9_]*):(?<rest>.+)$/.exec(address)?.groups ?? {};
  const path = sqlitePath(address, directory);
  if (path !== undefined) return openSqliteStore({ path, now: Date.now });
  if (scheme === 'postgres' || scheme === 'postgresql') {
    const { openPostgres } = await import('./open-postgres.ts');
    return openPostgres(address, directory);
  }
  const open = extensions?.part(scheme, 'store');
  if (open === undefined) throw unknownStore(extensions?.having('store') ?? []);
  try {
    return checked(scheme, await open(rest));
  } catch (thrown) {
    if (thrown instanceof ErrandError) throw thrown;
    throw new ErrandError(
      {
        kind: 'store.unavailable',
        message: `The store of the extension ${scheme} could not be opened: ${foreignWords(thrown)}`,
      },
      { cause: thrown },
    );
  }
}

/** Undefined for the address of another store. Throws `validation.input`. */
export function sqlitePath(address: string, directory: string): string | undefined {
  const path = /^sqlite:(?<path>.+)$/s.exec(address)?.groups?.['path'];
  if (path === undefined) return undefined;
  if (IN_MEMORY.test(path)) throw memoryAsFile();
  return isAbsolute(path) ? path : join(directory, path);
}

/** Names that SQLite and its libraries use for a database without a file. */
const IN_MEMORY = /^(?:\/\/)?(?:file:)?:memory:/i;

/** Refuses it: a file of that name would keep runs that were meant for memory. */
function memoryAsFile(): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message: 'A SQLite store must be a file, and `:memory:` is not one',
    action: {
      kind: 'change_input',
      detail: 'Use `memory` to keep runs in memory, or `sqlite:` and the path of a file.',
    },
  });
}

/** A table, so that none can be forgotten. */
const METHODS: Readonly<Record<Exclude<keyof RunStore, 'writeMark'>, true>> = {
  create: true,
  append: true,
  read: true,
  get: true,
  summary: true,
  list: true,
  claim: true,
  heartbeat: true,
  release: true,
  saveCheckpoint: true,
  loadCheckpoint: true,
  dropCheckpoints: true,
  remove: true,
  tombstone: true,
  compact: true,
  send: true,
  messages: true,
  runsWithMessages: true,
  breakers: true,
  changeBreaker: true,
  due: true,
  noteStop: true,
  addEndpoint: true,
  endpoints: true,
  takeDeliveries: true,
  settleDelivery: true,
  notes: true,
  setNote: true,
  close: true,
};

/** Checks that the methods exist; the shared store cases check that they work. */
function checked(name: string, store: RunStore): RunStore {
  const lacking = Object.keys(METHODS).filter(
    (method) => typeof readProperty(store, method) !== 'function',
  );
  if (lacking.length === 0) return store;
  throw new ErrandError({
    kind: 'extension.contract',
    message: `The store of the extension ${name} lacks ${lacking.join(', ')}`,
    details: { extension: name, lacking },
    action: { kind: 'fix_code', detail: 'Implement every method of RunStore.' },
  });
}

function unknownStore(extensions: readonly string[]): ErrandError {
  const others = extensions.map((name) => `, or to \`${name}:\` and an address`).join('');
  return new ErrandError({
    kind: 'validation.input',
    message: 'The address of the store is not one that Errand knows',
    action: {
      kind: 'change_input',
      detail: `Set ERRAND_STORE, or the option \`store\`, to \`memory\`, to \`sqlite:\` and a path, or to \`postgres://\` and the rest of its URL${others}.`,
    },
  });
}
