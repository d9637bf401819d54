/** A value in the shape of a key, which simulated failures and inputs carry: it must never be seen. */
export const SECRET = `sk-ant-api03-${'Q7w9'.repeat(20)}`;
