/**
 * The vocabulary for prose that no phrase covers: what is spoken of, and what is said about it. A word that
 * ends in `*` stands for all that begin with it. Rules combine concepts, so a sentence that nobody has seen
 * is understood by its parts.
 */

import { SCRIPT_NEGATED, SCRIPT_WORDS } from './script-words.ts';

/** Meanings of a word as it stands. */
const PLAIN = {
  // what is spoken of
  model: 'model* deployment* checkpoint* engine 模型 モデル модел*',
  endpoint: 'endpoint* 接入点',
  key: 'key keys apikey* credential* password* secret* jwt bearer ak 密钥 秘钥 令牌 凭证 apikey鉴权 キー 키 ключ*',
  token: 'token',
  login:
    'auth login loggedin signin logged signin authenticat* reauthenticat* oauth sso hmac* 登录 認証 鉴权',
  account:
    'account* organi?ation* org project* tenant* workspace* user users subscription* team* customer* member* caller* consumer* tenant app apps application applications ip referer referrer 账户 账号 用户 帐户 帐号 アカウント 계정',
  right:
    'permission* privilege* scope scopes entitle* licen* access allowlist* whitelist* acl iam apiproduct* product* agreement* eula terms tos consent 权限 権限 권한 права доступ*',
  money:
    'pay payment* unpaid credit* balance* billing* payment* budget* spend* fund funds invoice* money wallet* points coins prepaid dollar* usd cost costs paid arrear* overdue 计费 余额 欠费 额度 余量 积分 баланс* средств*',
  quota: 'quota* allowance* allotment* 配额 クォータ 할당량 квот*',
  rate: 'rate throttl* frequency freq qps rps rpm tpm concurren* parallel ratelimit* 频率 并发 限流 流控 qps限制 频繁 レート 速率',
  requests: 'requests request calls invocations 请求 リクエスト 요청 접속 호출 запрос*',
  prompt:
    'prompt* input inputs conversation* sequence* seq transcript* history 提示词 输入 上下文 プロンプト промпт*',
  text: 'text texts message messages document* string 消息 文本',
  tokens: 'tokens 令牌数 токен*',
  length: 'length* len long longer lengthy 长度 長 длин*',
  window: 'context window contextwindow 上下文长度 контекст*',
  reply: 'output outputs completion* generation response responses reply max_tokens 输出',
  bytes: 'byte* kb mb gb kib mib gib megabyte* kilobyte* payload* upload* filesize body 字节',
  media:
    'media image* audio video* file files pdf* picture* photo* attachment* recording* clip clips track face faces source reference 图片 视频 音频 文件',
  schema: 'schema* jsonschema defs additionalproperties patternproperties anyof oneof allof',
  grammar: 'grammar*',
  call: 'call calls toolcall*',
  signature: 'signature*',
  block: 'block blocks part parts',
  stop: 'stop',
  full: 'full',
  shorten: 'shorten* trim reduce truncat*',
  tool: 'tool tools function functions functiondeclaration* toolset* 工具 函数',
  feature:
    'feature* operation operations mode capabilit* streaming thinking reasoning modalit* functionality logprobs vision multimodal inference embedding* candidates caching prefill* grounding decoding',
  param:
    'parameter* param params response_format field* argument* option options setting* value* attribute* header* 参数 字段 параметр*',
  sampling:
    'max_tokens maxoutputtokens temperature top_p top_k penalty seed logprobs effort budget_tokens duration resolution aspect fps dimension* height width size language voice format mode n ratio steps stream encode encoding* encoder* sample samples sampler',
  role: 'role roles 角色',
  turn: 'assistant alternat* turn turns',
  header: 'header headers',
  property: 'propert*',
  content: 'content contents material words',
  choice: 'choice',
  described: 'description* describe* definition*',
  address: 'url urls path paths route* routing uri base_url 路径 地址',
  host: 'server* host* upstream* origin* backend* gateway* service* worker* instances node nodes replica* gpu* engine* provider* datacenter* center* centers cluster* channel* pool pods 服务 渠道 сервер* сервис*',
  connect: 'connect connecting connector open pool dial',
  handshake: 'handshak* tls ssl',
  connection:
    'connection* connect* socket* network* internet tcp wifi http2 h2 transport* stream streams channelclosed peer remote websocket* tunnel* 连接 网络 соединени*',
  dns: 'dns hostname* nxdomain getaddrinfo lookup domain',
  trust: 'certificate* cert certs x509 truststore* 证书 сертификат*',
  proxy: 'proxy proxies',
  /** Parts that a server itself stands on. */
  machinery:
    'database* db redis postgres* mysql mongo* sqlite cache kafka limiter* scheduler disk filesystem dependency dependencies',
  /** Things that a service keeps for a caller. */
  job: 'job jobs task tasks batch batches thread threads run runs prediction* store stores',
  /** Getting at material, or at what is in it. */
  fetch: 'download* fetch* retriev* decod* transcod* open unmarshal* deserializ* parse parsing',
  decode: 'decod* transcod*',
  short: 'short small',
  /** Proving who one is, beyond a key. */
  vetting: 'kyc identity verification verified verify realname onboard* 实名',
  filter:
    'infring* moderation* moderat* censor* audit audited adult erotic* celebrit* likeness* pii underage injection* jailbreak* recitation explicit nud* porn* gore violation* violat* copyright* trademark* cyber* weapon* guard guards risky risk harm* toxic* abus* safety guardrail* harmful unsafe offensive nsfw sexual violen* hate policy policies guideline* compliance inappropriate sensitive 敏感 违规 安全 审核',
  // what is said about it
  missing:
    'missing unknown nonexist* unrecogni?ed undefined retired removed gone deprecat* decommission* discontinu* sunset* obsolete typo misspel* archived absent withdrawn nowhere 不存在 未找到 找不到 ありません 없',
  forbidden:
    'forbid* paused denied deny denies restrict* disabled suspend* banned unauthori* prohibit* disallow* barred frozen freez* lock locked ineligible lacks gated 无权 禁止 未开通 未授权 没有权限 封禁 запрещ*',
  lacking:
    'insufficient* lack* exhaust* deplet* empty consumed lapsed drained negative overdue unpaid arrear* 不足 用尽 耗尽 用完 已用完 недостаточ* исчерпан*',
  spent: 'exhaust* deplet* consumed drained 用尽 耗尽 用完 已用完 исчерпан*',
  hit: 'reach* hit met 达到',
  reached: 'reach* hit exceed* met 超出 超过 达到 超限 превыш*',
  excess:
    'above beyond exceed* grown longer larger bigger greater surpass* overflow* overlong oversize* truncat* shorten* reduce > >= 超出 超过 过长 太长 超长 превыш*',
  too: 'too слишком すぎ 너무',
  large: 'large big',
  most: 'most only',
  total: 'total sum combined plus',
  found: 'found detected recogni?ed moderated contain* trigger* judged flag* identified 包含',
  /** Rules of a house, for what it does not want to write. */
  policy:
    'policy policies guideline* infring* moderation* safety harm* unsafe nsfw cyber* bio weapon* risk sensitive recitation guardrail* copyright*',
  blocked: 'block* blacklist* denylist* intercept* filtered declin* withheld flag*',
  unknown: 'unknown unrecogni?ed extra extraneous',
  range: 'range between inclusive exclusive bounds',
  characters: 'character* chars 字符',
  /** Not a word: a number that is followed by a smaller one. */
  over: '\u0003',
  blank: 'empty blank',
  often: 'frequent frequently often 频繁',
  much: 'much many large big long high 多 많 много',
  bound:
    'max* limit* most cap capped ceiling upper allow* permitted up 上限 限额 最大 限制 лимит* максимальн*',
  unsupported: 'unsupport* incompatib* unimplement* inapplicable 不支持 暂不支持',
  unavailable: 'unavailab* offline disabled 不可用',
  invalid:
    'invalid* malform* incorrect* wrong bad illegal improper* mismatch* corrupt* unparse* unparsable refused reject* inconsistent duplicate* 无效 错误 不正确 не?верн* недействител*',
  must: 'must should ensure requir* expect* needs need needed mandatory between allowed',
  expired: 'expir* revok* deactivat* disabled inactive rotated 过期 失效 已失效 истек*',
  busy: 'busy full maintenance overload* capacity loading asleep sleeping waking booting provisioning warming starting scaling saturat* congest* queue* demand traffic overwhelmed 加载中 人数过多 访问量过大 繁忙 过载 排队 拥挤 перегруж*',
  late: 'timed timeout* timedout deadline elapsed 超时 таймаут*',
  cut: 'closed down close closing reset resets aborted terminat* disconnect* lost broken broke dropped drop interrupt* hangup eof shutdown shut prematurely premature incomplete cut goaway severed 断开 中断 разорван*',
  refused: 'refused econnrefused unreachable enetunreach econnreset epipe resolv* unresolv*',
  untrusted: 'selfsigned untrusted',
  failed: 'fail* error* exception* unable problem* alert',
  cancelled: 'cancel* interrupted',
  unset: 'unset unconfigured notconfigured 未配置 未设置 没有配置',
  wait: 'later again retry shortly moment soon 稍后 重试 позже',
  now: 'currently temporar* momentarily presently',
  given: 'passed got received given specified requested provided actual',
  listed: 'supported available valid known following one list listed',
  name: 'name names named alias* id identifier* slug',
  offered: 'offered served hosted',
  region:
    'region* geo geoip country countries location* territor* geograph* jurisdiction* 地区 国家 地域',
  plan: 'subscription* plan plans tier tiers trial free upgrade* pro enterprise seat seats trials package* pack packs 套餐',
  /** The demands on a number. */
  numeric: 'integer* float* boolean bool numeric positive nonnegative divisible multiple',
  /** How much of it there is, in whatever unit. */
  size: 'size sizes frame',
  /** How a file is written, as opposed to what is in it. */
  format: 'format* codec* mime* type types extension*',
  /** Somebody works on the same thing; the words are pairs. */
  underway: 'simultaneous* 已在进行',
  /** A fault of theirs, without more. */
  inner: 'internal* system unexpected*',
  /** Negated: the one that is spoken of cannot do it. */
  incapable: '\u0004',
  /** Not a word: the model as what something else is for. */
  ofmodel: '\u0005',
  /** Not a word: an account, a plan or a region as what something else is for. */
  ofaccount: '\u0006',
  minute: 'minute* second seconds secondly sec min hour hourly minutely 每分钟 每秒 每小时',
  day: 'day days daily today tomorrow month months monthly week weekly year 每日 每天 每月 当日 今日 месяц* день суток',
} as const;

