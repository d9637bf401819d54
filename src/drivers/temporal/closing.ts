/**
 * The end of a connection to Temporal. Its client tries a failed request again from a timer, and on a
 * connection that was closed meanwhile that try throws where nobody can catch it, which ends the whole
 * process. And a request that waits for news would outlive the connection it was made on. So the
 * requests under way are known here: closing ends them, and nothing is sent after it.
 */
import type { ClientModule, GrpcCall, GrpcInterceptor, GrpcMetadata } from './sdk.ts';

/** gRPC's code for what whoever asked does not want any more; the client does not try that again. */
export const CANCELLED = 1;
const WHY = 'The connection to Temporal is closed';

export class Closing {
  readonly #underWay = new Set<GrpcCall>();
  #isClosed = false;

  /** The client's own retries, and below them what each try goes through. */
  interceptors(client: ClientModule): GrpcInterceptor[] {
    const retrying = client.makeGrpcRetryInterceptor(client.defaultGrpcRetryOptions());
    return [retrying, (options, next) => (this.#isClosed ? REFUSED : this.#known(next(options)))];
  }

  close(): void {
    this.#isClosed = true;
    for (const call of this.#underWay) call.cancelWithStatus(CANCELLED, WHY);
  }

  #known(call: GrpcCall): GrpcCall {
    const start = call.start.bind(call);
    this.#underWay.add(call);
    call.start = (metadata, listener) =>
      start(metadata, {
        onReceiveMetadata: (received) => listener.onReceiveMetadata?.(received),
        onReceiveMessage: (message) => listener.onReceiveMessage?.(message),
        onReceiveStatus: (status) => {
          this.#underWay.delete(call);
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

/** Of the same make, without what was to be sent: that may be a key. */
function emptied(metadata: GrpcMetadata): GrpcMetadata {
  const empty = metadata.clone();
  for (const name of Object.keys(empty.getMap())) empty.remove(name);
  return empty;
}
