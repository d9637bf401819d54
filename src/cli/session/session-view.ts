/** The view of a leg, for people and programs. The result goes to stdout, all else to stderr. */
import { onScreen } from '../../errors/support/on-screen.ts';
import { jsonText, oneLine } from '../../errors/support/printable.ts';
import type { RunResult } from '../../engine/backend.ts';
import { exitCode, forPerson } from '../../errors/report/audiences.ts';
import { renderLine } from '../../errors/render/line.ts';
import { renderMarkdown } from '../../errors/render/markdown.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { foreignWords } from '../../errors/thrown/describe-thrown.ts';
import type { NamedUnknownOutcome } from '../../machine/policy/unknown-outcome.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { failureHistories, type FailureHistory } from '../../history/failure-history.ts';
import { costsOf } from '../../history/cost-ledger.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { reportOf } from '../report-of.ts';
import { EventLines } from './event-line.ts';
import { exitOf, insideOf, printRefusal } from '../exit.ts';
import { INTERRUPTED } from '../guard/command-end.ts';
import type { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { ExtensionParts } from '../../machine/ports/extension-port.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import {
  cancelledText,
  completedText,
  cutOffText,
  inDoubtText,
  interruptedText,
  leftText,
  pausedText,
} from '../screen/ending-text.ts';
import { afterFailure, failurePanel } from '../screen/failure-panel.ts';
import { LiveView } from '../screen/live-view.ts';
import type { Terminal } from '../terminal.ts';
import { helpfulCommands } from './helpful-commands.ts';

export interface SessionViewOptions {
  /** A built-in format, or the name of an extension that renders. */
  readonly format: string;
  /** Prints the events of this leg on stdout, one per line. */
  readonly json?: boolean;
  /** Only the result. */
  readonly quiet?: boolean;
  /** Every step, and the internal details of a defect. */
  readonly verbose?: boolean;
}

interface Remarks {
  /** Text for stdout instead of the output. */
  readonly answer?: string | undefined;
  /** One more suggestion after a failure. */
  readonly hint?: string | undefined;
  /** Unknown outcomes of a completed run. */
  readonly inDoubt?: readonly NamedUnknownOutcome[];
}

export interface EndedLeg {
  readonly run: string;
  readonly result: RunResult;
  /** All events of the run. */
  readonly events: readonly RunEvent[];
  /** The plan that the run was started with. */
  readonly plan?: WorkflowPlan | undefined;
  /** `seq` of the first event of this command; default: that of the last leg. */
  readonly firstSeq?: number | undefined;
  /** Address of the server that continues the run, where only this command has stopped. */
  readonly leftAt?: string | undefined;
}

/** The run that is shown, as far as it is known: every result has its run, its workflow and its costs. */
export interface Subject {
  readonly run?: string;
  readonly workflow?: string;
  /** Reads all events of the run so far. */
  readonly events?: () => Promise<readonly RunEvent[]>;
  /** The same from the export, for a process that is ending. */
  readonly exported?: () => readonly RunEvent[];
  /** A leg has begun here: errors from then on are not refusals. */
  readonly isBegun?: boolean;
  /** The command cancels the run, so that its end is the answer, which belongs on stdout. */
  readonly isCancelling?: boolean;
}

export class SessionView {
  readonly #options: SessionViewOptions;
  readonly #terminal: Terminal;
  #subject: Subject;
  readonly #lines: EventLines;
  readonly #live: LiveView | undefined;
  #render: ExtensionParts['render'];
  /** Lines held back until a person has answered. */
  #held: string[] | undefined;

