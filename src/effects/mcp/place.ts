/**
 * What a server is started or reached with: variables filled in, and only as much of the environment
 * as a program needs to run. What is filled in is known here, so that it can be taken out of what the
 * server says.
 */
import { ErrandError } from '../../errors/errand-error.ts';
import { createRedactor, type Redactor } from '../../errors/redact.ts';
import { expandEnvironment } from '../../workflow/load/environment.ts';
import { secretsIn } from '../../workflow/load/secret-values.ts';
import type { McpServer } from '../../workflow/model.ts';
import { quoted } from '../../workflow/words.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface NamedServer {
  readonly name: string;
  readonly settings: McpServer;
}

export interface ServerPlace {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Takes out what was filled in. */
  readonly redactor: Redactor;
}

/** A server is foreign code: it gets no key unless its `env` gives it one. */
const INHERITED = `PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL TZ TMPDIR TMP TEMP
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
  APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA
  PROGRAMFILES SYSTEMDRIVE SYSTEMROOT USERNAME USERPROFILE WINDIR`.split(/\s+/);

/** Throws `tool.unavailable` for a variable that is not set. */
export function placeOf({ name, settings }: NamedServer, env: Environment): ServerPlace {
  const known = definedIn(env);
  const secrets: string[] = [];
  const missing = new Set<string>();
  const fill = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => {
        const expansion = expandEnvironment(text, known);
        for (const variable of expansion.missing) missing.add(variable);
        if (expansion.unresolved !== undefined) missing.add(expansion.unresolved.name);
        secrets.push(...secretsIn({ name: key, written: text, isCredential: true }, known));
        return [key, expansion.text];
      }),
    );
  const own = fill(settings.env);
  const headers = fill(settings.headers);
  if (missing.size > 0) throw notSet(name, [...missing]);
  const inherited = INHERITED.flatMap((variable) => {
    const value = Object.hasOwn(known, variable) ? known[variable] : undefined;
    return value === undefined ? [] : [[variable, value] as const];
  });
  return {
    name,
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

function definedIn(env: Environment): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}
