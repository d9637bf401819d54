/** Rules for faults of the way by their concepts, for runtimes whose words nobody has recorded. */
import { anyOf, each } from '../concepts/saying.ts';
import type { Conclusion, Rule } from '../rule.ts';

const UNSENT: Conclusion = {
  kind: 'provider.network',
  category: 'configuration',
  outcome: 'not_started',
  scope: 'provider',
  recovery: 'human',
};

export const CONCEPT_TRANSPORT_RULES: readonly Rule[] = [
  {
    id: 'concept.certificate',
    when: {
      hasStatus: false,
      says: each(
        ['trust'],
        ['invalid', 'expired', 'untrusted', 'missing', 'must', 'failed'],
        ['cut'],
      ),
    },
    means: UNSENT,
    why: 'a certificate is at fault; it will not be better on the next call',
  },
  {
    id: 'concept.handshake',
    when: {
      hasStatus: false,
      says: each(['handshake'], ['invalid', 'failed'], ['cut', 'late', 'connection']),
    },
    means: UNSENT,
    why: 'the two ends do not agree on a protocol: a wrong port, scheme or proxy',
  },
  {
    id: 'concept.late',
    when: { hasStatus: false, says: [{ all: ['late'] }] },
    means: { kind: 'provider.timeout', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'a runtime says that time ran out',
  },
  {
    id: 'concept.cancelled',
    when: {
      hasStatus: false,
      says: anyOf([['cancelled']], ['late', 'connection']),
    },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'a runtime says that the caller stopped the call',
  },
  {
    id: 'concept.unreachable',
    when: {
      hasStatus: false,
      says: anyOf([
        ['connection', 'refused'],
        ['connection', 'unavailable'],
        ['connection', 'missing'],
        ['host', 'refused'],
        ['host', 'failed', 'hit'],
        ['dns', 'failed'],
        ['dns', 'missing'],
        ['dns', 'refused'],
      ]),
    },
    means: { kind: 'provider.network', outcome: 'not_started', scope: 'provider', recovery: 'now' },
    why: 'the other side is said to be out of reach',
  },
  {
    id: 'concept.lost',
    when: {
      hasStatus: false,
      phases: ['before_send', 'sent', 'headers'],
      says: anyOf(
        [['cut'], ['connection', 'failed']],
        ['param', 'model', 'key', 'money', 'late', 'account', 'plan'],
      ),
    },
    means: { kind: 'provider.network', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'a runtime says that the connection ended',
  },
];

/** Before the phrases, for which every lapse of time is the same. */
export const CONNECT_LATE_RULES: readonly Rule[] = [
  {
    id: 'concept.connect-late',
    when: { hasStatus: false, says: each(['connect'], ['late']) },
    means: { kind: 'provider.network', outcome: 'not_started', scope: 'provider', recovery: 'now' },
    why: 'connecting took too long, so no request left',
  },
];