export type Concept = keyof typeof PLAIN;

/** All of them, in the order of their numbers. */
export const CONCEPTS = Object.keys(PLAIN) as readonly Concept[];

/** Meanings of a word after a negation: not found, no permission, cannot connect. */
const NEGATED: Partial<Record<Concept, string>> = {
  most: 'exceed*',
  missing:
    'found find exist* match* locat* recogni* known registered deployed named such longer speech face faces detected contain* defined parameter* param params calls',
  forbidden:
    'allow* permit* authori* enabled entitle* access* permission* right* privilege* eligible granted subscribed activated approved opened enrolled cover* include accessible have licen* part belong* open verified grant* accepted agreed signed complet* includ* whitelist* allowlist*',
  unsupported:
    'support* compatible implement* able handle possible capab* applicab* work combin* together accept multimodal vision chat embedding instruct generative streaming configurable adjustable',
  invalid:
    'valid match* pars* decod* understand understood conform* correct* process* read compile* unmarshal* deserializ*',
  failed: 'fetch* download* retriev* decod* load*',
  incapable: 'support offer accept implement process handle take understand create',
  spent: 'remaining left',
  lacking: 'enough sufficient remaining left more credit* balance* fund* quota*',
  unset:
    'set configured provided supplied specified given present included setup sent logged signed',
  unavailable: 'available availab* offered serv* hosted offered ready healthy online up free idle',
  refused: 'connect* reach* resolv* respon* establish* open* internet* network*',
  untrusted: 'trust* verif* validat*',
  expired: 'active',
};

