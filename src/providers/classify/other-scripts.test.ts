/** The same failures in Chinese, Japanese, Korean and Russian, under a number of the vendor and nothing else. */
import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';

/** A kind with its category, where that is not the catalog's, and sentences that mean it. */
const SAID: readonly (readonly [kind: string, sentences: readonly string[]])[] = [
  [
    'provider.rate_limited transient',
    [
      '调用次数过于密集，请放慢速度',
      '接口调用超过频率限制',
      'QPS超限',
      'リクエストの頻度が高すぎます',
      '短時間に多数のリクエストが送信されました',
      '호출 빈도가 너무 높습니다',
      '초당 호출 횟수를 초과하였습니다',
      'Слишком частые запросы',
      'Превышена частота обращений',
    ],
  ],
  [
    'provider.quota_exhausted capacity',
    [
      '本月调用量已达上限',
      '账户欠费，请充值',
      '免费额度已用完',
      '套餐次数已耗尽',
      '今月の利用上限に達しました',
      'クレジット残高が不足しています',
      '이번 달 사용량을 모두 소진했습니다',
      '잔액이 부족합니다',
      '하루 사용 한도를 초과했습니다',
      'Месячный лимит исчерпан',
      'Недостаточно средств на счёте',
      'Дневная квота израсходована',
    ],
  ],
  [
    'provider.auth configuration',
    [
      '签名验证失败',
      'token已失效，请重新获取',
      'AppKey不存在',
      '密钥校验不通过',
      'アクセストークンの有効期限が切れています',
      '認証に失敗しました',
      'APIキーが正しくありません',
      '인증에 실패했습니다',
      '액세스 토큰이 만료되었습니다',
      '서명이 일치하지 않습니다',
      'Ошибка авторизации',
      'Срок действия токена истёк',
      'Неверная подпись запроса',
    ],
  ],
  [
    'provider.permission configuration',
    [
      'IP不在白名单中',
      '应用未开通该服务',
      '您没有访问该资源的权限',
      '账号已被冻结',
      '服务未订购',
      'このAPIの利用は許可されていません',
      'アクセスが拒否されました',
      'このリソースへのアクセス権がありません',
      '접근이 거부되었습니다',
      '해당 서비스를 사용할 권한이 없습니다',
      '허용되지 않은 IP입니다',
      'Доступ запрещён',
      'У вас нет прав на эту операцию',
      'IP-адреса нет в белом списке',
      'Аккаунт заблокирован',
    ],
  ],
  [
    'provider.server_error transient',
    [
      '服务器内部异常',
      '系统异常',
      '后端服务出错',
      '内部エラーが発生しました',
      'サーバーでエラーが発生しました',
      'システムエラー',
      '서버 내부 오류가 발생했습니다',
      '시스템 오류입니다',
      'Внутренняя ошибка сервера',
      'Системная ошибка',
    ],
  ],
  [
    'provider.overloaded transient',
    [
      '服务器正忙，请稍后重试',
      '系统维护中',
      '当前使用人数过多',
      'ただいまメンテナンス中です',
      'サーバーが混雑しています',
      'サービスは現在利用できません',
      '서버 점검 중입니다',
      '현재 서비스를 이용할 수 없습니다',
      'Сервер перегружен',
      'Ведутся технические работы',
      'Сервис временно недоступен',
    ],
  ],
  [
    'provider.timeout transient',
    [
      '内部处理超时',
      '上游服务响应超时',
      'サーバー内部の処理がタイムアウトしました',
      '서버 내부 처리 시간이 초과되었습니다',
      'Превышено время ожидания ответа сервера',
    ],
  ],
  [
    'provider.request_too_large content',
    [
      '图片大小超过限制',
      '文件过大',
      '音频时长超过上限',
      '图片数量超过最大值',
      'ファイルサイズが大きすぎます',
      '画像の枚数が上限を超えています',
      '파일 크기가 너무 큽니다',
      '이미지 용량이 제한을 초과했습니다',
      '파일 개수가 최대값을 초과했습니다',
      'Файл слишком большой',
      'Размер изображения превышает допустимый',
    ],
  ],
  [
    'provider.context_length content',
    [
      '输入内容过长',
      '对话长度超出模型限制',
      '入力が長すぎます',
      '入力トークン数が上限を超えています',
      '입력이 너무 깁니다',
      '입력 토큰 수가 최대 길이를 초과했습니다',
      'Превышена длина контекста',
      'Слишком длинный промпт',
    ],
  ],
  [
    'provider.model_not_found configuration',
    [
      '所选模型已停用',
      '不支持该模型',
      '找不到指定的模型',
      '指定されたモデルは存在しません',
      'このモデルはサポートされていません',
      '未対応のモデルです',
      '존재하지 않는 모델입니다',
      '지원하지 않는 모델입니다',
      'Модель не существует',
      'Указанная модель не поддерживается',
    ],
  ],
  [
    'provider.content_filter content',
    [
      '内容包含敏感信息',
      '图片涉嫌违规',
      '未通过内容审核',
      '不適切な内容が含まれています',
      'コンテンツポリシーに違反しています',
      '부적절한 내용이 포함되어 있습니다',
      '금칙어가 포함되어 있습니다',
      'Запрос содержит недопустимый контент',
    ],
  ],
  [
    'provider.invalid_request configuration',
    [
      '缺少必填参数',
      '参数取值超出范围',
      '参数类型错误',
      '必須パラメータがありません',
      'パラメータの値が不正です',
      '필수 파라미터가 누락되었습니다',
      '파라미터 값이 올바르지 않습니다',
      'Отсутствует обязательный параметр',
      'Неверное значение параметра',
    ],
  ],
  [
    'provider.invalid_request content',
    [
      '图片无法解析',
      '不支持的图片格式',
      '音频文件已损坏',
      '画像を読み込めません',
      '対応していないファイル形式です',
      '이미지를 읽을 수 없습니다',
      '지원하지 않는 파일 형식입니다',
      'Неподдерживаемый формат файла',
      'Не удалось прочитать изображение',
    ],
  ],
  [
    'provider.unsupported configuration',
    [
      '该模型不支持图片输入',
      '当前模型不支持函数调用',
      'このモデルは画像入力に対応していません',
      '이 모델은 함수 호출을 지원하지 않습니다',
      'Модель не поддерживает изображения',
    ],
  ],
  [
    'provider.conflict transient',
    [
      '任务正在处理中，请勿重复提交',
      '应用正在部署中',
      '別の処理が実行中です',
      '이미 처리 중인 요청이 있습니다',
      'Другая операция уже выполняется',
    ],
  ],
];

const CASES = SAID.flatMap(([kind, sentences]) => sentences.map((said) => [said, kind] as const));

function conclusionOf(status: number, message: string): string {
  const { kind, category } = classify({
    operation: 'generate',
    status,
    headers: {},
    body: { code: 31_407, msg: message },
    phase: 'headers',
    delivered: false,
    source: 'test',
  });
  return `${kind} ${category}`;
}

describe('a sentence in another script', () => {
  it.each(CASES)('is understood under a good status: %s', (said, kind) => {
    expect(conclusionOf(200, said)).toBe(kind);
  });

  it.each(CASES)('is understood under the status of a refusal: %s', (said, kind) => {
    expect(conclusionOf(400, said)).toBe(kind);
  });
});
