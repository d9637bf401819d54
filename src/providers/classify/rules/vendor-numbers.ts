/** Rules for vendors that number their failures. The numbers mean nothing without the vendor. */
import type { Rule } from '../rule.ts';

export const VENDOR_NUMBER_RULES: readonly Rule[] = [
  {
    id: 'zhipu.spent',
    when: { providers: ['zhipu'], codes: ['1112', '1113', '1304', '1308', '1309', '1310'] },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'Zhipu numbers its failures; these are spent balances and plans',
  },
  {
    id: 'zhipu.rate',
    when: { providers: ['zhipu'], codes: ['1302', '1303'] },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'Zhipu numbers its failures; these are limits of concurrency and rate',
  },
  {
    id: 'zhipu.overload',
    when: { providers: ['zhipu'], codes: ['1305', '1312'] },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'Zhipu numbers its failures; this one is too much traffic from everyone',
  },
  {
    id: 'zhipu.permission',
    when: { providers: ['zhipu'], codes: ['1110', '1121', '1220', '1311'] },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'Zhipu numbers its failures; these are accounts and plans without the right',
  },
  {
    id: 'qianfan.spent',
    when: { providers: ['qianfan'], codes: ['17', '19'] },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'Baidu numbers its failures; these are limits by the day and in all',
  },
  {
    id: 'zhipu.content',
    when: { providers: ['zhipu'], codes: ['1301'] },
    means: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'Zhipu numbers its failures; this one is unsafe content',
  },
  {
    id: 'zhipu.context',
    when: { providers: ['zhipu'], codes: ['1261'] },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'Zhipu numbers its failures; this one is a prompt that is too long',
  },
];
