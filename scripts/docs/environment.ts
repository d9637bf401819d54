/** `docs/reference/environment.md`: every variable that Errand reads or sets. */
import { HOSTS } from '../../src/effects/model/openai-compatible-hosts.ts';

export const ENVIRONMENT_PAGE = 'docs/reference/environment.md';

type Rows = readonly (readonly [names: string, meaning: string])[];

const OWN: Rows = [
  [
    'ERRAND_HOME',
    'The folder where runs are kept. Default: `.errand` of the project, which is the nearest folder upward that has one, else the current folder.',
  ],
  [
    'ERRAND_STORE',
    'The store, as in `openErrand({store})`: `sqlite:PATH`, `postgres://…`, or the address of an extension’s store. Default: `errand.db` in `ERRAND_HOME`.',
  ],
  [
    'ERRAND_ON',
    '`local` or `temporal`: where commands run and look for runs, unless `--on` says so. Default: `local`.',
  ],
  [
    'ERRAND_SERVER',
    'The address of an `errand serve` whose runs commands use, unless `--server` or `--on` says otherwise.',
  ],
  [
    'ERRAND_MODEL',
    'The model that writes for `errand draft`, as `provider/model`, unless `--model` says so.',
  ],
  [
    'ERRAND_PROVIDER',
    'The provider that stands in for the one that a file names, unless `--provider` says so; `sim` plays every model without a key. A run keeps the one that it was started with.',
  ],
  ['ERRAND_EXTENSIONS', 'Extensions of the project: paths of modules, with commas between them.'],
  [
    'ERRAND_TOKENS',
    'The tokens of `errand serve`: `NAME:SECRET:ROLE`, separated by commas. The roles are `read`, `run` and `edit`; a secret has at least 16 characters. The name is the `by` in the audit.',
  ],
  [
    'ERRAND_TOKEN',
    'For `errand serve`: one token, named `token`, with the role `run`, or `edit` with `--allow-edit`. For commands with a server: the token that they send.',
  ],
  [
    'ERRAND_WEBHOOK_SECRET',
    'The secret that webhooks of `errand serve` are signed with: `whsec_` and 24 to 64 bytes in base64. Several with spaces between them make several signatures.',
  ],
  [
    'ERRAND_LOG',
    '`info` or `debug`: `errand serve`, `errand mcp` and `errand worker` write lines of JSON about their runs to stderr. `info` has the start and the end of each leg and one line for each failure, `debug` every event. Default: none.',
  ],
  ['NO_COLOR', 'Anything but nothing turns colours off. It wins over everything else.'],
  ['FORCE_COLOR', 'Colours even where the output is no terminal; `0` or `false` turns them off.'],
  ['TERM', '`dumb` turns colours and the live view off.'],
];

const SCRIPT: Rows = [
  ['ERRAND_ERROR_OUT', 'The file to write a typed error to, as `{"kind", "message", "details"}`.'],
  ['CONDUCTOR_ERROR_OUT', 'The same file, under the name that Conductor’s scripts use.'],
  ['ERRAND_ATTEMPT', 'The number of the try; 0 for the first.'],
  ['ERRAND_RUN', 'The id of the run.'],
  ['ERRAND_NODE', 'The name of the node.'],
  [
    'ERRAND_IDEMPOTENCY_KEY',
    'The same for every retry of the same action; for services that take one.',
  ],
];

const TELEMETRY: Rows = [
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
    'Where a command sends spans and metrics, if `@opentelemetry/sdk-node` is installed. Without one of them nothing is started. The SDK reads its other variables too.',
  ],
  ['OTEL_SDK_DISABLED', '`true`: commands start no SDK.'],
  ['OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES', 'The name of the service. Default: `errand`.'],
  [
    'OTEL_NODE_RESOURCE_DETECTORS',
    'Which facts about the machine and the process are sent. Default: nothing, because the arguments of a command may hold inputs.',
  ],
  [
    'OTEL_BSP_MAX_QUEUE_SIZE, OTEL_EXPORTER_OTLP_TIMEOUT',
    'Of the SDK. Where they are not set, a command takes 65536 spans and 1000 milliseconds.',
  ],
  [
    'ERRAND_OTEL_CONTENT',
    '`1`: spans of calls have messages, arguments and results, redacted. Default: they have none.',
  ],
  [
    'TRACEPARENT, TRACESTATE, BAGGAGE',
    'The trace that a command belongs to. A script gets that of its own attempt.',
  ],
];

