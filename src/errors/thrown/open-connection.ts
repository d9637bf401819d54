/**
 * Detects an open connection. Some codes mean that a machine is unreachable: while connecting, nothing was
 * sent; on an open connection the same code means that something may have been.
 */
import { causeChain } from './cause-chain.ts';
import { readProperty } from '../support/safe-json.ts';

const CALLS = /^(?:read|write|writev|shutdown)$/;
/** Node's wording, where a client kept the message and not the call. */
const WORDS = /\b(?:read|write) E(?:HOST|NET)(?:UNREACH|DOWN)\b/;

/** System calls that need a connection: reading and writing. */
export function isOfOpenConnection(fault: {
  readonly syscall?: string | undefined;
  readonly message?: string | undefined;
}): boolean {
  return CALLS.test(fault.syscall ?? '') || WORDS.test(fault.message ?? '');
}

/** The same for any thrown value, by any of its causes. */
export function brokeOpenConnection(thrown: unknown): boolean {
  for (const link of causeChain(thrown)) {
    const syscall = readProperty(link, 'syscall');
    const message = readProperty(link, 'message');
    const fault = {
      syscall: typeof syscall === 'string' ? syscall : undefined,
      message: typeof message === 'string' ? message : undefined,
    };
    if (isOfOpenConnection(fault)) return true;
  }
  return false;
}
