/** `errand/server`: runs as a service, for any host of `fetch`. */
export {
  createErrandServer,
  type ErrandServer,
  type ErrandServerOptions,
} from './errand-server.ts';
export type { Caller, Role } from './access/access-tokens.ts';
