/** Preloaded into a foreign server: it listens on this machine alone, and prints its port. */
import { Server } from 'node:net';

// called with the server that it was called on
// oxlint-disable-next-line typescript/unbound-method
const original = Server.prototype.listen;

Server.prototype.listen = function listen(this: Server, port: unknown, ...rest: unknown[]): Server {
  this.once('listening', () => {
    const address = this.address();
    if (typeof address === 'object') process.stderr.write(`port ${address?.port}\n`);
  });
  return Reflect.apply(original, this, [Number(port), '127.0.0.1', ...rest]) as Server;
} as typeof original;
