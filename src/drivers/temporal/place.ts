/** Which server, namespace and task queue are meant. */

const TASK_QUEUE = 'errand';

export interface TemporalPlace {
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly apiKey?: string;
  /** Paths of PEM files for mutual TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Where Temporal's packages are looked for first. */
  readonly directory: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What was said, else what the environment says in the words of Temporal's own tools. */
export function temporalPlace(
  given: Partial<Pick<TemporalPlace, 'address' | 'namespace' | 'taskQueue'>>,
  env: Environment,
  directory: string,
): TemporalPlace {
  const apiKey = env['TEMPORAL_API_KEY'];
  const certificate = env['TEMPORAL_TLS_CLIENT_CERT_PATH'];
  const key = env['TEMPORAL_TLS_CLIENT_KEY_PATH'];
  return {
    address: given.address ?? env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233',
    namespace: given.namespace ?? env['TEMPORAL_NAMESPACE'] ?? 'default',
    taskQueue: given.taskQueue ?? env['TEMPORAL_TASK_QUEUE'] ?? TASK_QUEUE,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(certificate === undefined || key === undefined ? {} : { tls: { certificate, key } }),
    directory,
  };
}
