/** Lists runs with their current status: a run whose process is gone is interrupted, whatever its row says. */
import type {
  ListQuery,
  RunStatusName,
  RunStore,
  RunSummary,
} from '../../machine/ports/store-port.ts';

export async function listRuns(
  store: Pick<RunStore, 'list'>,
  { statuses, limit, ...query }: ListQuery,
  statusOf: (found: RunSummary) => RunStatusName,
): Promise<readonly RunSummary[]> {
  // rows say `running` for interrupted runs too, so both are read and separated afterwards
  const readsRunning = statuses?.some((status) => status === 'interrupted' || status === 'running');
  const found = await store.list({
    ...query,
    ...(statuses === undefined
      ? {}
      : {
          statuses:
            readsRunning === true ? [...new Set([...statuses, 'running' as const])] : statuses,
        }),
    ...(limit === undefined || readsRunning === true ? {} : { limit }),
  });
  return found
    .map((each) => ({ ...each, status: statusOf(each) }))
    .filter(({ status }) => statuses === undefined || statuses.includes(status))
    .slice(0, limit);
}
