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
    id: 'transport.download',
    when: { transportNames: ['DownloadError', 'AI_DownloadError'] },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the SDK fetches what the request points at; a status behind it is that of another server',
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
        'KeyboardInterrupt',
        'ResponseAborted',
        'TaskRevokedError',
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
        /(?:^|: )(?:bad port|unknown scheme|invalid url)$|redirect count exceeded|too many redirects|redirected too many times|not implemented\.\.\. yet|failed to parse url|unsupported protocol scheme|unknown (?:url )?scheme|relative url without a base|invalid port|no scheme supplied|missing an? .{0,30}protocol/i,
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

/** Somebody on our side who ends a call, or the way in which it is done. */
const ENDED_BY_US =
  /\b(?:cancell?ed|aborted|stopped|killed|revoked|interrupted|called off)(?: \S{1,40}){0,3} by (?:an? |the |our |its |your )?(?:\w{1,20} )?(?:user|caller|client|operator|app|application|callback|parent|program|script|owner|browser|page|tab|ui|frontend)\b|\bwe (?:have |had )?(?:aborted|cancell?ed|stopped|closed)\b|\b(?:tab|window|page) (?:was |has been )?closed\b|\babort ?controller\b|\bcancellation (?:was )?requested\b|\b(?:user|caller|client|operator) (?:\w{1,12} )?(?:cancell?ed|aborted|interrupted|(?:pressed|hit) (?:stop|esc|ctrl)|left the page|navigated away|killed)|\b(?:SIGINT|KeyboardInterrupt|ctrl-?c)\b|\^C\b|\b(?:stop|cancel|escape) (?:button|key) (?:was )?(?:pressed|clicked|hit)|\b(?:abort|dropped|killed|stopped)\b.{0,60}\bon purpose\b|\bsignal is aborted|\babort handle\b|\bcallback aborted\b|\bclient (?:has )?(?:disconnected|hung up|went away|left|closed (?:the |its )?(?:request|connection|stream))\b|(?:annulée?|interrompue?|arrêtée?) par l['’](?:utilisateur|appelant|application)|(?:vom|durch den) (?:Benutzer|Nutzer|Anwender|Aufrufer) (?:abgebrochen|gestoppt)|(?:cancelad|anulad|interrumpid|abortad)[oa] por (?:el|o) (?:usuario|cliente|usuário|llamante)|(?:отмен|прерван|остановлен)\S{0,6} (?:пользователем|клиентом|вызывающ)|用户.{0,6}(?:取消|中止|终止)|ユーザー(?:により|が|によって).{0,20}(?:中止|中断|キャンセル)|사용자가.{0,20}(?:취소|중단)/i;

/** Rules for a stream that somebody ended; they come before those for one that broke. */
export const STREAM_CANCELLED_RULES: readonly Rule[] = [
  {
    id: 'stream.cancelled',
    when: { phases: ['streaming'], transportText: ENDED_BY_US },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'somebody on our side ended the stream',
  },
];

/** Rules for a call that somebody ended, after the words for a connection that ended by itself. */
export const CALL_ENDED_RULES: readonly Rule[] = [
  {
    id: 'transport.cancelled-said',
    when: { hasStatus: false, transportText: ENDED_BY_US },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'somebody on our side ended the call',
  },
];

/**
 * For faults without a code that says enough: what the two ends of a connection do not agree on. They come after
 * the codes, which decide most faults at less cost.
 */
export const FAULT_WORD_RULES: readonly Rule[] = [
  {
    id: 'transport.misfit',
    when: {
      hasStatus: false,
      transportText:
        /(?:\[SSL: |\bSSL_ERROR_|\bERR_SSL_|\bSEC_E(?:RROR)?_)(?!(?:UNEXPECTED_)?EOF|SYSCALL|SSL\b|NONE\b|ZERO_|WANT_|BAD_(?:RECORD_)?MAC|DECRYPT|INTERNAL|APPLICATION_|CONN|TIME|CLOSE)[A-Z]|\bERR_(?:BLOCKED_BY|UNSAFE_PORT|DISALLOWED_URL)|\btls: (?:unrecognized name|protocol version|no (?:supported|mutual|application))|\bnot speaking (?:tls|ssl)\b|\bcorrupted frame was received|\bSSL_connect\b.{0,120}unexpected message|\bRemoteCertificate\w+|\btrustAnchors parameter|\b(?:CA_BUNDLE|EXTRA_CA_CERTS|SSL_CERT_FILE)\b|証明書|证书|憑證|인증서|\bZertifikat|сертификат|\bERR_(?:NO_SUPPORTED_PROXIES|MANDATORY_PROXY|PROXY_(?:AUTH|CERT))|\bproxy (?:wants|needs|requires|asks for) (?:a )?(?:credentials|login|password|user)|\bgetaddrinfo \w+ (?:your[-_.]|<)|(?:\bHTTPS?_PROXY\b|\bproxy url\b).{0,60}(?:without|malformed|invalid|missing)|\bsocks (?:proxy|support)\b.{0,60}(?:not installed|$)|\bmissing dependencies for socks|\bCORS policy\b|\bContent Security Policy\b|\bINTERNET permission\b/i,
    },
    means: {
      kind: 'provider.network',
      category: 'configuration',
      outcome: 'not_started',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the two ends do not fit, or the way out is set up wrongly: certificates, proxies, rules of a browser',
  },
  {
    id: 'transport.not-http-text',
    when: {
      hasStatus: false,
      transportText:
        /\bHPE_[A-Z_]{4,40}|\bParse Error: (?:Expected HTTP|Invalid (?:character in (?:chunk|Content-Length)|header|EOF|HTTP)|Header overflow|Missing expected [CL][RF]|Data after)|\b(?:illegal|invalid|unexpected|wrong|bad) (?:status|header) line\b|\bstatus line (?:is |was |belongs|unreadable)|\bno HTTP status line\b|\binvalid_status_line\b|\bBadStatusLine\((?!["']{0,4}\s?["',)])|\bcommitted a protocol violation\b|\bERR_(?:INVALID_HTTP|RESPONSE_HEADERS|INVALID_RESPONSE|CONTENT_DECODING|INVALID_CHUNKED)|\bmultiple Transfer-Encoding\b|\bHTTP\/0\.9\b|\bbut not HTTP\b|\blooked like an HTTP\/1|\binvalid HTTP version\b|\bHTTP version in response\b|\bMalformed_HTTP_Response\b|\bframe was not SETTINGS\b/i,
    },
    means: {
      kind: 'provider.network',
      category: 'unknown',
      outcome: 'unknown',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the words of a parser for the same: the peer does not respond in HTTP',
  },
  {
    id: 'transport.not-http-name',
    when: {
      hasStatus: false,
      transportNames: [
        'HTTPBadResponse',
        'HTTPHeaderSyntaxError',
        'InvalidHTTPResponse',
        'BadStatusLine',
      ],
    },
    means: {
      kind: 'provider.network',
      category: 'unknown',
      outcome: 'unknown',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'a client names what it could not read: the status line or a header',
  },
];