  constructor(options: SessionViewOptions, terminal: Terminal, subject: Subject) {
    this.#options = options;
    this.#terminal = terminal;
    this.#subject = subject;
    this.#lines = new EventLines(options);
    const { screen } = terminal;
    this.#live =
      screen === undefined || !this.#isReading() || options.verbose === true
        ? undefined
        : new LiveView({ screen, color: this.#screen().color, now: Date.now });
  }

  about(more: Subject): void {
    this.#subject = { ...this.#subject, ...more };
  }

  event(event: RunEvent): void {
    if (this.#options.json === true) this.#terminal.out(jsonText(event));
    else if (this.#live !== undefined) this.#live.event(event);
    else if (this.#isReading()) {
      const line = this.#lines.of(event);
      if (line === undefined) return;
      if (this.#held === undefined) this.#terminal.err(line);
      else this.#held.push(line);
    }
  }

  /** Events before this leg: part of the live view, but not printed again. */
  past(events: readonly RunEvent[]): void {
    this.#live?.past(events);
  }

  /** Lets an extension print the result. */
  renderWith(render: ExtensionParts['render']): void {
    this.#render = render;
  }

  /** Prints a note, unless `--quiet`. */
  note(text: string): void {
    this.#note(oneLine(text));
  }

  /** Prints a warning, even with `--quiet`. */
  warn(text: string): void {
    if (this.#live !== undefined) this.#live.print(oneLine(text));
    else this.#terminal.err(oneLine(text));
  }

  /** Prints a line that code of others has written. */
  foreign(line: string): void {
    if (this.#held !== undefined) this.#held.push(line);
    else if (this.#live !== undefined) this.#live.print(line);
    else this.#terminal.err(line);
  }

  /** Prints a note of several lines. */
  noteLines(lines: readonly string[]): void {
    this.#note(lines.map(oneLine).join('\n'));
  }

  #note(text: string): void {
    if (this.#live !== undefined) this.#live.print(text);
    else if (this.#options.quiet !== true) this.#terminal.err(text);
  }

  /** Prints why nothing was run, or a defect. The hint is one more suggestion. */
  async refused(thrown: unknown, hint?: string): Promise<number> {
    return this.#refused(thrown, await this.#stored(), hint);
  }

  /** The same for a process that is ending, in which nothing can be awaited. */
  cutOff(thrown: ErrandError): number {
    const { run, isBegun, exported } = this.#subject;
    if (isBegun !== true || run === undefined) return this.#refused(thrown, []);
    this.#live?.stop();
    this.#terminal.err(cutOffText(run));
    const error = reportOf(thrown);
    const body = { status: 'interrupted', error: forPerson(error) };
    if (this.#isObject()) this.#printObject(this.#withoutLeg(body, exported?.() ?? []));
    else if (this.#options.format === 'markdown') this.#terminal.out(renderMarkdown(error));
    return INTERRUPTED;
  }

  #refused(thrown: unknown, events: readonly RunEvent[], hint?: string): number {
    this.#live?.stop();
    const error = reportOf(thrown);
    const isBegun = this.#subject.isBegun === true;
    const status = isBegun ? 'interrupted' : 'refused';
    if (this.#isObject())
      this.#printObject(this.#withoutLeg({ status, error: forPerson(error) }, events));
    else {
      const ways = helpfulCommands(error, this.#subject);
      const commands = [...ways, ...(hint === undefined ? [] : [hint])];
      printRefusal(error, this.#options, this.#terminal, commands);
    }
    if (this.#options.verbose === true)
      for (const text of insideOf(thrown, error)) this.#terminal.err(text);
    return isBegun && error.class === 'extension' ? INTERRUPTED : exitCode(error);
  }

  result(ended: EndedLeg, { answer, hint, inDoubt = [] }: Remarks = {}): number {
    this.#live?.stop();
    const { run, result, events } = ended;
    const started = events.find((event) => event.type === 'run:started');
    const shown =
      'error' in result && result.error !== undefined
        ? { ...result, error: forPerson(result.error) }
        : result;
    const workflow = started?.workflow ?? this.#subject.workflow ?? null;
    const unknown = inDoubt.length === 0 ? {} : { in_doubt: inDoubt };
    if (this.#isObject())
      this.#printObject({ run, workflow, ...shown, ...unknown, costs: costsOf(events) });
    else if (result.status !== 'completed') this.#printEnd(ended, hint);
    else if (this.#options.json !== true) {
      if (this.#isReading()) this.#terminal.err(summaryOf(ended));
      if (inDoubt.length > 0) this.#terminal.err(inDoubtText(run, inDoubt));
      this.#terminal.out(answer ?? jsonText(result.output, 2));
    }
    return exitOf(result);
  }

  /** Prints that the run continues at its server. */
  async left(run: string, server: string): Promise<number> {
    this.#live?.stop();
    if (this.#isObject())
      this.#printObject(this.#withoutLeg({ status: 'running' }, await this.#stored()));
    else this.#terminal.err(leftText(run, server));
    return Number(process.exitCode ?? INTERRUPTED);
  }

  /** Prints that the message reached the process that runs it, which may have cancelled it by now. */
  async delivered(): Promise<number> {
    const { run = '' } = this.#subject;
    const events = await this.#stored();
    if (events.at(-1)?.type === 'run:cancelled')
      this.result({ run, result: { status: 'cancelled' }, events, plan: undefined });
    else if (this.#isObject()) this.#printObject(this.#withoutLeg({ status: 'running' }, events));
    else {
      const text = `Sent to the process that runs ${run}. Follow it with: errand watch ${run}`;
      if (this.#answersWithEnd()) this.#terminal.out(text);
      else this.note(text);
    }
    return 0;
  }

  /** Whether the end of the run is the answer of the command, as a text. */
  #answersWithEnd(): boolean {
    return this.#subject.isCancelling === true && this.#options.json !== true;
  }

  /** Builds a result where no leg ran in this process. */
  #withoutLeg(body: object, events: readonly RunEvent[]): object {
    const { run = null, workflow = null } = this.#subject;
    return { run, workflow, ...body, costs: costsOf(events) };
  }

  async #stored(): Promise<readonly RunEvent[]> {
    const events = await this.#subject.events?.().catch(() => {
      // the store cannot be read, or is closed already; the export may have them
      return this.#subject.exported?.();
    });
    return events ?? [];
  }

  /** Holds output back while a person is asked; `resume` prints it. */
  pause(): void {
    this.#live?.pause();
    this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of held) this.#terminal.err(line);
    this.#live?.resume();
  }

  /** Whether stdout gets one JSON object, whatever happens. */
  #isObject(): boolean {
    const isWanted = this.#options.format === 'json' || this.#render !== undefined;
    return isWanted && this.#options.json !== true;
  }

  /** Falls back to JSON, with a note, where the extension cannot render. */
  #printObject(body: object): void {
    const text = jsonText(body, 2);
    if (this.#render === undefined) return this.#terminal.out(text);
    try {
      // a copy, so that the extension cannot change the original
      this.#terminal.out(onlyText(this.#render(JSON.parse(text) as JsonObject)));
    } catch (thrown) {
      this.note(`The extension ${this.#options.format} could not render: ${foreignWords(thrown)}`);
      this.#terminal.out(text);
    }
  }

  /** Whether a person reads along. */
  #isReading(): boolean {
    const { json, format, quiet } = this.#options;
    return json !== true && format === 'text' && quiet !== true;
  }

  #screen(): { readonly columns: number; readonly color: boolean } {
    return this.#terminal.notes ?? this.#terminal;
  }

  #printEnd(ended: EndedLeg, hint: string | undefined): void {
    const { run, result, events } = ended;
    const commands = [...afterFailure(run), ...(hint === undefined ? [] : [hint])];
    const { format, quiet } = this.#options;
    const error = 'error' in result ? result.error : undefined;
    if (error !== undefined && format === 'markdown')
      this.#terminal.out([renderMarkdown(error), ...commands.map(commandMarkdown)].join('\n'));
    else if (error !== undefined && quiet === true) this.#terminal.err(renderLine(error));
    else if (error !== undefined)
      this.#terminal.err(failurePanel({ ...failedRun(ended, error), commands }, this.#screen()));
    else if (result.status === 'paused')
      this.#terminal.err(pausedText(run, result.waiting, { events, nowMs: Date.now() }));
    else if (result.status === 'cancelled' && this.#answersWithEnd())
      this.#terminal.out(cancelledText(run));
    else if (result.status === 'cancelled') this.#terminal.err(cancelledText(run));
    else this.#terminal.err(interruptedText(run));
  }
}

function commandMarkdown(line: string): string {
  return `- ${line.replace(/errand .*/, '`$&`')}`;
}

function failedRun(
  { run, events, plan }: EndedLeg,
  error: ErrorReport,
): Omit<Parameters<typeof failurePanel>[0], 'commands'> {
  const failures = plan === undefined ? [] : failureHistories(plan, events);
  const history = failures.findLast(({ id }) => id === error.id);
  return onScreen({ run, error, costs: costsOf(events), history });
}

function summaryOf({ run, events, plan, firstSeq }: EndedLeg): string {
  const begun =
    firstSeq === undefined
      ? events.findLast(({ type }) => type === 'run:started' || type === 'run:resumed')
      : events.find(({ seq }) => seq >= firstSeq);
  const tookMs = Date.parse(events.at(-1)?.at ?? '') - Date.parse(begun?.at ?? '');
  const failures: readonly FailureHistory[] =
    plan === undefined ? [] : failureHistories(plan, events);
  const handled = failures.filter(({ status }) => status === 'handled').length;
  return completedText({ run, tookMs, costs: costsOf(events), handled });
}

/** The types of an extension are not checked when it runs, and a promise cannot be awaited at the end. */
function onlyText(rendered: unknown): string {
  if (typeof rendered === 'string') return rendered;
  if (!(rendered instanceof Promise)) throw new TypeError('it returned no text');
  // its failure would otherwise end the process
  rendered.catch(() => undefined);
  throw new TypeError('it returned a promise, and the text is needed at once');
}
