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
    id: 'entra.permission',
    when: {
      codes: ['50105', '53000', '53003', '65001', '65004', '90094'].map((at) => `aadsts${at}`),
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'Microsoft Entra numbers its failures; these are roles, consents and policies of the organisation',
  },
  {
    id: 'entra.auth',
    when: { codeParts: ['aadsts'] },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'Microsoft Entra refused the sign-in of the caller before the provider saw the request',
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
  {
    id: 'minimax.content',
    when: { providers: ['minimax'], codes: ['1042', '1043', '1044', '2037', '2048'] },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'MiniMax numbers its failures; these are texts and recordings that it cannot use',
  },
  {
    id: 'midjourney.queue-full',
    when: { providers: ['midjourney-proxy', 'midjourney'], codes: ['23'] },
    means: {
      kind: 'provider.overloaded',
      outcome: 'not_started',
      scope: 'model',
      recovery: 'window',
    },
    why: 'the proxy for Midjourney numbers its failures; this one is a full queue, which took nothing',
  },
];
