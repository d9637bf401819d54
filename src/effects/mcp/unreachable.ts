/** Explains why a server could not be started or reached, and what to do about it. */
import { causeChain } from '../../errors/thrown/cause-chain.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import { brokeOpenConnection } from '../../errors/thrown/open-connection.ts';
import type { ReportDraft, UserAction } from '../../errors/report/report.ts';
import { describe } from '../../errors/thrown/to-report.ts';
import { quoted } from '../../workflow/diagnostics/diagnostic-words.ts';
import { codeOf } from '../process/system-code.ts';
import type { NamedServer, ResolvedServer } from './resolve-server.ts';
import type { ProcessEnd } from './process-transport.ts';
import { causeInStderr } from './stderr-cause.ts';

/** Rejects a connection. `isFinal`: another attempt would fail the same way, or take too long. */
export class Unreachable extends ErrandError {
  readonly isFinal: boolean;

  constructor(
    draft: ReportDraft,
    options: { readonly cause?: unknown; readonly isFinal: boolean },
  ) {
    super(draft, { cause: options.cause });
    this.isFinal = options.isFinal;
  }
}

export interface Evidence {
  readonly thrown: unknown;
  /** Exit of a server process. */
  readonly end?: ProcessEnd;
  /** Without secrets. */
  readonly stderr?: string;
  /** Set when the server took longer than this. */
  readonly waitedMs?: number;
}

interface Reason {
  readonly problem: string;
  readonly action: UserAction;
  /** A person must change something first. */
  readonly isSetup?: boolean;
  /** Another attempt fails the same way. Default: when a person must change something. */
  readonly isFinal?: boolean;
}

export function unreachable(
  { name, settings, redactor }: Pick<ResolvedServer, 'name' | 'settings' | 'redactor'>,
  evidence: Evidence,
): Unreachable {
  const { stderr = '' } = evidence;
  const {
    problem,
    action,
    isSetup = false,
    isFinal = isSetup,
  } = settings.type === 'stdio'
    ? whyProcess({ name, settings }, evidence)
    : whyAddress({ name, settings }, evidence);
  return new Unreachable(
    {
      kind: 'mcp.unreachable',
      outcome: 'not_started',
      message: redactor.text(`The MCP server ${quoted(name)} ${problem}`),
      ...(isSetup ? { category: 'configuration' as const, retryable: false } : {}),
      details: {
        server: name,
        ...(evidence.end === undefined
          ? {}
          : { exit_code: evidence.end.exitCode, signal: evidence.end.signal }),
        ...(stderr === '' ? {} : { stderr_tail: stderr }),
      },
      action: { ...action, detail: redactor.text(action.detail) },
    },
    { cause: evidence.thrown, isFinal: isFinal || evidence.waitedMs !== undefined },
  );
}

function whyProcess({ name, settings }: NamedServer, evidence: Evidence): Reason {
  const command = settings.command ?? '';
  const key = `\`mcp_servers.${name}.command\``;
  switch (codeOf(evidence.thrown)) {
    case 'ENOENT':
      return {
        problem: `could not be started: there is no command ${quoted(command)}`,
        action: { kind: 'fix_setup', detail: `Install ${command}, or correct ${key}.` },
        isSetup: true,
      };
    case 'EACCES':
    case 'EPERM':
    case 'ENOEXEC':
      return {
        problem: `could not be started: ${quoted(command)} may not be executed`,
        action: { kind: 'fix_setup', detail: `Make ${command} executable, or correct ${key}.` },
        isSetup: true,
      };
    case 'ERR_INVALID_ARG_VALUE':
    case 'E2BIG':
      return {
        problem: 'could not be started: the system rejected its command, arguments or environment',
        action: { kind: 'fix_file', detail: `Correct ${key}, its \`args\` or its \`env\`.` },
        isSetup: true,
      };
    default:
      return whyItStopped({ name, settings }, evidence);
  }
}

