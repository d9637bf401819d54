/** Failures of a request to a server: the request is at fault, and nothing was run. No route matches them. */
import type { CatalogRow } from './row.ts';

const REFUSED = {
  class: 'request',
  domain: 'input',
  outcome: 'not_started',
  inherits: false,
  schedule: null,
  exitCode: 2,
} as const;

export const REQUEST_ROWS = {
  'request.unauthenticated': {
    ...REFUSED,
    category: 'configuration',
    httpStatus: 401,
    action: {
      kind: 'check_credentials',
      detail: 'Send a token of the server as a bearer token in the header `Authorization`.',
    },
    title: 'Token missing or wrong',
    help: 'The server needs a token, and the request has none, a wrong one, or a session that has ended. Send a token of the server as a bearer token in the header `Authorization`; a token in a query is never read. Tokens are set with `ERRAND_TOKENS` or `ERRAND_TOKEN`; without either, `errand serve` prints one at its start. Errand refuses the request and does nothing.',
  },
  'request.forbidden': {
    ...REFUSED,
    category: 'policy',
    domain: 'runtime',
    httpStatus: 403,
    action: {
      kind: 'request_access',
      detail: 'Use a token whose role allows it, or a host and origin that the server allows.',
    },
    title: 'Request not allowed',
    help: 'The token is valid, but its role does not allow the request; or the `Host` or the `Origin` of the request is not one that the server allows. Roles are `read`, `run` and `edit`, and each includes the ones before it. Use another token, or start the server with `--allow-host`, `--allow-origin` or `--allow-edit`. Errand refuses the request and does nothing.',
  },
  'request.not_found': {
    ...REFUSED,
    category: 'content',
    httpStatus: 404,
    action: { kind: 'change_input', detail: 'See `/openapi.json` for the paths of the server.' },
    title: 'Path not found',
    help: 'The server has nothing at this path, or the run has no such value. The path is misspelled, or the part is not there. The document at `/openapi.json` lists every path. Errand refuses the request and does nothing.',
  },
  'request.method': {
    ...REFUSED,
    category: 'content',
    httpStatus: 405,
    action: { kind: 'change_input', detail: 'Use one of the methods in the `Allow` header.' },
    title: 'Method not allowed',
    help: 'The path exists, but it does not take this method. The `Allow` header of the answer lists the methods that it takes, and `/openapi.json` says what each of them does. Errand refuses the request and does nothing.',
  },
  'request.stale': {
    ...REFUSED,
    category: 'content',
    httpStatus: 412,
    action: {
      kind: 'change_input',
      detail: 'Read the file again, and send its new `ETag` as `If-Match`.',
    },
    title: 'File has changed',
    help: 'The request would replace a file that has changed since it was read, or it does not say which version it replaces. Read the workflow again, make the change once more, and send the `ETag` of what was read as `If-Match`; `*` is not accepted. Errand writes nothing, so that nobody loses the work of another.',
  },
  'request.too_large': {
    ...REFUSED,
    category: 'content',
    httpStatus: 413,
    action: { kind: 'change_input', detail: 'Send at most 1 MiB; pass large data by reference.' },
    title: 'Body too large',
    help: 'The body of the request is larger than the server takes, which is 1 MiB. Pass large data by reference: store it where the workflow can read it, and send its address. Errand reads no further and does nothing.',
  },
  'request.media_type': {
    ...REFUSED,
    category: 'content',
    httpStatus: 415,
    action: {
      kind: 'change_input',
      detail: 'Send `Content-Type: application/json`, or `application/yaml` for a workflow.',
    },
    title: 'Media type not supported',
    help: 'The body of the request is not in a form that this path takes. Send JSON as `application/json`, and the text of a workflow as `application/yaml` or `text/yaml`. Errand refuses the request and does nothing.',
  },
  'request.key_reused': {
    ...REFUSED,
    category: 'content',
    httpStatus: 422,
    action: {
      kind: 'change_input',
      detail: 'Use a new `Idempotency-Key` for a new request.',
    },
    title: 'Idempotency key reused',
    help: 'The `Idempotency-Key` of the request belongs to a run that was started with another body. A key names one request, for as long as its run exists. Use a new key for a new request, or send the same body again to get that run. Errand starts nothing.',
  },
  'request.invalid': {
    ...REFUSED,
    category: 'content',
    httpStatus: 422,
    action: { kind: 'change_input', detail: 'Correct the part of the request that is named.' },
    title: 'Request not valid',
    help: 'The request cannot be read: its body is not JSON, has an unknown field or a value of the wrong type, or a query parameter is unknown or out of range. The message names the part. The document at `/openapi.json` describes every request. Errand refuses the request and does nothing.',
  },
  'request.limited': {
    ...REFUSED,
    category: 'transient',
    domain: 'runtime',
    httpStatus: 429,
    action: { kind: 'wait_and_retry', detail: 'Wait as long as `Retry-After` says, then repeat.' },
    title: 'Server is at its limit',
    help: 'The server has as many runs as `--max-runs` allows, as many streams as it holds, or has had too many wrong tokens from one address. Wait as long as the `Retry-After` header says, then repeat the request. Errand starts nothing; runs that are due wait for their turn.',
  },
  'workflow.not_found': {
    ...REFUSED,
    category: 'content',
    httpStatus: 404,
    action: {
      kind: 'change_input',
      detail: 'List the workflows with `GET /v1/workflows`, and use one of their names.',
    },
    title: 'Workflow not found',
    help: 'The server does not serve a workflow of this name. The name is misspelled, or its file is not among the files and folders that the server was started with. `GET /v1/workflows` lists them; a file is known by its `workflow.name`. Errand refuses the request and runs nothing: a request cannot name a file.',
  },
} as const satisfies Record<string, CatalogRow>;
