/** Why a server could not be started or reached, and what to do about exactly that. */
import { causeChain } from '../../errors/cause-chain.ts';
import { ErrandError } from '../../errors/errand-error.ts';
import { readProperty } from '../../errors/json.ts';
import type { ReportDraft, UserAction } from '../../errors/report.ts';
import { describe } from '../../errors/to-report.ts';
import { quoted } from '../../workflow/words.ts';
import { codeOf } from '../system-code.ts';
import type { NamedServer, ServerPlace } from './place.ts';
import type { ProcessEnd } from './process-transport.ts';
import { tellingLine } from './telling-line.ts';

/** Rejects a connection. Final: another try would find the same, or take too long. */
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
  /** Of a server that is a process. */
  readonly end?: ProcessEnd;
  readonly stderr?: string;
  /** Of a server that took longer than this. */
  readonly waitedMs?: number;
}

interface Reason {
  readonly problem: string;
  readonly action: UserAction;
  /** Somebody has to change something first. */
  readonly isSetup?: boolean;
  /** Another try finds the same. Default: where somebody has to change something. */
  readonly isFinal?: boolean;
}

export function unreachable(
  { name, settings }: NamedServer,
  { redactor }: Pick<ServerPlace, 'redactor'>,
  evidence: Evidence,
): Unreachable {
  const {
    problem,
    action,
    isSetup = false,
    isFinal = isSetup,
  } = settings.type === 'stdio'
    ? whyProcess({ name, settings }, evidence)
    : whyAddress({ name, settings }, evidence);
  const stderr = redactor.text(evidence.stderr ?? '');
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
      action,
    },
    { cause: evidence.thrown, isFinal: isFinal || evidence.waitedMs !== undefined },
  );
}

function whyProcess({ name, settings }: NamedServer, evidence: Evidence): Reason {
  const command = settings.command ?? '';
  const place = `\`mcp_servers.${name}.command\``;
  switch (codeOf(evidence.thrown)) {
    case 'ENOENT':
      return {
        problem: `could not be started: there is no command ${quoted(command)}`,
        action: { kind: 'fix_setup', detail: `Install ${command}, or correct ${place}.` },
        isSetup: true,
      };
    case 'EACCES':
    case 'EPERM':
    case 'ENOEXEC':
      return {
        problem: `could not be started: ${quoted(command)} may not be executed`,
        action: { kind: 'fix_setup', detail: `Make ${command} executable, or correct ${place}.` },
        isSetup: true,
      };
    case 'ERR_INVALID_ARG_VALUE':
    case 'E2BIG':
      return {
        problem: 'could not be started: the system takes no such command, arguments or environment',
        action: { kind: 'fix_file', detail: `Correct ${place}, its \`args\` or its \`env\`.` },
        isSetup: true,
      };
    default:
      return whyItStopped({ name, settings }, evidence);
  }
}

/** Of a process that was started. */
function whyItStopped({ name, settings }: NamedServer, evidence: Evidence): Reason {
  const place = `\`mcp_servers.${name}.command\``;
  const { thrown, end, waitedMs } = evidence;
  const byHand = `Run its command (${settings.command ?? ''}) by hand and see what it says`;
  if (end !== undefined) {
    const line = tellingLine(evidence.stderr ?? '');
    const said = line === undefined ? '' : `: ${line}`;
    // ended by others, for want of memory perhaps; an exit of its own is its answer to how it was started
    if (end.signal !== null)
      return {
        problem: `was ended by ${end.signal} before it answered${said}`,
        action: { kind: 'wait_and_retry', detail: `See what ended it, or try again. ${byHand}.` },
      };
    return {
      problem: `ended with exit code ${end.exitCode} before it answered${said}`,
      action: {
        kind: 'fix_setup',
        detail: `${byHand}, then correct ${place}, its \`args\` or its \`env\`.`,
      },
      isSetup: true,
      isFinal: false,
    };
  }
  if (waitedMs !== undefined)
    return {
      problem: `did not answer within ${waitedMs} ms after it was started`,
      action: {
        kind: 'wait_and_retry',
        detail: `${byHand}; a server that installs itself first needs one run to do so.`,
      },
    };
  return {
    problem: `was started, but does not speak as an MCP server: ${describe(thrown)}`,
    action: { kind: 'fix_setup', detail: `${byHand}: its stdout must hold messages only.` },
    isSetup: true,
    isFinal: false,
  };
}

function whyAddress({ name, settings }: NamedServer, { thrown, waitedMs }: Evidence): Reason {
  const address = shownAddress(settings.url ?? '');
  const place = `\`mcp_servers.${name}.url\``;
  const status = statusOf(thrown);
  if (status === 401 || status === 403)
    return {
      problem: `at ${address} refuses access (HTTP ${status})`,
      action: {
        kind: 'check_credentials',
        detail: `Give a key that it accepts in \`mcp_servers.${name}.headers\`.`,
      },
      isSetup: true,
    };
  if (status === 404 || status === 405) {
    const other = settings.type === 'sse' ? 'http' : 'sse';
    return {
      problem: `is not at ${address} (HTTP ${status})`,
      action: {
        kind: 'fix_file',
        detail: `Correct ${place}; a server of the other protocol needs \`type: ${other}\`.`,
      },
      isSetup: true,
    };
  }
  const start = {
    kind: 'wait_and_retry',
    detail: `Start the server, or correct ${place}.`,
  } as const;
  if (status !== undefined)
    return { problem: `at ${address} answers HTTP ${status}`, action: start };
  if (waitedMs !== undefined)
    return { problem: `at ${address} did not answer within ${waitedMs} ms`, action: start };
  const code = networkCode(thrown);
  return code === undefined
    ? {
        problem: `at ${address} does not answer as an MCP server: ${describe(thrown)}`,
        action: { kind: 'fix_file', detail: `Correct ${place}.` },
        isSetup: true,
        isFinal: false,
      }
    : { problem: `cannot be reached at ${address} (${code})`, action: start };
}

/** Without what may hold a key. */
function shownAddress(url: string): string {
  try {
    const { origin, pathname } = new URL(url);
    return `${origin}${pathname}`;
  } catch {
    // the file's own text, which is no address
    return 'its address';
  }
}

/** Of an answer that was not what the protocol asks for. */
export function statusOf(thrown: unknown): number | undefined {
  for (const link of causeChain(thrown)) {
    const code = readProperty(link, 'code');
    // an error of the protocol came with a good status, whatever the server puts into its data
    if (typeof code === 'number' && code < 0) continue;
    const found =
      readProperty(readProperty(link, 'data'), 'status') ??
      readProperty(link, 'status') ??
      readProperty(link, 'code');
    if (typeof found === 'number' && found >= 400 && found <= 599) return found;
    const message = readProperty(link, 'message');
    const told = /\(HTTP (\d{3})\)/.exec(typeof message === 'string' ? message : '');
    if (told !== null) return Number(told[1]);
  }
  return undefined;
}

/** The name that the system gives a failure of the network. */
export function networkCode(thrown: unknown): string | undefined {
  for (const link of causeChain(thrown)) {
    const code = readProperty(link, 'code');
    if (typeof code === 'string' && /^(?:E[A-Z]+|UND_ERR_\w+|ERR_\w+|CERT_\w+)$/.test(code))
      return code;
  }
  return undefined;
}

/** Codes of a connection that was never made, so that nothing was sent. */
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
  return code !== undefined && (NEVER_MADE.has(code) || /CERT|TLS/.test(code));
}
