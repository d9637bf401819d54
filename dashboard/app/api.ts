/**
 * The API of the page's own server. Throws a refusal with its problem document. If the server does
 * not answer, notes that, and polls until it is back.
 */
import { signal } from '@preact/signals';
import type { JsonValue } from '../../src/errors/support/safe-json.ts';
import type { ShownProblem } from '../../src/server/http/problem-response.ts';

export type Role = 'read' | 'run' | 'edit';

/** A refusal of the server, in the words of its problem document. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problem: ShownProblem;

  constructor(problem: ShownProblem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The server did not answer. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway';
}

/** A problem that the page itself found. */
function ownProblem(title: string, status: number, detail: string, advice: string): ShownProblem {
  return {
    type: 'about:blank',
    title,
    status,
    detail,
    instance: '',
    kind: '',
    category: 'unknown',
    domain: 'runtime',
    retryable: null,
    action: { kind: 'find_out', detail: advice },
  };
}

/**
 * Shown if a person acted meanwhile: the request may have arrived, and only its answer is missing.
 */
export const NO_ANSWER = ownProblem(
  'The server does not answer',
  0,
  'This may not have been done.',
  'When it is back, look here again, and repeat it if need be.',
);

/** The path that the server is mounted at; built files are one folder below it. */
export const BASE = new URL(/* @vite-ignore */ '..', import.meta.url).pathname.replace(/\/$/, '');

/** The role of the visitor; undefined until the first answer shows it. */
export const role = signal<Role | undefined>(undefined);
/** The session is missing or over: the page asks for the token. */
export const isSignedOut = signal(false);
/** The server does not answer. */
export const isAway = signal(false);
/** Counts the times that everything on the page must be read again. */
export const freshness = signal(0);

export interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly json?: JsonValue;
  readonly yaml?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer<T> {
  readonly body: T;
  readonly status: number;
  readonly etag: string | undefined;
}

/** The path of an endpoint: `v1('runs', id, 'events')`. */
export function v1(...parts: readonly string[]): string {
  return `${BASE}/v1/${parts.map(encodeURIComponent).join('/')}`;
}

export function withQuery(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** The body of an answer, typed by the server's own schema of the route. */
export async function read<T>(path: string, sent: Sent = {}): Promise<T> {
  return (await call<T>(path, sent)).body;
}

export async function call<T>(path: string, sent: Sent = {}): Promise<Answer<T>> {
  const response = await answered(path, sent);
  const text = await response.text();
  // a stopping server answers open connections for a moment, without its store
  if (response.status === 503 && isAway.value) throw new ServerAway('The server is not ready');
  if (!response.ok) throw refusalIn(response, text);
  noteRole(response.headers.get('errand-role'));
  return {
    // the server's own tests check its schemas
    body: (text === '' ? null : JSON.parse(text)) as T,
    status: response.status,
    etag: response.headers.get('etag') ?? undefined,
  };
}

async function answered(
  path: string,
  { method = 'GET', json, yaml, headers = {}, signal: aborted }: Sent,
): Promise<Response> {
  const body = yaml ?? (json === undefined ? undefined : JSON.stringify(json));
  const type = yaml === undefined ? 'application/json' : 'application/yaml';
  try {
    return await fetch(path, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
      ...(body === undefined ? {} : { body }),
      ...(aborted === undefined ? {} : { signal: aborted }),
    });
  } catch (thrown) {
    if (aborted?.aborted === true) throw thrown;
    noteAway();
    throw new ServerAway('The server does not answer', { cause: thrown });
  }
}

function refusalIn(response: Response, text: string): Refusal {
  const problem = problemIn(response, text);
  if (problem.kind === 'request.unauthenticated') isSignedOut.value = true;
  return new Refusal(problem);
}

/** A proxy may answer without a problem document. */
function problemIn({ status, headers }: Response, text: string): ShownProblem {
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true;
  // the server wrote it
  if (isProblem) return JSON.parse(text) as ShownProblem;
  return ownProblem(
    'Refused',
    status,
    `The request was refused with status ${status}.`,
    'Look at what stands between this page and the server.',
  );
}

function noteRole(given: string | null): void {
  if (given === 'read' || given === 'run' || given === 'edit') role.value = given;
}

const LOOK_AGAIN_MS = 1000;
let isLooking = false;

/** Polls the server until it is back; then reads everything again. */
export function noteAway(): void {
  isAway.value = true;
  if (isLooking) return;
  isLooking = true;
  const look = async (): Promise<void> => {
    if (await isBack()) {
      isLooking = false;
      isAway.value = false;
      freshness.value++;
    } else setTimeout(() => void look(), LOOK_AGAIN_MS);
  };
  setTimeout(() => void look(), LOOK_AGAIN_MS);
}

async function isBack(): Promise<boolean> {
  try {
    return (await fetch(`${BASE}/ready`, { cache: 'no-store' })).ok;
  } catch {
    // the next poll asks again
    return false;
  }
}
