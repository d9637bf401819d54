/** Temporal's own data of a run, read by its own client as anyone would. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { TemporalConfig } from '../../src/engine/temporal/config.ts';
import { PACKAGES } from './stage.ts';

/** Payloads are bytes in a history, and base64 in its JSON. */
export function textsIn(events: readonly object[]): string {
  return JSON.stringify(events, (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
}

export async function historyText(
  { address, namespace }: TemporalConfig,
  run: string,
): Promise<string> {
  const { Connection, Client } = createRequire(join(PACKAGES, 'package.json'))(
    '@temporalio/client',
  );
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    const { events } = await client.workflow.getHandle(run).fetchHistory();
    return textsIn(events);
  } finally {
    await connection.close();
  }
}
