/** `errand/server`: runs as a service, for any host of `fetch`. */
export { createErrandServer, type ErrandServer, type ErrandServerOptions } from './server.ts';
export type { Caller, Role } from './access/tokens.ts';
