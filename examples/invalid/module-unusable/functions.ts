export const fetchOrder = (): object => ({});

if (Date.now() > 0) throw new Error('no settings');
