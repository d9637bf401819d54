/** The message after a refusal because somebody else was first. */
import type { AuditEntry } from '../../src/history/audit-trail.ts';
import { spaced } from '../text/words.ts';
import { read, v1 } from './api.ts';

/** Reads the current state of the run, and who acted on it last. */
export async function wordsOfNow(run: string): Promise<string> {
  const [{ status, attention }, audit] = await Promise.all([
    read<{ readonly status: string; readonly attention: string }>(v1('runs', run)),
    read<readonly AuditEntry[]>(v1('runs', run, 'audit')),
  ]);
  const last = audit.findLast(({ who }) => who !== 'errand');
  const now =
    attention === 'none' || attention === status ? status : `${status}, ${spaced(attention)}`;
  if (last === undefined) return `The run is now ${now}.`;
  const where = last.path === undefined ? '' : ` ${last.path}`;
  return `The run is now ${now}. Last, ${last.who} ${DID[last.what]}${where}: ${last.detail}.`;
}

const DID: Readonly<Record<AuditEntry['what'], string>> = {
  retry: 'retried',
  answer: 'answered',
  approve: 'approved',
  deny: 'denied',
  suppress: 'let pass',
  drift: 'accepted changes of',
  resume: 'resumed it',
  cancel: 'cancelled it',
};
