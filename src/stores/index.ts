/** `errand/stores`: the port of a store, the stores that there are, and the cases that every store must pass. */
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
  RemovedRun,
  RemoveRequest,
  RunRecord,
  RunStore,
  RunStatusName,
  RunStatusRow,
  RunSummary,
  SeenClaim,
  StoredCommit,
  StoredMessage,
  Tombstone,
} from '../machine/ports/store-port.ts';
export type {
  Delivery,
  DeliveryResult,
  DueQuery,
  DueRun,
  Endpoint,
  EndpointState,
  Note,
  Notes,
  Notice,
  SharedWork,
  TakeDeliveries,
} from '../machine/ports/shared-work-port.ts';
export { openMemoryStore, type MemoryStoreOptions } from './memory.ts';
export type {
  PgClient,
  PgModule,
  PgPool,
  Prepared as PgStatement,
  SqlValue,
} from './postgres/database.ts';
export type { Row as SqlRow } from './typed-row.ts';
export { openPostgresStore, type PostgresStoreOptions } from './postgres/open-postgres-store.ts';
export type { Durability as SqliteDurability } from './sqlite/sqlite-connection.ts';
export { openSqliteStore, type SqliteStoreOptions } from './sqlite/sqlite.ts';
export {
  storeCases,
  type NewDatabase,
  type StoreCase,
  type TestDatabase,
} from './conformance/store-cases.ts';
