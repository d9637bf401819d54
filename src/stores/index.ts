/** For whoever keeps runs elsewhere: the port, the stores there are, and what every store must do. */
export type {
  Checkpoint,
  Claim,
  ClaimOwner,
  ClaimRequest,
  ClaimState,
  Commit,
  ListQuery,
  LogHead,
  NewRun,
  RemoveRequest,
  RunRecord,
  RunStore,
  RunSummary,
  RunStanding,
  SeenClaim,
  StoredCommit,
  StoredSignal,
  Tombstone,
} from '../machine/store-port.ts';
export { openMemoryStore, type MemoryStoreOptions } from './memory.ts';
export { openPostgresStore, type PostgresStoreOptions } from './postgres.ts';
export { openSqliteStore, type SqliteStoreOptions } from './sqlite.ts';
export { storeCases, type NewPlace, type StoreCase, type StorePlace } from './suite/suite.ts';
