/** Rules for faults on our own side: cancelled, not set up, or unreadable. */
import { each } from '../concepts/saying.ts';
import type { Rule } from '../rule.ts';

export const LOCAL_FAULT_RULES: readonly Rule[] = [
  {
    id: 'transport.proxy-login',
    when: {
      transportText:
        /(?:proxy|tunnel).{0,80}\b40[137]\b|\b407 proxy|statusCode=407|proxy authentication required|HTTP tunneling/i,
    },
    means: {
      kind: 'provider.network',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a proxy refused the tunnel; undici reports it as an abort, but the caller did not abort',
  },
  {
    id: 'transport.credentials-expired',
    when: {
      hasStatus: false,
      transportNames: [
        'CredentialsProviderError',
        'TokenProviderError',
        'RefreshError',
        'SSOTokenLoadError',
      ],
      says: each(['token', 'key', 'login'], ['expired']),
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'credentials were there and have expired; nothing was sent',
  },
  {
    id: 'transport.no-credentials',
    when: {
      transportNames: [
        'CredentialsProviderError',
        'AI_LoadAPIKeyError',
        'NoCredentialsError',
        'DefaultCredentialsError',
        'CredentialUnavailableError',
      ],
    },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'the SDK found no credentials and sent nothing',
  },
  {
    id: 'transport.no-credentials-text',
    when: {
      hasStatus: false,
      transportText:
        /(?:could not (?:load|find)|missing|no|unable to locate) (?:the )?(?:\w{1,20} )?credentials|credentials were not found|no ec2 imds role found|no valid providers in chain|load credentials from any of the|find default credentials|retrieve a token from the included credentials|neither apikey|api[ _]?key.{0,60}(?:missing|null|required|must be|not (?:set|provided|found))|(?:null|required|missing).{0,40}api_?key|find \w{1,30}_api_key/i,
    },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'the SDK found no credentials and sent nothing',
  },
  {
    id: 'transport.no-output',
    when: { transportNames: ['AI_NoOutputGeneratedError'] },
    means: { kind: 'provider.unknown', scope: 'request', recovery: 'now' },
    why: 'the SDK has no output and hides what happened in the stream',
  },
  {
    id: 'transport.cancelled-by-clock',
    when: {
      hasStatus: false,
      transportText:
        /(?:cancell?ed|aborted).{0,80}time-?d?[ -]?out|time-?out.{0,80}cancell?ed|within the (?:allowed|configured) time-?out/i,
    },
    means: { kind: 'provider.timeout', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'a client cancels by its own clock; the caller did not',
  },
  {
    id: 'transport.aborted',
    when: {
      transportNames: [
        'AbortError',
        'APIUserAbortError',
        'RequestAbortedError',
        'CanceledError',
        'CancelledError',
        'OperationCanceledException',
        'CancellationException',
      ],
    },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'cancelled by the caller; not a failure',
  },
  {
    id: 'transport.cancelled-code',
    when: { transportCodes: ['ERR_CANCELED', 'ABORT_ERR'] },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'cancelled by the caller; not a failure',
  },
  {
    id: 'transport.cancelled-text',
    when: {
      hasStatus: false,
      transportText:
        /\bcontext cancell?ed$|^the (?:request|operation|call) was cancell?ed\.?$|^request was (?:aborted|cancell?ed)\.?$|(?:cancell?ed|aborted) by (?:the )?(?:user|caller|client)\b|the (?:user|caller|client) (?:cancell?ed|aborted)/i,
    },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'cancelled by the caller, in the words of Go, .NET and others',
  },
  {
    id: 'transport.tls-name',
    when: {
      transportNames: [
        'SSLPeerUnverifiedException',
        'CertPathValidatorException',
        'SSLCertVerificationError',
        'ClientConnectorCertificateError',
        'CertificateException',
      ],
    },
    means: {
      kind: 'provider.network',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a client names what failed: trust in the certificate',
  },
  {
    id: 'transport.tls-certificate',
    when: {
      transportCodePrefixes: [
        'CERT_',
        'ERR_CERT_',
        'ERR_TLS_CERT',
        'UNABLE_TO_',
        'SELF_SIGNED',
        'DEPTH_ZERO',
        'UNKNOWN_CERTIFICATE',
      ],
    },
    means: {
      kind: 'provider.network',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the certificate is not trusted; it will not be on the next call either',
  },
  {
    id: 'transport.tls-text',
    when: {
      hasStatus: false,
      transportText:
        /(?:invalid peer|remote|server|peer|ssl) certificate|certificate (?:verify failed|signed by unknown|has expired|chain|is not trusted|problem)|certification path|PKIX|System\.Security\.Authentication|hostname.{0,80}(?:mismatch|n't match|not match|not verified)|trust anchor|trust relationship|handshake_failure|unknown ca\b|x509: |HTTPS? (?:response|request).{0,30}HTTPS? (?:client|port|server)|wrong[ _]version[ _]number|look like a TLS handshake|plaintext connection|subject alternative|tlsv1 alert|alert protocol version|no appropriate protocol|self[- ]signed certificate|unable to get (?:local )?issuer/i,
    },
    means: {
      kind: 'provider.network',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a runtime without error codes says that the certificate is not trusted',
  },
  {
    id: 'transport.not-allowed',
    when: { hasStatus: false, transportText: /requires net access|--allow-net\b/i },
    means: {
      kind: 'provider.network',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the runtime was started without the right to use the network',
  },
  {
    id: 'transport.tls-protocol',
    when: { transportCodePrefixes: ['ERR_SSL_', 'ERR_TLS_', 'EPROTO', 'UND_ERR_PRX_TLS'] },
    means: {
      kind: 'provider.network',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the peer does not speak TLS as configured: a wrong port, scheme or proxy',
  },
  {
    id: 'transport.address',
    when: {
      transportCodes: [
        'ERR_INVALID_URL',
        'ERR_UNSUPPORTED_PROTOCOL',
        'ERR_UNESCAPED_CHARACTERS',
        'ERR_FR_TOO_MANY_REDIRECTS',
        'TooManyRedirects',
        'UnexpectedRedirect',
      ],
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the base URL is not an address',
  },
  {
    id: 'transport.address-text',
    when: {
      transportText:
        /^(?:bad port|unknown scheme|invalid url)$|redirect count exceeded|too many redirects|redirected too many times|not implemented\.\.\. yet|failed to parse url|unsupported protocol scheme|unknown (?:url )?scheme|relative url without a base|invalid port|no scheme supplied|missing an? .{0,30}protocol/i,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'fetch refuses the base URL for its port or scheme',
  },
  {
    id: 'transport.header-value',
    when: { transportCodes: ['ERR_INVALID_CHAR', 'ERR_HTTP_INVALID_HEADER_VALUE'] },
    means: { kind: 'provider.auth', outcome: 'not_started', scope: 'key', recovery: 'human' },
    why: 'a key with a character that no header can hold, usually from copying',
  },
  {
    id: 'transport.header-value-text',
    when: {
      transportText: /ByteString|Invalid character in header|(?:invalid|illegal) header value/i,
    },
    means: { kind: 'provider.auth', outcome: 'not_started', scope: 'key', recovery: 'human' },
    why: 'a key with a character that no header can hold, usually from copying',
  },
  {
    id: 'stream.framing',
    when: { phases: ['streaming'], transportCodePrefixes: ['HPE_'] },
    means: { kind: 'provider.stream_interrupted', scope: 'request', recovery: 'now' },
    why: 'the framing of the body broke after the response had begun',
  },
  {
    id: 'transport.not-http',
    when: { transportCodePrefixes: ['HPE_', 'UND_ERR_HEADERS_OVERFLOW'] },
    means: {
      kind: 'provider.network',
      category: 'unknown',
      outcome: 'unknown',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the peer does not respond in HTTP; a wrong port and a faulty proxy look alike',
  },
  {
    id: 'transport.not-unpacked',
    when: {
      hasStatus: false,
      transportText:
        /malformed HTTP|incorrect header check|content[- ]encoding|decompress|invalid (?:gzip|block type|stored block)|not in gzip format/i,
    },
    means: {
      kind: 'provider.network',
      category: 'unknown',
      outcome: 'unknown',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a reply came whose packing cannot be opened; a proxy and a broken server look alike',
  },
  {
    id: 'transport.not-json-page',
    when: { hasStatus: false, transportText: /unexpected token '?</i },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a web page where JSON should be: the base URL is wrong',
  },
  {
    id: 'transport.not-json',
    when: {
      hasStatus: false,
      phases: ['before_send', 'sent', 'headers'],
      transportNames: ['SyntaxError'],
    },
    means: {
      kind: 'provider.unknown',
      category: 'ambiguous',
      outcome: 'unknown',
      scope: 'request',
      recovery: 'now',
    },
    why: 'a response came and cannot be read; the work may be done and billed',
  },
];
