/**
 * One connection to the file of a store: opened, checked and migrated; statements prepared once;
 * every error typed. Never writes to a file that was deleted, because a commit to a file without a
 * name would be acknowledged and lost.
 */
import { accessSync, constants, statfsSync, statSync, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { corrupt, isOutageBy, unavailable } from '../store-failure.ts';
import { migrate } from './migrate.ts';
import { makePrivateFile, makePrivateFolders } from './private-files.ts';
import { openDatabase } from './load-sqlite.ts';
import { isOurs, keepFilesPrivate } from './own-files.ts';
import { isOpenHere, noteClosed, noteOpened, type FileIdentity } from './open-files.ts';
import { integerAt, textAt } from '../typed-row.ts';
import { fingerprint, isWritable, isWritablePlace, openToRead } from './open-to-read.ts';
import { versionOf } from './checked-rows.ts';
import { isBusy, isReadOnly, sqliteFailure } from './sqlite-failure.ts';
import { checkWal } from './wal-check.ts';

/** `full` survives a power cut; `normal` survives the death of the process, and is faster. */
export type Durability = 'full' | 'normal';

export interface ConnectionOptions {
  readonly path: string;
  readonly durability: Durability;
  /** The file does not grow beyond it. */
  readonly maxBytes?: number | undefined;
  /** Nothing will be written, so it is enough that it can be read. */
  readonly onlyReads?: boolean | undefined;
}

/**
 * Frames in the write-ahead log before it is merged into the database. `normal` syncs only then, so
 * it merges less often; `full` is quicker with a short log, whose file need not grow.
 */
const FRAMES_BEFORE_MERGE: Readonly<Record<Durability, number>> = { full: 1000, normal: 4000 };

/** With durability `normal`, how long the last check of the file counts. */
const CHECK_INTERVAL_MS = 1;

/** How long a statement may block the process while another one has the lock. */
const BUSY_TIMEOUT_MS = 5;

const OPEN_TRIES = 20;
const OPEN_PAUSE_MS = 25;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #statements = new Map<string, StatementSync>();
  #db: DatabaseSync | null = null;
  #file: FileIdentity | null = null;
  #isClosed = false;
  /** How often the file was opened: each connection counts the writes anew. */
  #opened = 0;
  #checkedAtMs = 0;
  /** For a file that was opened read-only: its state at that time. */
  #seen: string | null = null;
  readonly #forget: () => void;

  /** `forget` is called when the file may no longer hold what was read from it. */
  constructor(options: ConnectionOptions, forget: () => void) {
    this.#options = options;
    this.#forget = forget;
  }

  /** Creates the file if there is none. Waits for other processes that are opening it too. */
  async open(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        if (this.#options.onlyReads !== true) makePrivateFolders(dirname(this.#options.path));
        this.#connect();
        return;
      } catch (error) {
        if (!isBusy(error) || tries === OPEN_TRIES) throw this.failure(error);
      }
      await delay(OPEN_PAUSE_MS);
    }
  }

  /** Prepared once for each text. */
  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#openedDatabase().prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** Makes sure that the file exists and is the one that is open. */
  check(): void {
    if (this.#isClosed) throw unavailable('closed');
    const isHurried = this.#options.durability === 'normal';
    if (isHurried && this.#wasJustChecked()) return;
    const present = statOf(this.#options.path);
    if (present === null) throw unavailable('file_missing', this.#where());
    const isSame = present.ino === this.#file?.ino && present.dev === this.#file.dev;
    if (this.#db !== null && isSame && this.#isAsSeen()) {
      if (isHurried) this.#checkedAtMs = performance.now();
      return;
    }
    this.#discard();
    // an empty file in its place would count as a new store, and every run as unknown
    if (present.size === 0) throw unavailable('file_replaced', this.#where());
    this.#connect();
  }

  /** Runs `body` over one state of the database. */
  read<T>(body: () => T, where: JsonObject = {}): T {
    try {
      this.check();
      this.prepare('BEGIN').run();
      const result = body();
      this.prepare('COMMIT').run();
      return result;
    } catch (error) {
      this.rollback();
      throw this.failure(error, where);
    }
  }

  /**
   * A text that changes with every write to the file by any process, and when another file takes
   * its place.
   */
  writeMark(): string {
    try {
      this.check();
      return `${this.#opened} ${versionOf(this)}`;
    } catch (error) {
      throw this.failure(error);
    }
  }

  /**
   * Rewrites the file without removed data, and empties the write-ahead log, which would keep the
   * old pages. Throws `store.unavailable` when other processes use it for too long.
   */
  async compact(patienceMs: number): Promise<void> {
    await this.#patiently(patienceMs, () => this.prepare('VACUUM').run());
    await this.#patiently(patienceMs, () => {
      const merged = this.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      if (merged !== undefined && integerAt(merged, 'busy') !== 0)
        throw unavailable('busy', this.#where());
    });
  }

  async #patiently(patienceMs: number, work: () => void): Promise<void> {
    const sinceMs = performance.now();
    for (;;) {
      try {
        this.check();
        work();
        return;
      } catch (error) {
        const isPassing = isBusy(error) || isOutageBy(error, 'busy');
        if (!isPassing || performance.now() - sinceMs > patienceMs) throw this.failure(error);
      }
      await delay(OPEN_PAUSE_MS);
    }
  }

  /** After an error; leaves no transaction behind. */
  rollback(): void {
    this.#forget();
    try {
      if (this.#db?.isTransaction === true) this.#db.exec('ROLLBACK');
    } catch {
      // the first error is the one to report; closing the connection ends the transaction too
      this.#discard();
    }
  }

  failure(error: unknown, where: JsonObject = {}): unknown {
    const place = { ...this.#where(), ...where };
    // SQLite only reads a file whose header names a format that it does not know
    if (isReadOnly(error) && isWritable(this.#options.path)) {
      return corrupt('The header of the store is damaged', { ...place, file: 'header' }, error);
    }
    const failure = sqliteFailure(error, place);
    // SQLite does not always report why a write failed
    if (isOutageBy(failure, 'io') && isFull(dirname(this.#options.path)))
      return unavailable('full', place, error);
    return failure;
  }

  close(): void {
    this.#isClosed = true;
    this.#discard();
  }

  #where(): JsonObject {
    return { store: basename(this.#options.path) };
  }

  /** Checking the file costs a tenth of a quick commit; unsynced commits check less often. */
  #wasJustChecked(): boolean {
    return this.#db !== null && performance.now() - this.#checkedAtMs < CHECK_INTERVAL_MS;
  }

  #isAsSeen(): boolean {
    return this.#seen === null || this.#seen === fingerprint(this.#options.path);
  }

  #openedDatabase(): DatabaseSync {
    if (this.#db === null) throw unavailable('closed', this.#where());
    return this.#db;
  }

  #discard(): void {
    this.#forget();
    this.#statements.clear();
    const db = this.#db;
    const file = this.#file;
    this.#db = null;
    this.#file = null;
    this.#seen = null;
    if (db?.isOpen === true) db.close();
    if (file !== null) noteClosed(file);
  }

  #connect(): void {
    const { path, durability, onlyReads = false } = this.#options;
    this.#opened++;
    const present = statOf(path);
    // a device or a pipe accepts a write, and keeps nothing
    if (present !== null && !present.isFile())
      throw unavailable('cannot_open', { ...this.#where(), needs: 'regular file' });
    if (onlyReads && !isWritablePlace(path)) return this.#connectToRead();
    const isNew = present === null || present.size === 0;
    // SQLite would leave files beside it that stay read-only, even when this one is writable again
    if (!isNew) accessSync(path, constants.R_OK | constants.W_OK);
    // the files that SQLite makes beside it get the same rights
    if (present === null) makePrivateFile(path);
    else if (isNew || isOurs(path)) keepFilesPrivate(path);
    // the first connection of this process has checked the log already
    const isLookedAt = present !== null && isOpenHere(present);
    const reader = isLookedAt ? null : checkWal(path, { isSynced: durability === 'full' });
    try {
      this.#db = this.#openDatabase(isNew);
      // its header may still be in the log beside it
      keepFilesPrivate(path);
      this.#file = statOf(path);
      if (this.#file !== null) noteOpened(this.#file);
    } finally {
      reader?.close();
    }
  }

  #connectToRead(): void {
    const { path } = this.#options;
    const seen = fingerprint(path);
    const db = openToRead(path, BUSY_TIMEOUT_MS);
    try {
      migrate(db);
      db.exec(WARY);
    } catch (error) {
      db.close();
      throw error;
    }
    this.#db = db;
    this.#seen = seen;
    this.#file = statOf(path);
    if (this.#file !== null) noteOpened(this.#file);
  }

  #openDatabase(isNew: boolean): DatabaseSync {
    const { path, maxBytes } = this.#options;
    const db = openDatabase(path, {
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: false,
    });
    try {
      // an old file is checked before anything in it is changed, its mode included
      if (!isNew) migrate(db);
      this.#setMode(db);
      if (isNew) migrate(db);
      limitSize(db, maxBytes);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  #setMode(db: DatabaseSync): void {
    const mode = db.prepare('PRAGMA journal_mode = WAL').get();
    if (mode === undefined || textAt(mode, 'journal_mode') !== 'wal') {
      throw unavailable('cannot_open', { ...this.#where(), needs: 'write-ahead log' });
    }
    const { durability } = this.#options;
    const isSynced = durability === 'full';
    db.exec(`
      PRAGMA synchronous = ${isSynced ? 'FULL' : 'NORMAL'};
      PRAGMA fullfsync = ${isSynced ? 'ON' : 'OFF'};
      PRAGMA wal_autocheckpoint = ${FRAMES_BEFORE_MERGE[durability]};
      PRAGMA secure_delete = ON;
      ${WARY}
    `);
  }
}

/** For a file that anyone may have changed. */
const WARY = 'PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;';

function isFull(folder: string): boolean {
  try {
    return statfsSync(folder).bavail === 0;
  } catch {
    // missing or unreadable: then that is not the reason
    return false;
  }
}

function statOf(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

function limitSize(db: DatabaseSync, maxBytes: number | undefined): void {
  if (maxBytes === undefined) return;
  const row = db.prepare('PRAGMA page_size').get();
  const pageBytes = row === undefined ? maxBytes : integerAt(row, 'page_size');
  db.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(maxBytes / pageBytes))}`);
}
