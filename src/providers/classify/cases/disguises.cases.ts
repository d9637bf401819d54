/**
 * Disguises of a failure: what gateways, SDKs and servers add to one without changing what it is. Each takes an entry
 * of the corpora and gives the same failure as somebody else would pass it on.
 */
import { isArray, isPlainObject } from '../../../errors/support/safe-json.ts';
import type { Entry } from '../../../../test/corpus/entries.ts';

export type Disguise = (entry: Entry) => object;

type Fields = (fields: Record<string, unknown>) => Record<string, unknown>;

export const WRAPPINGS: Readonly<Record<string, Disguise>> = {
  'its fields in another order': (entry) => withFields(entry, (fields) => reversed(fields)),
  'its fields with a capital': (entry) => withFields(entry, (fields) => capital(fields)),
  'harmless fields beside it': (entry) =>
    as(
      entry,
      isPlainObject(entry.body) ? { ...BESIDE, ...entry.body, success: false } : entry.body,
    ),
  'a body that was not parsed': (entry) => as(entry, JSON.stringify(entry.body, null, 2)),
  'a field around it': (entry) => as(entry, { detail: entry.body }),
  'a list around it': (entry) => as(entry, { errors: [entry.body] }),
  'the message of LiteLLM': (entry) =>
    as(entry, {
      error: {
        message: `litellm.APIError: OpenAIException - ${JSON.stringify(entry.body)}. Received Model Group=mine`,
        type: 'None',
        param: 'None',
        code: String(entry.status),
      },
    }),
  'the metadata of OpenRouter': (entry) =>
    as(entry, {
      error: {
        message: 'Provider returned error',
        code: entry.status,
        metadata: { raw: JSON.stringify(entry.body), provider_name: 'Example' },
      },
    }),
  'the print of the Python SDK': (entry) =>
    as(entry, `Error code: ${entry.status} - ${printed(entry.body)}`),
  'the print of the Python SDK, its status lost': (entry) =>
    as({ ...entry, status: null }, `Error code: ${entry.status} - ${printed(entry.body)}`),
  'a Python dict as a message': (entry) =>
    as(entry, { error: { message: printed(entry.body), code: String(entry.status) } }),
  'the print of bytes in Python': (entry) => {
    const bytes = JSON.stringify(entry.body, null, 2).replaceAll('\\', '\\\\');
    const inQuotes = bytes.replaceAll("'", "\\'").replaceAll('\n', '\\n');
    return as(entry, `VertexAIException - b'${inQuotes}\\n'`);
  },
  'two gateways, one in the other': (entry) => {
    const inner = { error: { message: `upstream: ${JSON.stringify(entry.body)}` } };
    const message = `Error from provider: ${JSON.stringify(inner)}`;
    return as(entry, { error: { message, code: entry.status, type: 'upstream_error' } });
  },
  'a gateway that says 500': (entry) =>
    as(
      { ...entry, status: 500 },
      {
        error: {
          message: `upstream returned ${entry.status}: ${JSON.stringify(entry.body)}`,
          type: 'upstream_error',
        },
      },
    ),
  'a gateway that says 502 and keeps the response in a field': (entry) =>
    as(
      { ...entry, status: 502 },
      {
        error: {
          message: 'Bad gateway',
          code: 502,
          upstream: { status: entry.status, body: JSON.stringify(entry.body) },
        },
      },
    ),
};

/** Parts of a message that are not the server's own words about the failure. */
export const ADDITIONS: Readonly<Record<string, (message: string) => string>> = {
  'the name of a project': (message) => `${message} (project 'billing-rate-limit-demo')`,
  'the name of an agent': (message) => `${message} [agent "overloaded_auth_timeout"]`,
  'the prompt of the user': (message) =>
    `${message}\nPrompt: "why is my quota exceeded and my api key invalid?"`,
  'the id of a request': (message) => `${message} (request id: 20261101080000429500401)`,
  'an address about something else': (message) =>
    `${message} For more information visit https://docs.example.com/errors/rate-limits#quota`,
  'whom to ask': (message) => `${message} If the problem persists, contact support@example.com.`,
  'capitals only': (message) => (message.includes('://') ? message : message.toUpperCase()),
  'spaces that do not break': (message) => message.replaceAll(' ', '\u00A0'),
  'wider spaces': (message) => message.replaceAll(' ', '  '),
  'curly apostrophes': (message) => message.replace(/(\w)'(\w)/g, '$1\u2019$2'),
};

export function withMessages(entry: Entry, change: (message: string) => string): Entry {
  return { ...entry, body: changed(entry.body, change) };
}

const BESIDE = { request_id: 'req_8f3a', timestamp: '2026-11-01T08:00:00Z', path: '/v1/chat' };

function as(entry: Entry, body: unknown): Entry {
  return { ...entry, body };
}

function withFields(entry: Entry, change: Fields): Entry {
  return as(entry, everywhere(entry.body, change));
}

function everywhere(value: unknown, change: Fields): unknown {
  if (isArray(value)) return value.map((item) => everywhere(item, change));
  if (!isPlainObject(value)) return value;
  const fields = Object.entries(value).map(([name, item]) => [name, everywhere(item, change)]);
  return change(Object.fromEntries(fields));
}

function reversed(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).reverse());
}

function capital(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, item]) => [
      `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      item,
    ]),
  );
}

/** Messages that hold a response are not prose. */
function changed(value: unknown, change: (message: string) => string): unknown {
  if (isArray(value)) return value.map((item) => changed(item, change));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isMessage = /^(?:message|msg|detail)$/i.test(name) && typeof item === 'string';
      const isProse = isMessage && item.includes(' ') && !item.includes('{');
      return [name, isProse ? change(item) : changed(item, change)];
    }),
  );
}

/** As Python prints a value. */
function printed(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (isArray(value)) return `[${value.map(printed).join(', ')}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, item]) => `${quoted(name)}: ${printed(item)}`);
  return `{${fields.join(', ')}}`;
}

function quoted(text: string): string {
  const plain = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return text.includes("'") && !text.includes('"')
    ? `"${plain}"`
    : `'${plain.replaceAll("'", "\\'")}'`;
}
