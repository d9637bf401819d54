/**
 * Closes a connection to Temporal. Its client retries a failed request from a timer, and on a
 * connection that was closed meanwhile the retry throws where it cannot be caught, which ends the
 * whole process. A long poll would outlive its connection too. So this file tracks open requests:
 * closing ends them, and nothing is sent afterwards.
 */
import type { ClientModule, GrpcCall, GrpcInterceptor, GrpcMetadata } from './temporal-sdk.ts';

/** gRPC's code for a request that the caller cancelled, which the client does not retry. */
export const CANCELLED = 1;
const WHY = 'The connection to Temporal is closed';

export class Closing {
  readonly #open = new Set<GrpcCall>();
  #isClosed = false;

  /** The client's own retries, and below them what each call passes through. */
  interceptors(client: ClientModule): GrpcInterceptor[] {
    const retrying = client.makeGrpcRetryInterceptor(client.defaultGrpcRetryOptions());
    return [retrying, (options, next) => (this.#isClosed ? REFUSED : this.#known(next(options)))];
  }

  close(): void {
    this.#isClosed = true;
    for (const call of this.#open) call.cancelWithStatus(CANCELLED, WHY);
  }

  #known(call: GrpcCall): GrpcCall {
    const start = call.start.bind(call);
    this.#open.add(call);
    call.start = (metadata, listener) =>
      start(metadata, {
        onReceiveMetadata: (received) => listener.onReceiveMetadata?.(received),
        onReceiveMessage: (message) => listener.onReceiveMessage?.(message),
        onReceiveStatus: (status) => {
          this.#open.delete(call);
          listener.onReceiveStatus?.(status);
        },
      });
    return call;
  }
}

/** A call that is over when it starts. */
const REFUSED: GrpcCall = {
  start: (metadata, listener) => {
    listener.onReceiveMessage?.(null);
    listener.onReceiveStatus?.({ code: CANCELLED, details: WHY, metadata: emptied(metadata) });
  },
  cancelWithStatus: () => undefined,
  sendMessage: () => undefined,
  sendMessageWithContext: () => undefined,
  startRead: () => undefined,
  halfClose: () => undefined,
  getPeer: () => '',
  getAuthContext: () => null,
};

/** Metadata of the same class without its values, which may contain a key. */
function emptied(metadata: GrpcMetadata): GrpcMetadata {
  const empty = metadata.clone();
  for (const name of Object.keys(empty.getMap())) empty.remove(name);
  return empty;
}
