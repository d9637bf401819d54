/**
 * Resolves the settings of a server: fills in variables, and passes on only as much of the environment as
 * a program needs to run. The filled-in values are kept in a redactor, which removes them from the
 * server's output.
 */
import type { Environment } from '../../workflow/yaml/file-port.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { createRedactor, type Redactor } from '../../errors/redaction/redact.ts';
import { expandEnvironment } from '../../workflow/yaml/environment.ts';
import { secretsIn } from '../../workflow/yaml/secret-values.ts';
import type { McpServer } from '../../workflow/plan/plan.ts';
import { quoted } from '../../workflow/diagnostics/diagnostic-words.ts';

export interface NamedServer {
  readonly name: string;
  readonly settings: McpServer;
}

export interface ResolvedServer extends NamedServer {
  /** The environment of its process. */
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Removes the filled-in values. */
  readonly redactor: Redactor;
}

/** A server is foreign code: it gets a key only through its `env`. */
const INHERITED = `PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL TZ TMPDIR TMP TEMP
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
  APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA
  PROGRAMFILES SYSTEMDRIVE SYSTEMROOT USERNAME USERPROFILE WINDIR`.split(/\s+/);

/** Throws `tool.unavailable` for a variable that is not set. */
export function resolveServer({ name, settings }: NamedServer, env: Environment): ResolvedServer {
  const secrets: string[] = [];
  const missing = new Set<string>();
  const fillOne = (key: string, text: string): string => {
    const expansion = expandEnvironment(text, env);
    for (const variable of expansion.missing) missing.add(variable);
    if (expansion.unresolved !== undefined) missing.add(expansion.unresolved.name);
    secrets.push(...secretsIn({ name: key, written: text, use: 'credential' }, env));
    return expansion.text;
  };
  const fill = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fillOne(key, text)]));
  const own = fill(settings.env);
  const headers = fill(settings.headers);
  const { command, url } = settings;
  const filled: McpServer = {
    ...settings,
    args: settings.args.map((arg) => fillOne('args', arg)),
    ...(command === undefined ? {} : { command: fillOne('command', command) }),
    ...(url === undefined ? {} : { url: fillOne('url', url) }),
  };
  if (missing.size > 0) throw notSet(name, [...missing]);
  const inherited = INHERITED.flatMap((variable) => {
    const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
    return value === undefined ? [] : [[variable, value] as const];
  });
  return {
    name,
    settings: filled,
    env: { ...Object.fromEntries(inherited), ...own },
    headers,
    redactor: createRedactor(secrets),
  };
}

function notSet(name: string, variables: readonly string[]): ErrandError {
  const listed = variables.join(', ');
  return new ErrandError({
    kind: 'tool.unavailable',
    outcome: 'not_started',
    message: `The MCP server ${quoted(name)} needs ${listed}, which ${variables.length === 1 ? 'is' : 'are'} not set`,
    details: { server: name, variables },
    action: { kind: 'fix_setup', detail: `Set ${listed}, then resume the run.` },
  });
}
