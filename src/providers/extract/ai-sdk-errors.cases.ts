/** Errors of the AI SDK by shape: the registered symbols, the name, and the fields that it sets. */
export function aiError(name: string, fields: object = {}, message = 'failed'): Error {
  return Object.assign(new Error(message), {
    name: `AI_${name}`,
    [Symbol.for('vercel.ai.error')]: true,
    [Symbol.for(`vercel.ai.error.AI_${name}`)]: true,
    ...fields,
  });
}

export function apiCallError(fields: object = {}, message?: string): Error {
  return aiError(
    'APICallError',
    {
      url: 'https://api.openai.com/v1/chat/completions',
      requestBodyValues: { model: 'gpt-4o', messages: [{ role: 'user', content: 'secret' }] },
      statusCode: undefined,
      responseHeaders: undefined,
      responseBody: undefined,
      isRetryable: false,
      data: undefined,
      ...fields,
    },
    message,
  );
}