/** For a process that was started. */
function whyItStopped({ name, settings }: NamedServer, evidence: Evidence): Reason {
  const key = `\`mcp_servers.${name}.command\``;
  const { thrown, end, waitedMs } = evidence;
  const byHand = `Run its command (${settings.command ?? ''}) by hand and read its output`;
  if (end !== undefined) {
    const line = causeInStderr(evidence.stderr ?? '');
    const reason = line === undefined ? '' : `: ${line}`;
    // killed from outside, perhaps out of memory; an exit of its own has a cause in its setup
    if (end.signal !== null)
      return {
        problem: `was killed by ${end.signal} before it responded${reason}`,
        action: {
          kind: 'wait_and_retry',
          detail: `Find out what killed it, or try again. ${byHand}.`,
        },
      };
    return {
      problem: `ended with exit code ${end.exitCode} before it responded${reason}`,
      action: {
        kind: 'fix_setup',
        detail: `${byHand}, then correct ${key}, its \`args\` or its \`env\`.`,
      },
      isSetup: true,
      isFinal: false,
    };
  }
  if (waitedMs !== undefined)
    return {
      problem: `did not respond within ${waitedMs} ms after it was started`,
      action: {
        kind: 'wait_and_retry',
        detail: `${byHand}; a server that installs itself first needs one run to do so.`,
      },
    };
  return {
    problem: `was started, but does not respond as an MCP server: ${describe(thrown)}`,
    action: {
      kind: 'fix_setup',
      detail: `${byHand}: its stdout must contain only protocol messages.`,
    },
    isSetup: true,
    isFinal: false,
  };
}

function whyAddress({ name, settings }: NamedServer, { thrown, waitedMs }: Evidence): Reason {
  const address = shownAddress(settings.url ?? '');
  const key = `\`mcp_servers.${name}.url\``;
  const status = statusOf(thrown);
  if (status === 401 || status === 403)
    return {
      problem: `at ${address} refuses access (HTTP ${status})`,
      action: {
        kind: 'check_credentials',
        detail: `Set a key that it accepts in \`mcp_servers.${name}.headers\`.`,
      },
      isSetup: true,
    };
  if (status === 404 || status === 405) {
    const other = settings.type === 'sse' ? 'http' : 'sse';
    return {
      problem: `was not found at ${address} (HTTP ${status})`,
      action: {
        kind: 'fix_file',
        detail: `Correct ${key}; a server of the other protocol needs \`type: ${other}\`.`,
      },
      isSetup: true,
    };
  }
  const start = {
    kind: 'wait_and_retry',
    detail: `Start the server, or correct ${key}.`,
  } as const;
  if (status !== undefined)
    return { problem: `at ${address} responded with HTTP ${status}`, action: start };
  if (waitedMs !== undefined)
    return { problem: `at ${address} did not respond within ${waitedMs} ms`, action: start };
  const code = networkCode(thrown);
  return code === undefined
    ? {
        problem: `at ${address} does not respond as an MCP server: ${describe(thrown)}`,
        action: { kind: 'fix_file', detail: `Correct ${key}.` },
        isSetup: true,
        isFinal: false,
      }
    : { problem: `cannot be reached at ${address} (${code})`, action: start };
}

/** The address without the parts that may contain a key. */
function shownAddress(url: string): string {
  try {
    const { origin, pathname } = new URL(url);
    return `${origin}${pathname}`;
  } catch {
    // the text in the file is not a URL
    return 'its address';
  }
}

/** The HTTP status of a failed response; `from` is the lowest status that counts. */
export function statusOf(thrown: unknown, from = 400): number | undefined {
  for (const link of causeChain(thrown)) {
    if (isOfProtocol(link)) continue;
    const found =
      readProperty(readProperty(link, 'data'), 'status') ??
      readProperty(link, 'status') ??
      readProperty(link, 'code');
    if (typeof found === 'number' && found >= from && found <= 599) return found;
    const message = readProperty(link, 'message');
    const match = /\(HTTP (\d{3})\)/.exec(typeof message === 'string' ? message : '');
    if (match !== null) return Number(match[1]);
  }
  return undefined;
}

/**
 * An error that the server sent as the answer to a call: it came with a good status, whatever its code and
 * its data say. Codes below 0 are the protocol's, all others the server's own.
 */
function isOfProtocol(link: unknown): boolean {
  const code = readProperty(link, 'code');
  return typeof code === 'number' && (code < 0 || readProperty(link, 'name') === 'ProtocolError');
}

/** The system's code of a network failure, such as `ECONNREFUSED`. */
export function networkCode(thrown: unknown): string | undefined {
  for (const link of causeChain(thrown)) {
    const code = readProperty(link, 'code');
    if (typeof code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+|ERR_\w+|CERT_\w+)$/.test(code))
      return code;
  }
  return undefined;
}

/** Codes of a connection that was never made, so nothing was sent. */
const NEVER_MADE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export function wasNeverSent(thrown: unknown): boolean {
  const code = networkCode(thrown);
  if (code === undefined) return false;
  return (NEVER_MADE.has(code) && !brokeOpenConnection(thrown)) || /CERT|TLS/.test(code);
}
