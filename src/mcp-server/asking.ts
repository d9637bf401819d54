/**
 * Follows a run until it rests, and asks the person at the client if the run waits for one. Since
 * 2026-07-28 the result of the call carries the question, and the client calls again with the
 * answer; before that, the server asks during the call.
 */
import { invalid } from './arguments.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import type { TraceCarrier } from '../machine/ports/trace-carrier.ts';
import type { McpCaller } from './caller.ts';
import type { McpHost, ReadRun } from './host.ts';
import { chosenIn, plainQuestion, type PlainQuestion } from './question.ts';
import { readState, signState, type AskedState, type CallIdentity } from './request-state.ts';
import { runResult, unreadResult, type ToolResult } from './results.ts';
import type { Era, SdkContext } from './sdk.ts';

/** A call that the client repeats after it has asked its person. */
export interface InputRequired {
  readonly resultType: 'input_required';
  readonly inputRequests: Readonly<Record<string, object>>;
  readonly requestState: string;
}

export interface AskingOptions {
  readonly caller: McpCaller;
  readonly era: Era;
  readonly context: SdkContext;
  /** Aborted when nobody waits any longer. */
  readonly signal: AbortSignal;
  readonly identity: CallIdentity;
  /** Resolves when the run rests, or after the wait. */
  readonly waitWhileRunning: (run: string) => Promise<void>;
  /** The time that the run may take to rest. */
  readonly waitMs: number;
  /** The context of the caller's trace. */
  readonly trace: TraceCarrier | undefined;
}

/** The most questions of one call; clients give up after ten. */
const MOST_ROUNDS = 6;
/** The time that a client of the older protocol has to bring its person's answer. */
const ANSWER_MS = 10 * 60 * 1000;
const KEY = 'answer';

export class Asking {
  readonly #host: McpHost;
  readonly #options: AskingOptions;

  constructor(host: McpHost, options: AskingOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** Whether the client calls again after a question. */
  get isAnswered(): boolean {
    const { mcpReq } = this.#options.context;
    return mcpReq.inputResponses !== undefined || mcpReq.requestState() !== undefined;
  }

  /** Continues the run that the state names, whatever the arguments say, and never starts another. */
  async continued(): Promise<ToolResult | InputRequired> {
    const { context, identity } = this.#options;
    const state = context.mcpReq.requestState();
    if (state === undefined)
      throw invalid('The call brings an answer without the requestState of its question');
    const signed = { key: await this.#host.stateKey(), nowMs: this.#host.now() };
    const asked = readState(state, identity, signed);
    return ofRun(this.#host, asked.run, () => this.#takeAnswer(asked));
  }

  async #takeAnswer(asked: AskedState): Promise<ToolResult | InputRequired> {
    const chosen = chosenIn(this.#options.context.mcpReq.inputResponses?.[KEY]);
    const read = await this.#host.read(asked.run);
    if (chosen === undefined) return runResult(read);
    const { isTaken, refusal } = await this.#answer(asked, plainQuestion(read), chosen);
    return this.#follow(asked.run, { round: isTaken ? asked.round + 1 : MOST_ROUNDS, refusal });
  }

  /** From here on the run is known, and no failure loses it. */
  follow(run: string): Promise<ToolResult | InputRequired> {
    return ofRun(this.#host, run, () => this.#follow(run, { round: 0 }));
  }

  async #follow(run: string, from: Round): Promise<ToolResult | InputRequired> {
    const { waitWhileRunning, era, caller } = this.#options;
    let { round, refusal }: Round = from;
    for (; ; round++) {
      await waitWhileRunning(run);
      const read = await this.#host.read(run);
      const question = caller.canAsk && round < MOST_ROUNDS ? plainQuestion(read) : undefined;
      if (question === undefined) return runResult(read, refusal);
      const asked = askedOf(read, question, round);
      if (era === 'modern') return this.#required(asked, question);
      const chosen = await this.#ask(question);
      if (chosen === undefined) return runResult(await this.#host.read(run));
      const answered = await this.#answer(asked, question, chosen);
      // a question whose answer nobody has taken would be asked again
      if (!answered.isTaken) round = MOST_ROUNDS;
      refusal = answered.refusal;
    }
  }

  async #required(asked: AskedState, { form }: PlainQuestion): Promise<InputRequired> {
    const signed = { key: await this.#host.stateKey(), nowMs: this.#host.now() };
    return {
      resultType: 'input_required',
      inputRequests: { [KEY]: { method: 'elicitation/create', params: form } },
      requestState: signState(asked, this.#options.identity, signed),
    };
  }

  /** Undefined if the person declines, or if the client cannot ask after all. */
  async #ask({ form }: PlainQuestion): Promise<string | undefined> {
    const { context, signal } = this.#options;
    try {
      const response = await context.mcpReq.send(
        { method: 'elicitation/create', params: form },
        { timeout: ANSWER_MS, signal },
      );
      return chosenIn(response);
    } catch {
      // the run stays paused, and its result shows the question
      return undefined;
    }
  }

  /**
   * A closed question refuses the answer itself; so does a question without that option. The call
   * has not failed then: its result shows the run as it is.
   */
  async #answer(
    { run, gate, opening }: AskedState,
    question: PlainQuestion | undefined,
    chosen: string,
  ): Promise<Answered> {
    const { caller, waitMs, trace } = this.#options;
    const isSame = question?.gate === gate && question.opening === opening;
    const answer = {
      gate,
      ...(opening === undefined ? {} : { opening }),
      value: (isSame ? question.values.get(chosen) : undefined) ?? chosen,
      by: `${caller.by}/elicited`,
      isByProgram: false,
      trace,
    };
    try {
      return { isTaken: await this.#host.answer(run, answer, waitMs) };
    } catch (thrown) {
      return { isTaken: false, refusal: this.#host.report(thrown) };
    }
  }
}

interface Round {
  readonly round: number;
  /** Why the run did not take the last answer. */
  readonly refusal?: ErrorReport | undefined;
}

interface Answered {
  readonly isTaken: boolean;
  readonly refusal?: ErrorReport;
}

/** A failure after a run was started or moved is about that run: the caller must not lose it. */
export async function ofRun<T>(
  host: McpHost,
  run: string,
  work: () => Promise<T>,
): Promise<T | ToolResult> {
  try {
    return await work();
  } catch (thrown) {
    return unreadResult(run, host.report(thrown));
  }
}

function askedOf({ view }: ReadRun, { gate, opening }: PlainQuestion, round: number): AskedState {
  return { run: view.run, gate, ...(opening === undefined ? {} : { opening }), round };
}