/** Pairs of words that mean something else together, or only together. */
const PAIRS: Partial<Record<Concept, string>> = {
  address: 'such-method unknown-method a-method method-called invalid-method method-invalid',
  host: 'no-instance available-instance available-workers idle-instance no-slots free-slots available-slots free-slot available-slot',
  media: 'document-format document-type',
  vetting: 'real-name',
  forbidden:
    'not-auth join-the under-review pending-approval pending-review private-preview limited-preview closed-beta',
  right: 'opt-in waiting-list wait-list',
  filter:
    'real-person real-people against-our against-the be-illegal is-illegal illegal-content existing-work existing-song existing-recording existing-track existing-artwork existing-music protected-work illegal-information illegal-detected deny-listed deny-list',
  call: 'tool-call tool-calls tool-output tool-outputs tool-result tool-results function-call function-calls function-response',
  plan: 'subscription-terminated subscription-cancelled subscription-canceled subscription-expired subscription-ended subscription-lapsed',
  underway:
    'in-process in-progress already-being already-running already-active still-running still-processing being-processed being-generated another-request another-run another-operation another-generation another-job another-task another-response another-call another-session being-deployed being-created session-busy concurrent-modification concurrent-update concurrent-write',
  reached: 'came-to comes-to over-quota over-limit over-budget over-its over-their',
  must: 'has-to have-to had-to ought-to',
  unset: 'must-setup must-configure',
  expired:
    'is-over has-ended trial-over subscription-terminated subscription-cancelled subscription-canceled plan-ended',
  busy: 'in-use being-created being-deployed being-provisioned being-loaded being-started spinning-up',
  spent: 'used-up use-up used-all used-your ran-out run-out running-out',
  unavailable: 'switched-off turned-off',
  unsupported: 'accepts-no supports-no takes-no',
  often: 'flow-control',
  bound: 'less-than fewer-than smaller-than',
  window: 'token-window',
  tokens: 'token-count token-counts',
  excess: 'more-than over-the tokens-than characters-than images-than items-than',
  missing:
    'fade-out fades-out faded-out fading-out phased-out phase-out available-models supported-models valid-models known-models',
  login: 'session-expired session-invalid sign-in signed-in log-in logged-in log-on sign-on',
  lacking: 'used-up use-up used-all ran-out run-out running-out ran-dry out-of past-due',
  late: 'time-out in-time took-longer taking-longer expired-before',
  cut: 'ended-before stopped-before of-file of-stream hung-up hang-up went-down went-away',
  connect: 'connection-timed connection-timeout',
};

