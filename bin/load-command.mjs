/**
 * Loads the built command with the code that V8 compiled for it in an earlier process. Node fills
 * its own cache before a file runs, so that cache lacks every function that is compiled at its
 * first call: nearly all of them. This file fills the cache at the end of the process. Only scripts
 * allow that, which is why the command is also built as CommonJS.
 */
const { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readFileSync, readSync } =
  process.getBuiltinModule('node:fs');
const { renameSync, rmSync, statSync, writeSync } = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');
const Module = process.getBuiltinModule('node:module');
const { constants, Script } = process.getBuiltinModule('node:vm');

const BEFORE = '(function (exports, require, module, __filename, __dirname) { ';
const AFTER = '\n})';

/**
 * Exit code of a command that refused its arguments: any word may have stood in place of its name.
 */
const REFUSED = 2;

/** V8 copies data that begin at any other multiple. */
const ALIGNED = 8;

/** Number of digits of the checksum at the start of the file. */
const SUM = 8;

/**
 * A file of the command. Size and time show whether somebody has changed it since it was compiled.
 * @typedef {{ readonly name: string, readonly size: number, readonly mtimeMs: number }} Part
 */

/**
 * @param {string} main the command's own file
 * @param {string | undefined} folder for compiled code; without one, everything is compiled anew
 */
export function loadCommand(main, folder) {
  const root = path.dirname(path.dirname(main));
  const kept = folder === undefined ? undefined : path.join(folder, fileName(main));
  const compiled = kept === undefined ? new Map() : readCompiled(kept);
  const requireOther = Module.createRequire(main);
  /** @type {Map<string, { exports: unknown }>} */
  const modules = new Map();
  /** @type {(Part & { readonly script: import('node:vm').Script })[]} */
  const loaded = [];
  let hasNew = false;
  load(main);
  if (kept === undefined) return;
  process.once('exit', (code) => {
    if (hasNew && code !== REFUSED) writeCompiled(kept, loaded);
  });

  /** @param {string} file */
  function load(file) {
    const known = modules.get(file);
    if (known !== undefined) return known.exports;
    const module = Object.assign(new Module(file), { filename: file, loaded: true });
    modules.set(file, module);
    // a workflow's module may import a part, and must get this one
    requireOther.cache[file] = module;
    const name = path.relative(root, file);
    const { size, mtimeMs } = statSync(file);
    const before = compiled.get(name);
    const cachedData =
      before?.size === size && before.mtimeMs === mtimeMs ? before.data : undefined;
    // parts are ASCII, which this reads fastest
    const script = new Script(BEFORE + readFileSync(file, 'latin1') + AFTER, {
      filename: file,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(cachedData === undefined ? {} : { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected === true) hasNew = true;
    loaded.push({ name, size, mtimeMs, script });
    const folder = path.dirname(file);
    /** @param {string} id */
    const require = (id) => (id.startsWith('.') ? load(path.join(folder, id)) : requireOther(id));
    // like an import: loading takes a turn of the event loop, in which followers of a run receive
    // the effect whose code is loaded, and then the code is available at once
    /** @param {string} id */
    require.later = async (id) => {
      if (!modules.has(path.join(folder, id))) await new Promise(setImmediate);
      return require(id);
    };
    const run = script.runInThisContext();
    run.call(module.exports, module.exports, require, module, file, folder);
    return module.exports;
  }
}

/**
 * Names one file for each command, because each calls other functions of the same files.
 * @param {string} main
 */
function fileName(main) {
  const build = readFileSync(path.join(path.dirname(main), 'build-id'), 'utf8');
  // copies of one build have other times
  const copy = Math.trunc(statSync(main).mtimeMs).toString(36);
  const [typed = ''] = process.argv.slice(2);
  const command = /^[a-z]{1,20}$/.test(typed) ? typed : 'none';
  const { arch, version } = process;
  return ['errand', version, arch, process.getuid?.() ?? 0, build, copy, command].join('-');
}

/**
 * @param {string} file
 * @returns {Map<string, Part & { readonly data: Buffer }>} by name; empty where there is nothing to be trusted
 */
function readCompiled(file) {
  const parts = new Map();
  let opened;
  try {
    opened = openSync(file, 'r');
    const { size, uid } = fstatSync(opened);
    // V8 trusts its cache, so this file must not come from another user
    if (process.getuid !== undefined && uid !== process.getuid()) return parts;
    const bytes = Buffer.allocUnsafeSlow(size);
    if (readSync(opened, bytes) !== size) return parts;
    // damaged data would crash this process, and the next one
    if (bytes.toString('latin1', 0, SUM) !== sumOf(bytes.subarray(SUM))) return parts;
    const head = bytes.toString('latin1', SUM, bytes.indexOf('\n'));
    let at = SUM + aligned(head.length + 1);
    for (const { length, ...part } of JSON.parse(head)) {
      parts.set(part.name, { ...part, data: bytes.subarray(at, at + length) });
      at = aligned(at + length);
    }
    return parts;
  } catch {
    // the end of this process writes the file
    return new Map();
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}

/**
 * @param {string} file
 * @param {readonly (Part & { readonly script: import('node:vm').Script })[]} loaded
 */
function writeCompiled(file, loaded) {
  const parts = loaded.map(({ script, ...part }) => ({ ...part, data: script.createCachedData() }));
  const head = JSON.stringify(parts.map(({ data, ...part }) => ({ ...part, length: data.length })));
  const content = Buffer.concat(
    [Buffer.from(`${head}\n`), ...parts.map(({ data }) => data)].flatMap((bytes) => [
      bytes,
      Buffer.alloc(aligned(bytes.length) - bytes.length),
    ]),
  );
  const made = `${file}.${process.pid}`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    const opened = openSync(made, 'wx', 0o600);
    try {
      writeSync(opened, Buffer.concat([Buffer.from(sumOf(content)), content]));
      // another process must find all of it or nothing, even after a power failure
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    renameSync(made, file);
  } catch {
    // the next process compiles again, as this one did
    rmSync(made, { force: true });
  }
}

/** @param {Buffer} content */
function sumOf(content) {
  return process.getBuiltinModule('node:zlib').crc32(content).toString(16).padStart(SUM, '0');
}

/** @param {number} length */
function aligned(length) {
  return Math.ceil(length / ALIGNED) * ALIGNED;
}
