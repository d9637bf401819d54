/** The open failures of a run: the first in full, further ones by name. */
import type { JSX } from 'preact';
import type { PersonReport } from '../../../src/errors/report/audiences.ts';
import { KindLink, Region, StepLink } from '../parts.tsx';
import { FailurePanel } from './failure-panel.tsx';
import { isByReply, lastReply, openFailures } from './open-failures.ts';
import type { RunActions, RunPageData } from './page-data.ts';
import { uselessReplies } from './useless-replies.ts';

export interface FailuresProps {
  readonly page: RunPageData;
  /** Absent in a file. */
  readonly actions: RunActions | undefined;
}

/** The failure that the run ended with or waits for; further open ones link to their steps. */
export function Failures({ page, actions }: FailuresProps): JSX.Element | null {
  const [first, ...others] = openFailures(page);
  if (first === undefined) return null;
  const history = page.life?.find(
    ({ id, error }) => id === first.id || error.cause?.id === first.id,
  );
  return (
    <Region name="Failure" id="failure" class="failure-region">
      <FailurePanel
        run={page.run}
        report={first}
        history={history}
        replies={uselessReplies(page, first)}
        lastReply={lastReplyTo(page, first)}
        source={page.source}
        copyReport={actions?.copyReport}
      />
      {others.length > 0 && (
        <div class="sub">
          <h3>Open as well</h3>
          <ul>
            {others.map((other) => (
              <li key={other.id}>
                <KindLink kind={other.kind} /> {other.message}{' '}
                {other.location?.path !== undefined && (
                  <StepLink run={page.run} path={other.location.path} />
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
    </Region>
  );
}

function lastReplyTo({ reply, events }: RunPageData, report: PersonReport): unknown {
  const path = report.location?.path;
  if (path === undefined || !isByReply(report)) return undefined;
  return reply ?? lastReply(events ?? [], path);
}