/** The same after a negation. */
const NEGATED_PAIRS: Partial<Record<Concept, string>> = {
  most: 'more-than greater-than larger-than longer-than higher-than',
  missing: 'supported-model valid-model known-model available-model recognized-model',
  must: 'one-of the-list our-list',
  forbidden: 'in-plan',
  listed: 'one-of the-list our-list',
};

/** Words that begin a new thought, to which a negation before them does not reach. */
export const NEGATION_ENDS: ReadonlySet<string> = new Set(['that', 'which', 'but', 'because']);

/** Words that turn the next ones around. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  'not no never cannot without neither nor none unable cant dont doesnt isnt arent wasnt couldnt wont didnt havent hasnt нет не'.split(
    ' ',
  ),
);

export interface Lexicon {
  readonly exact: ReadonlyMap<string, readonly Concept[]>;
  readonly prefixes: ReadonlyMap<string, readonly Concept[]>;
}

/** Concepts of a pair of words, by the first and then by the second. */
export type Pairs = ReadonlyMap<string, ReadonlyMap<string, readonly Concept[]>>;

export interface Lexicons {
  readonly plain: Lexicon;
  readonly negated: Lexicon;
  /** By the first word and then by the second. */
  readonly pairs: Pairs;
  readonly negatedPairs: Pairs;
  /** All words of the pairs, first or second. */
  readonly paired: ReadonlySet<string>;
  /** Words of scripts that are written without spaces. */
  readonly unspaced: readonly (readonly [word: string, concept: Concept])[];
}

const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

export function buildLexicons(): Lexicons {
  return {
    plain: lexiconOf([...entriesOf(PLAIN), ...entriesOf(SCRIPT_WORDS)]),
    negated: lexiconOf([...entriesOf(NEGATED), ...entriesOf(SCRIPT_NEGATED)]),
    pairs: pairsOf(PAIRS),
    negatedPairs: pairsOf(NEGATED_PAIRS),
    paired: new Set(
      [...entriesOf(PAIRS), ...entriesOf(NEGATED_PAIRS)].flatMap(([pair]) => pair.split('-')),
    ),
    unspaced: [...entriesOf(PLAIN), ...entriesOf(SCRIPT_WORDS)].filter(([word]) =>
      UNSPACED.test(word),
    ),
  };
}

function entriesOf(table: Partial<Record<Concept, string>>): [word: string, concept: Concept][] {
  return Object.entries(table).flatMap(([concept, words]) =>
    // the tables are keyed by Concept
    words.split(' ').map((word): [string, Concept] => [word, concept as Concept]),
  );
}

function pairsOf(table: Partial<Record<Concept, string>>): Pairs {
  const pairs = new Map<string, Map<string, Concept[]>>();
  for (const [pair, concept] of entriesOf(table)) {
    const [first = '', second = ''] = pair.split('-');
    const seconds = pairs.get(first) ?? new Map<string, Concept[]>();
    seconds.set(second, [...(seconds.get(second) ?? []), concept]);
    pairs.set(first, seconds);
  }
  return pairs;
}

function lexiconOf(entries: readonly (readonly [word: string, concept: Concept])[]): Lexicon {
  const exact = new Map<string, Concept[]>();
  const prefixes = new Map<string, Concept[]>();
  for (const [word, concept] of entries) {
    const into = word.endsWith('*') ? prefixes : exact;
    for (const spelling of spellings(word.replace('*', '')))
      into.set(spelling, [...(into.get(spelling) ?? []), concept]);
  }
  return { exact, prefixes };
}

/** `organi?ation` is written with an s or a z. */
function spellings(word: string): readonly string[] {
  return word.includes('?') ? ['s', 'z', ''].map((letter) => word.replace('?', letter)) : [word];
}
