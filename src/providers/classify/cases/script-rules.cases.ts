/** Cases for the rules about failures in other scripts, and for those that read how a failure is printed. */
import type { RuntimeKind } from '../../../errors/catalog/catalog.ts';
import type { RuleCase } from './rules.cases.ts';

const SAID: readonly (readonly [string, RuntimeKind, string])[] = [
  ['script.size', 'provider.request_too_large', '动画文件过大'],
  ['script.context', 'provider.context_length', '入力が長すぎて処理の対象外です'],
  ['script.spent', 'provider.quota_exhausted', 'Месячный лимит исчерпан'],
  ['script.rate', 'provider.rate_limited', 'リクエストの頻度が高すぎます'],
  ['script.filter', 'provider.content_filter', 'コンテンツポリシーに違反しています'],
  ['script.auth', 'provider.auth', 'Срок действия токена истёк'],
  ['script.permission', 'provider.permission', 'アクセスが拒否されました'],
  ['script.address-of-caller', 'provider.permission', '来源ip非法'],
  ['script.model', 'provider.model_not_found', '指定されたモデルは存在しません'],
  ['script.file', 'provider.invalid_request', 'この画像は無効です'],
  ['script.unsupported', 'provider.unsupported', '모델의 검색 기능은 미지원, 지원되지 않음'],
  ['script.setting', 'provider.invalid_request', 'パラメータの値が不正です'],
  ['script.late', 'provider.timeout', 'サーバー内部の処理がタイムアウトしました'],
  ['script.busy', 'provider.overloaded', '系统维护中'],
  ['script.underway', 'provider.conflict', '別の処理が実行中です'],
  ['script.fault', 'provider.server_error', 'システムエラー'],
];

export const SCRIPT_CASES: readonly RuleCase[] = [
  ...SAID.map(([rule, kind, msg]) => ({
    rule,
    kind,
    failure: { status: 200, phase: 'headers' as const, body: { code: 31_407, msg } },
  })),
  {
    rule: 'rate.oversize-said',
    kind: 'provider.request_too_large',
    failure: {
      transport: { message: '8 RESOURCE_EXHAUSTED: frame size 9000 above 8000 bytes' },
    },
  },
  {
    rule: 'overload.resource',
    kind: 'provider.overloaded',
    failure: { transport: { message: '8 RESOURCE_EXHAUSTED: no shard is free, please retry' } },
  },
  {
    rule: 'quota.another-status-in-words',
    kind: 'provider.quota_exhausted',
    failure: { status: 402, phase: 'headers', body: { error: 'Unauthorized', message: 'Join us' } },
  },
  {
    rule: 'parameter.choice',
    kind: 'provider.invalid_request',
    failure: { status: 400, phase: 'headers', body: { error: 'Invalid tool_choice: want auto' } },
  },
  {
    rule: 'parameter.other',
    kind: 'provider.invalid_request',
    failure: { status: 400, phase: 'headers', body: { code: 'INVALID_PAGE', message: 'No' } },
  },
  {
    rule: 'function.unhandled',
    kind: 'provider.server_error',
    failure: {
      status: 200,
      phase: 'headers',
      headers: { 'x-amz-function-error': 'Unhandled' },
      body: { errorType: 'Odd', errorMessage: 'Something odd' },
    },
  },
  {
    rule: 'conflict.ask-to-check',
    kind: 'provider.invalid_request',
    failure: { status: 409, phase: 'headers', body: { error: 'No fit. Check your dimensions.' } },
  },
  {
    rule: 'schema.keyword',
    kind: 'provider.tool_schema',
    failure: { status: 400, phase: 'headers', body: { message: "Arrays must define 'items'" } },
  },
  {
    rule: 'code-words.off-for-caller',
    kind: 'provider.permission',
    failure: { status: 403, phase: 'headers', body: { code: 'FEATURE_DISABLED', message: 'No' } },
  },
  {
    rule: 'concept.inner',
    kind: 'provider.server_error',
    failure: { status: 200, phase: 'headers', body: { code: 31_407, msg: 'Internal exception' } },
  },
];
