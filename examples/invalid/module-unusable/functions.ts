throw new Error('no settings');

export const fetchOrder = (): object => ({});
