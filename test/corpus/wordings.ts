/**
 * Short failures in the words of many services, from which the weights learn; `wordings.txt`
 * contains them.
 */
import { readFileSync } from 'node:fs';
import type { Entry } from './entries.ts';

/** `429 slow_down | You are too fast`, below a heading `= provider.rate_limited transient`. */
const LINE = /^(\d{3}|-|s) (.*?) \| (.*)$/;
const HEADING = /^= (\S+) (\S+)$/;
/** A code that is a name of gRPC; without a status it stands in a body. */
const GRPC_NAME = /^[A-Z_]+$/;

const STATUSES: Readonly<Record<string, number>> = { s: 200 };

export const WORDINGS: readonly Entry[] = read();

function read(): Entry[] {
  const lines = readFileSync(new URL('wordings.txt', import.meta.url), 'utf8').split('\n');
  let [kind, category] = ['', ''];
  return lines.flatMap((line, index) => {
    const heading = HEADING.exec(line);
    if (heading !== null) [, kind = '', category = ''] = heading;
    const found = LINE.exec(line);
    if (found === null) return [];
    const [, status = '', code = '', message = ''] = found;
    const expect = { kind, category, retryable: category === 'transient', retryAfterMs: null };
    return [
      { ...entryOf(status, code, message), id: `wording-${index}`, expect: { ...expect, why: '' } },
    ];
  });
}

function entryOf(status: string, code: string, message: string): Omit<Entry, 'id' | 'expect'> {
  const isThrown = (status === '-' || status === 's') && !GRPC_NAME.test(code);
  const named = code === '-' ? {} : { code };
  return {
    provider: '',
    api: '',
    operation: 'generate',
    status: STATUSES[status] ?? (status === '-' ? null : Number(status)),
    headers: {},
    body: isThrown ? null : { error: { message, ...named } },
    transport: isThrown ? { name: code === '-' ? 'Error' : code, message, code: null } : null,
    stream: status === 's' ? 'mid-stream' : false,
    contested: false,
  };
}
