/** The one set of reports that every renderer shows in its golden files. */
import { buildReport, crossBoundary } from '../report/build.ts';
import type { ErrorReport, ReportDraft } from '../report/report.ts';

function report(id: string, draft: ReportDraft): ErrorReport {
  return buildReport(draft, { stamp: { id: `err_${id}`, at: '2026-11-15T10:30:00.000Z' } });
}

const rateLimited = report('rate', {
  kind: 'provider.rate_limited',
  message: 'OpenAI is rate limiting (tokens per minute) and asks you to wait 12 s.',
  action: { kind: 'wait_and_retry', detail: 'Wait 12 s, or add a fallback model.' },
  details: { scope: 'model', recovery: 'hint' },
  location: {
    workflow: 'triage',
    node: 'classify',
    path: 'classify',
    pointer: '/agents/0',
    line: 21,
    column: 5,
  },
  frames: [{ workflow: 'triage', node: 'classify', path: 'classify' }],
  attempt: { number: 2, max: 6 },
  provider: {
    name: 'openai',
    model: 'gpt-6-mini',
    status: 429,
    code: 'rate_limit_exceeded',
    requestId: 'req_7f3a',
    retryAfterMs: 12_000,
    limit: 'tokens per minute',
  },
  rule: {
    id: 'rate.code',
    evidence: ['code=rate_limit_exceeded', 'hint=retry-after'],
    confidence: 'high',
  },
});

const quota = report('quota', {
  kind: 'provider.quota_exhausted',
  message: 'OpenAI says the quota of this account is used up; waiting will not help.',
  action: { kind: 'check_billing', detail: 'Check billing at OpenAI, or add a fallback model.' },
  details: { scope: 'account', recovery: 'human' },
  provider: { name: 'openai', model: 'gpt-6-mini', status: 429, code: 'insufficient_quota' },
});

const raised = crossBoundary(
  report('raised', {
    kind: 'external.order.missing',
    message: 'There is no order 4711 in the shop',
    details: { order: 4711, shop: 'eu-1', seen: ['4709', '4710'] },
    location: {
      workflow: 'one',
      node: 'fetch_order',
      path: 'each_ticket[42]/one/fetch_order',
      file: 'one.yaml',
      line: 34,
      column: 5,
    },
    frames: [{ workflow: 'one', node: 'fetch_order', path: 'each_ticket[42]/one/fetch_order' }],
    undeclared: true,
  }),
  { workflow: 'triage', node: 'each_ticket', path: 'each_ticket' },
);

const unknown = report('unknown', {
  kind: 'call.failed',
  message: "Cannot read properties of undefined (reading 'total')",
  details: { thrown: 'TypeError' },
  location: { node: 'sum_up', path: 'sum_up' },
});

const exhausted = report('exhausted', {
  kind: 'provider.exhausted',
  message: 'Every model of the chain has been tried as often as it may be.',
  cause: report('overloaded', {
    kind: 'provider.overloaded',
    message: 'Anthropic has no capacity for the model claude-sonnet-5 at the moment.',
    provider: {
      name: 'anthropic',
      model: 'claude-sonnet-5',
      status: 529,
      type: 'overloaded_error',
    },
    location: { workflow: 'triage', node: 'classify', path: 'classify', line: 21, column: 5 },
    cause: report('network', {
      kind: 'provider.network',
      message: 'OpenAI could not be reached; nothing was sent.',
      outcome: 'not_started',
    }),
  }),
  attempts: [
    { number: 1, kind: 'provider.network', target: 'openai/gpt-6-mini' },
    { number: 2, kind: 'provider.overloaded', target: 'anthropic/claude-sonnet-5' },
    { number: 3, kind: 'provider.network', target: 'openai/gpt-6-mini', waitedMs: 1000 },
    {
      number: 4,
      kind: 'provider.overloaded',
      target: 'anthropic/claude-sonnet-5',
      waitedMs: 2150,
      costUsdMicros: 1200,
    },
  ],
});

const memberNames = ['berlin', 'hamburg', 'köln', 'münchen', 'rostock'];
const members = Object.fromEntries(
  memberNames.map((name, index) => [
    name,
    report(`member_${index}`, {
      kind: index % 2 === 0 ? 'tool.timeout' : 'mcp.unreachable',
      message:
        index % 2 === 0
          ? `The tool weather/forecast did not answer for ${name} within 20 s`
          : 'The MCP server weather could not be reached',
      location: { workflow: 'weather', path: `each_city[${name}]/ask`, node: 'ask' },
      details: { tool: 'weather/forecast', city: name },
    }),
  ]),
);

const group = report('group', {
  kind: 'group.failed',
  message: '23 of 24 members of each_city failed',
  details: {
    counts: { 'mcp.unreachable': 11, 'tool.timeout': 12 },
    members,
    mode: 'continue_on_error',
  },
  location: { workflow: 'weather', node: 'each_city', path: 'each_city', line: 8, column: 3 },
  cause: members['berlin'] as ErrorReport,
});

const wide = report('wide', {
  kind: 'validation.input',
  message: `入力「チケット番号」は数字でなければなりません 🚫: ${'とても長い言葉'.repeat(9)} (reçu: “quarante-deux” ✔)`,
  details: { 値: '四十二', longest: 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(3) },
  location: { workflow: 'チケット', file: 'workflows/チケット.yaml', line: 3, column: 12 },
});

const hostile = report('hostile', {
  kind: 'internal.script_error',
  message:
    'fetch.sh ended with 1:\n\u001b[31mred\u001b[0m \u202egnorw\u202c \u0007bell\tand *stars*, `ticks`, <b>tags</b> | pipes # 1\r\nsee /home/alice/shop/fetch.sh with token sk-proj-abcdefghijklmnopqrstuvwx',
  details: {
    exit_code: 1,
    signal: null,
    command: 'bash -c /home/alice/shop/fetch.sh',
    stderr_tail: '\u001b]0;title\u0007oops\u0000 Authorization: Bearer abc.def.ghi\nlast line',
  },
});

export const SAMPLES: Readonly<Record<string, ErrorReport>> = {
  'rate-limit': rateLimited,
  quota,
  raised,
  unknown,
  exhausted,
  group,
  wide,
  hostile,
};
