/** Faults of a simulation, and how often each happens, as a chance between 0 and 1. */

export interface FaultPlan {
  /** An effect fails with one of the kinds that it can raise. */
  readonly effectFails: number;
  /** A provider refuses a model's call, or breaks while it answers. */
  readonly modelFails: number;
  /** It does its work and its reply is lost: the outcome is unknown. */
  readonly replyLost: number;
  /** It does not end until it is aborted, or until its own time limit. */
  readonly effectHangs: number;
  /** The effect runner has a bug and throws. */
  readonly effectThrows: number;
  /** A function or a tool gives a part of its result, and errors beside it. */
  readonly partial: number;
  /** A tool server is killed in the middle of a call, is gone, or replies with rubbish. */
  readonly serverFails: number;
  /** A commit takes time; other things happen meanwhile. */
  readonly storeSlow: number;
  /** A commit is refused with `store.unavailable`, and nothing was written. */
  readonly storeRefuses: number;
  /** A commit is written, and the writer gets `store.unavailable`. */
  readonly storeForgets: number;
  /** Another process takes the run over before a commit. */
  readonly claimLost: number;
  /** A commit is missing when the log is read again. */
  readonly logDamaged: number;
  /** The log has lost its end when a leg begins, and an export of it has not. */
  readonly logLosesEnd: number;
  /** A process of another machine, with another clock, claims the run while it is being executed. */
  readonly rivals: number;
  /** The process dies before a commit is written. */
  readonly diesBefore: number;
  /** The process dies after a commit is written, before it is acknowledged. */
  readonly diesAfter: number;
  /** The backend is closed in good order. */
  readonly stops: number;
  /** Someone cancels the run. */
  readonly cancels: number;
  /** Someone answers what cannot be answered: too late, once more, or with nonsense. */
  readonly misanswers: number;
  /** Faults in all, effects aside; after that the world behaves. */
  readonly most: number;
}

/**
 * Nothing goes wrong. The base of plans with a few faults.
 * @example
 * ```ts
 * import { workflow } from 'errand';
 * import { CALM, simulate } from 'errand/testing';
 *
 * const pay = workflow({
 *   name: 'pay',
 *   entryPoint: 'charge',
 *   nodes: [{ name: 'charge', type: 'script', command: './charge.sh', idempotent: true }],
 * });
 * const faults = { ...CALM, storeSlow: 1, most: 2 };
 * const { result, incidents } = await simulate(pay.plan, { faults });
 * console.log(result.status, incidents.length); // completed 2
 * ```
 */
export const CALM: FaultPlan = {
  effectFails: 0,
  modelFails: 0,
  replyLost: 0,
  effectHangs: 0,
  effectThrows: 0,
  partial: 0,
  serverFails: 0,
  storeSlow: 0,
  storeRefuses: 0,
  storeForgets: 0,
  claimLost: 0,
  logDamaged: 0,
  logLosesEnd: 0,
  rivals: 0,
  diesBefore: 0,
  diesAfter: 0,
  stops: 0,
  cancels: 0,
  misanswers: 0,
  most: 0,
};

/**
 * A bad day: something of everything.
 * @example
 * ```ts
 * import { workflow } from 'errand';
 * import { simulate, STORMY } from 'errand/testing';
 *
 * const pay = workflow({
 *   name: 'pay',
 *   entryPoint: 'charge',
 *   nodes: [{ name: 'charge', type: 'script', command: './charge.sh', idempotent: true }],
 * });
 * const { result, legs } = await simulate(pay.plan, { seed: 2, faults: STORMY, resumes: 20 });
 * console.log(result.status, legs.length); // completed 3
 * ```
 */
export const STORMY: FaultPlan = {
  effectFails: 0.3,
  modelFails: 0.2,
  replyLost: 0.06,
  effectHangs: 0.04,
  effectThrows: 0.02,
  partial: 0.1,
  serverFails: 0.2,
  storeSlow: 0.1,
  storeRefuses: 0.05,
  storeForgets: 0.05,
  claimLost: 0.02,
  logDamaged: 0.03,
  logLosesEnd: 0,
  rivals: 0,
  diesBefore: 0.05,
  diesAfter: 0.05,
  stops: 0.1,
  cancels: 0.1,
  misanswers: 0.1,
  most: 8,
};

/** A fault of the world that happened; faults of effects are in the list of executions. */
export interface Incident {
  readonly what:
    | 'store slow'
    | 'store refused'
    | 'store forgot'
    | 'claim lost'
    | 'log damaged'
    | 'log lost its end'
    | 'rival'
    | 'died before commit'
    | 'died after commit'
    | 'stopped'
    | 'cancelled'
    /** The run stood still because an effect did not return; the process was killed. */
    | 'hung'
    /** Nothing happened any more, for no known reason. */
    | 'stuck';
  readonly atMs: number;
  /** Events of the run that were stored by then. */
  readonly afterSeq: number;
}