const PROVIDERS: Rows = [
  ['OPENAI_API_KEY, OPENAI_BASE_URL', '`openai/…`'],
  ['ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL', '`anthropic/…`'],
  [
    'GOOGLE_GENERATIVE_AI_API_KEY, GEMINI_API_KEY, GOOGLE_API_KEY',
    '`google/…`; the first that is set',
  ],
  ['MISTRAL_API_KEY', '`mistral/…`'],
  ['AZURE_API_KEY, AZURE_OPENAI_API_KEY', '`azure/…`; the first that is set'],
  ['AZURE_RESOURCE_NAME, AZURE_BASE_URL, AZURE_OPENAI_ENDPOINT', '`azure/…`: where it is'],
  ['AZURE_API_VERSION, OPENAI_API_VERSION', '`azure/…`: the version of its API'],
  ['AWS_BEARER_TOKEN_BEDROCK', '`bedrock/…`: the key of its API'],
  [
    'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN',
    '`bedrock/…`: an account of AWS instead',
  ],
  ['AWS_REGION, AWS_DEFAULT_REGION', '`bedrock/…`: the region'],
];

const TEMPORAL: Rows = [
  [
    'TEMPORAL_PROFILE',
    'The profile of Temporal’s configuration file that the rest comes from. Default: `default`.',
  ],
  [
    'TEMPORAL_CONFIG_FILE',
    'That file. Default: `temporalio/temporal.toml` in the folder for the settings of the user.',
  ],
  ['TEMPORAL_ADDRESS', 'The server. Default: `127.0.0.1:7233`.'],
  ['TEMPORAL_NAMESPACE', 'The namespace. Default: `default`.'],
  ['TEMPORAL_TASK_QUEUE', 'The task queue of the workers. Default: `errand`.'],
  ['TEMPORAL_API_KEY', 'The key of a Temporal Cloud account.'],
  ['TEMPORAL_TLS', 'Whether the connection is encrypted: `true` or `false`.'],
  [
    'TEMPORAL_TLS_CLIENT_CERT_PATH, TEMPORAL_TLS_CLIENT_CERT_DATA',
    'The certificate that the server knows us by: its file, or its text.',
  ],
  [
    'TEMPORAL_TLS_CLIENT_KEY_PATH, TEMPORAL_TLS_CLIENT_KEY_DATA',
    'The key of that certificate: its file, or its text.',
  ],
  [
    'TEMPORAL_TLS_SERVER_CA_CERT_PATH, TEMPORAL_TLS_SERVER_CA_CERT_DATA',
    'Who signed the certificate of the server: a file, or a text.',
  ],
  ['TEMPORAL_TLS_SERVER_NAME', 'The name in the certificate of the server.'],
  [
    'TEMPORAL_TLS_DISABLE_HOST_VERIFICATION',
    'Refused where it is true: Temporal’s SDK always verifies the host.',
  ],
  [
    'TEMPORAL_GRPC_META_NAME',
    'A header of every call, by its name: `TEMPORAL_GRPC_META_X_TEAM=a` is `x-team: a`.',
  ],
];

export function renderEnvironment(): string {
  return [
    '# Environment variables',
    '<!-- Made by `npm run docs` from scripts/docs/environment.ts; a test compares it with the sources. Do not edit. -->',
    'What Errand reads from its environment, and what it gives to scripts. In a workflow file `${NAME}` and `${NAME:-default}` stand for any variable.',
    '## For the command',
    table(OWN),
    '## For models',
    'Keys are read when a model is called, never stored and never shown. `errand doctor` says which are set.',
    table([...PROVIDERS, ...hostRows()]),
    '## In a script',
    'A script gets these besides its own `env`.',
    table(SCRIPT),
    '## For telemetry',
    'The [guide](../guide/telemetry.md) has what is sent.',
    table(TELEMETRY),
    '## For Temporal',
    table(TEMPORAL),
  ]
    .join('\n\n')
    .concat('\n');
}

function hostRows(): Rows {
  return Object.entries(HOSTS).map(([name, { keys, baseUrlVariable, isLocal }]) => {
    const names = [...keys, ...(baseUrlVariable === undefined ? [] : [baseUrlVariable])];
    return [names.join(', '), `\`${name}/…\`${isLocal === true ? '; no key is needed' : ''}`];
  });
}

function table(rows: Rows): string {
  return [
    '| variable | what it is for |',
    '|---|---|',
    ...rows.map(([names, meaning]) => {
      const quoted = names.split(', ').map((name) => `\`${name}\``);
      return `| ${quoted.join(', ')} | ${meaning} |`;
    }),
  ].join('\n');
}
