/** The roles of the fields in a body, by the names that servers use. */
import { once } from '../../errors/support/once.ts';

/** The roles of fields, by name. */
export interface Roles {
  readonly code: boolean;
  readonly namedCode: boolean;
  readonly namedType: boolean;
  readonly message: boolean;
  readonly status: boolean;
  readonly param: boolean;
  readonly stop: boolean;
  /** A prompt that was refused, whatever the reason. */
  readonly block: boolean;
  readonly quota: boolean;
  readonly quotaValue: boolean;
  readonly delay: boolean;
  readonly delaySeconds: boolean;
  readonly delayMs: boolean;
  /** When a limit resets: a date, an epoch, or a duration. */
  readonly moment: boolean;
  /** The body has the form of a reply. */
  readonly answer: boolean;
  /** Written by a model. */
  readonly content: boolean;
  /** Named like a header of a response, in the body that a gateway made of it. */
  readonly header: boolean;
  /** Read together with its neighbours. */
  readonly special: boolean;
  /** Sent by the caller, or unrelated to the failure. */
  readonly passedOver: boolean;
}

const NAMES: Readonly<Record<keyof Roles, string>> = {
  code: 'code type status reason error_type errortype error_code errorcode __type :exception-type exception-type error kind name enumeration enum tag _tag error_name errorname error_class errorclass error_kind errorkind exception',
  namedCode: 'code error_code errorcode',
  namedType: 'type error_type errortype status __type :exception-type',
  message:
    'message msg error_msg errormsg errmsg detail details error error_message errormessage title description error_description raw body reason status_msg reasons errors raimediafilteredreasons exception',
  status: 'status code status_code statuscode http_status httpstatus upstreamstatus',
  param: 'param loc field parameter',
  stop: 'finish_reason finishreason stop_reason stopreason blockreason block_reason done_reason action',
  block: 'blockreason block_reason',
  quota:
    'limit_name limitname limit_type limittype quota_name quotaname quota_type rate_limit_type limit_reason quotaid quota_id quotametric quota_metric quotalimit quota_limit quotaunit quota_unit',
  quotaValue: 'quotavalue quota_value quotalimitvalue quota_limit_value',
  delay: 'retrydelay retry_delay quotaresetdelay quota_reset_delay',
  delaySeconds:
    'estimated_time retryafter retryafterseconds retryin resetin resetafter waittime cooldown',
  delayMs: 'retryafterms',
  moment: 'available_at resetat resetsat',
  answer: 'choices candidates output content completion',
  content:
    'content text parts output_text delta reasoning_content refusal tool_calls partial_json thinking completion response',
  header: 'retry-after-ms',
  special: 'result headers status refusal content',
  passedOver:
    'usage usagemetadata input messages arguments safetyratings safety_ratings content_filter_result content_filter_results logprobs links request model id object system_fingerprint instructions tools extendedhelp help_url previous_errors',
};

/** Every set of roles has all of their names: bodies have many fields, and objects of one form are read fastest. */
export const NO_ROLES: Roles = {
  code: false,
  namedCode: false,
  namedType: false,
  message: false,
  status: false,
  param: false,
  stop: false,
  block: false,
  quota: false,
  quotaValue: false,
  delay: false,
  delaySeconds: false,
  delayMs: false,
  moment: false,
  answer: false,
  content: false,
  header: false,
  special: false,
  passedOver: false,
};

const rolesByName = once(() => {
  const roles = new Map<string, Roles>();
  for (const [role, names] of Object.entries(NAMES))
    for (const name of names.split(' '))
      roles.set(name, { ...NO_ROLES, ...roles.get(name), [role]: true });
  return roles;
});

/** By the spelling as received: servers use few, so each is resolved once. */
const ROLES_BY_SPELLING = new Map<string, Roles>();
const MAX_REMEMBERED = 4096;

export function rolesOf(name: string): Roles {
  const known = ROLES_BY_SPELLING.get(name);
  if (known !== undefined) return known;
  const roles = rolesByName().get(name.toLowerCase()) ?? waitByWords(name) ?? rolesByEnding(name);
  if (ROLES_BY_SPELLING.size < MAX_REMEMBERED && name.length <= 40)
    ROLES_BY_SPELLING.set(name, roles);
  return roles;
}

/** Words that the name of a wait consists of, and nothing else: `retry_count` and `wait_for_model` are none. */
const WAITING =
  'retry try wait reset resets cooldown backoff blocked unblocked available allowed next';
const SECONDS = 's sec secs second seconds';
const MILLISECONDS = 'ms millis milliseconds';
const MOMENTS = 'at until timestamp date';
const BESIDE =
  'in after before time to delay estimated suggested remaining rate limit ratelimit quota window';

/** The role of each word in the name of a wait. */
const WAIT_WORDS: ReadonlyMap<string, 'waiting' | 'seconds' | 'ms' | 'moment' | 'beside'> = new Map(
  [
    ['waiting', WAITING] as const,
    ['seconds', SECONDS] as const,
    ['ms', MILLISECONDS] as const,
    ['moment', MOMENTS] as const,
    ['beside', BESIDE] as const,
  ].flatMap(([role, words]) => words.split(' ').map((word) => [word, role] as const)),
);

/** Reads the name of a field word by word: `retry_after_ms`, `secondsUntilReset`, `nextAllowedAt`. */
function waitByWords(name: string): Roles | undefined {
  const words = name
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split(/[_-]/);
  const roles = words.map((word) => WAIT_WORDS.get(word));
  if (words.length < 2 || roles.includes(undefined) || !roles.includes('waiting')) return undefined;
  if (roles.includes('ms')) return { ...NO_ROLES, delayMs: true };
  if (roles.includes('seconds')) return { ...NO_ROLES, delaySeconds: true };
  if (roles.includes('moment')) return { ...NO_ROLES, moment: true };
  const isLength = words.includes('in') || words.includes('after') || !/reset/i.test(name);
  // the value of `rate_limit_reset` says whether it is a moment or a length
  return { ...NO_ROLES, ...(isLength ? { delaySeconds: true } : { moment: true }) };
}

/** Vendors put a word of their own before the common one: `faultstring`, `errorDetail`, `err_msg`. */
function rolesByEnding(name: string): Roles {
  if (
    /(?:error|err|fault|fail|failure|status|result|ret|resp|sub|short|detail)[_-]?(?:message|msg|string|text|reason|detail|details|description|desc|info)$/i.test(
      name,
    )
  )
    return { ...NO_ROLES, message: true };
  if (/guardrail[_-]?action$/i.test(name)) return { ...NO_ROLES, stop: true };
  if (/(?:error|http|response|upstream)_?status(?:_?code)?$/i.test(name))
    return { ...NO_ROLES, status: true };
  if (/(?:error|err|fault|fail|failure|ret|result|resp|sub|biz)[_-]?code$/i.test(name))
    return { ...NO_ROLES, code: true, namedCode: true };
  if (/(?:end|ended|close|closed|disconnect|disconnected|termination)[_-]?reason$/i.test(name))
    return { ...NO_ROLES, code: true, message: true };
  if (/^(?:[a-z0-9]{1,20}-){0,3}rate-?limit(?:by[a-z]{1,20})?-[a-z-]{1,40}$/i.test(name))
    return { ...NO_ROLES, header: true };
  return NO_ROLES;
}
