/** The Errand server whose runs a command uses: `--server`, or `ERRAND_SERVER`. */
import type { RunLocation } from '../../engine/open-backend.ts';
import type { ErrandError } from '../../errors/thrown/errand-error.ts';
import { refusal } from '../exit.ts';
import { runLocationFlags } from './run-location-flags.ts';

type ServerPlace = Extract<RunLocation, { readonly server: unknown }>['server'];

const OF_TEMPORAL = ['on', 'address', 'namespace', 'taskQueue'] as const;

/** Undefined where runs are in a store, or at a Temporal server. */
export function serverPlace(): ServerPlace | undefined {
  const flags = runLocationFlags();
  const other = OF_TEMPORAL.find((name) => flags[name] !== undefined);
  if (flags.server !== undefined && other !== undefined)
    throw refusal(
      'Runs are either at an Errand server or where --on says',
      'Leave out --server, or leave out --on, --address, --namespace and --task-queue.',
    );
  // a typed flag wins over a setting
  const written = flags.server ?? (other === undefined ? process.env['ERRAND_SERVER'] : undefined);
  if (written === undefined || written === '') return undefined;
  return placeOf(written, flags.server === undefined ? 'ERRAND_SERVER' : '--server');
}

/** The address that `errand serve` prints has a token behind its #, and is taken as it is. */
function placeOf(written: string, origin: string): ServerPlace {
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw refusal(
      `${origin} is not the address of a server`,
      'Write it as http://127.0.0.1:4242, or as the https address of the server.',
    );
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw refusal(
      `${origin} has a user name, a password or a query, which a server does not take`,
      'Leave them out, and set ERRAND_TOKEN to the token.',
    );
  const token = process.env['ERRAND_TOKEN'] || /^#token=(.+)$/.exec(url.hash)?.[1];
  return { url: url.origin + url.pathname.replace(/\/+$/, ''), token };
}

/** A store has more than a server gives. */
export function refuseServer(what: string): void {
  const place = serverPlace();
  if (place !== undefined) throw needsStore(what, place.url);
}

export function needsStore(what: string, server: string): ErrandError {
  return refusal(
    `${what} needs a store, and the runs are at the server ${server}`,
    'Run it where the store is, without ERRAND_SERVER.',
  );
}
