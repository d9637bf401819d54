/** A database whose connection was lost after it had been open: it may have executed the statement. */
import { readProperty } from '../../errors/support/safe-json.ts';

const CODES: ReadonlySet<unknown> = new Set([
  // mysql2
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  // postgres
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  // Prisma
  'P1017',
  // SQLSTATE: connection failure, transaction resolution unknown, statement completion unknown
  '08006',
  '08007',
  '40003',
]);

const NAMES: ReadonlySet<unknown> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'SocketClosedUnexpectedlyError',
]);

/** The words of clients that give it neither a code nor a name: pg and ioredis. */
const WORDS: ReadonlySet<unknown> = new Set([
  'Connection terminated unexpectedly',
  'Connection terminated',
  'Connection is closed.',
]);

export function isLostConnection(link: unknown): boolean {
  return (
    CODES.has(readProperty(link, 'code')) ||
    NAMES.has(readProperty(link, 'name')) ||
    WORDS.has(readProperty(link, 'message'))
  );
}
