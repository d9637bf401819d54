/** What a person or a program sees of a leg of a run. The answer goes to stdout, all else to stderr. */
import { onScreen } from '../errors/on-screen.ts';
import { jsonText, oneLine } from '../errors/printable.ts';
import type { RunResult } from '../drivers/local.ts';
import { exitCode, forPerson } from '../errors/project.ts';
import { renderLine } from '../errors/render/line.ts';
import { renderMarkdown } from '../errors/render/markdown.ts';
import type { ErrorReport } from '../errors/report.ts';
import { foreignWords } from '../errors/foreign-words.ts';
import type { NamedDoubt } from '../machine/doubt.ts';
import type { RunEvent } from '../machine/events.ts';
import { livesOf, type FailureLife } from '../machine/failure-life.ts';
import { costsOf } from '../machine/ledger.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { reportOf } from './report-of.ts';
import { EventLines } from './event-line.ts';
import { exitOf, insideOf } from './exit.ts';
import type { ExtensionParts } from '../machine/extension-port.ts';
import type { JsonObject } from '../errors/json.ts';
import {
  cancelledText,
  completedText,
  doubtText,
  interruptedText,
  pausedText,
} from './screen/ending-text.ts';
import { afterFailure, failurePanel } from './screen/failure-panel.ts';
import { LiveView } from './screen/live-view.ts';
import { shellWord } from './screen/words.ts';
import type { Terminal } from './terminal.ts';

export interface ShowingOptions {
  /** Of ours, or the name of an extension that renders. */
  readonly format: string;
  /** The events of this leg, one a line, on stdout. */
  readonly json?: boolean;
  /** Only the result. */
  readonly quiet?: boolean;
  /** Every step, and what is known of a defect. */
  readonly verbose?: boolean;
}

interface Remarks {
  /** What goes to stdout instead of the output. */
  readonly answer?: string | undefined;
  /** What may help besides, after a failure. */
  readonly hint?: string | undefined;
  /** Of a completed run: effects that may have happened. */
  readonly inDoubt?: readonly NamedDoubt[];
}

export interface EndedLeg {
  readonly run: string;
  readonly result: RunResult;
  /** Of the whole run. */
  readonly events: readonly RunEvent[];
  /** What the run was started with. */
  readonly plan?: WorkflowPlan | undefined;
  /** The number of the first event that this command brought about; default: that of the last leg. */
  readonly firstSeq?: number | undefined;
}

/** What is shown, as far as it is known: every result names its run, its workflow and the bill. */
export interface Subject {
  readonly run?: string;
  readonly workflow?: string;
  /** All that happened in the run so far. */
  readonly events?: () => Promise<readonly RunEvent[]>;
  /** It has begun a leg here: whatever goes wrong from then on, it was not refused. */
  readonly isBegun?: boolean;
}

export class Showing {
  readonly #options: ShowingOptions;
  readonly #terminal: Terminal;
  #subject: Subject;
  readonly #lines: EventLines;
  readonly #live: LiveView | undefined;
  #render: ExtensionParts['render'];
  /** Lines that wait until a person has answered. */
  #held: string[] | undefined;

  constructor(options: ShowingOptions, terminal: Terminal, subject: Subject) {
    this.#options = options;
    this.#terminal = terminal;
    this.#subject = subject;
    this.#lines = new EventLines(options);
    const { screen } = terminal;
    this.#live =
      screen === undefined || !this.#isReading() || options.verbose === true
        ? undefined
        : new LiveView({ screen, color: this.#look().color, now: Date.now });
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

  /** What happened before this leg: a part of the picture, and told to nobody again. */
  past(events: readonly RunEvent[]): void {
    this.#live?.past(events);
  }

  /** The answer is printed by an extension. */
  renderWith(render: ExtensionParts['render']): void {
    this.#render = render;
  }

  /** Something worth knowing that changes nothing. */
  note(text: string): void {
    this.#note(oneLine(text));
  }

  /** The same in several lines, of which each is one. */
  noteLines(lines: readonly string[]): void {
    this.#note(lines.map(oneLine).join('\n'));
  }

  #note(text: string): void {
    if (this.#live !== undefined) this.#live.print(text);
    else if (this.#options.quiet !== true) this.#terminal.err(text);
  }

  /** Nothing was run, or we broke down on the way. A hint says what may help besides. */
  async refused(thrown: unknown, hint?: string): Promise<number> {
    this.#live?.stop();
    const error = reportOf(thrown);
    const status = this.#subject.isBegun === true ? 'interrupted' : 'refused';
    if (this.#isObject())
      this.#printObject(await this.#withoutLeg({ status, error: forPerson(error) }));
    else if (this.#options.format === 'markdown') this.#terminal.out(renderMarkdown(error));
    else if (this.#options.quiet === true) this.#terminal.err(renderLine(error));
    else {
      const ways = waysOut(error, this.#subject.run ?? '');
      const commands = [...ways, ...(hint === undefined ? [] : [hint])];
      this.#terminal.err(failurePanel(onScreen({ error, commands }), this.#look()));
    }
    if (this.#options.verbose === true)
      for (const text of insideOf(thrown, error)) this.#terminal.err(text);
    return exitCode(error);
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
    const doubts = inDoubt.length === 0 ? {} : { in_doubt: inDoubt };
    if (this.#isObject())
      this.#printObject({ run, workflow, ...shown, ...doubts, costs: costsOf(events) });
    else if (result.status !== 'completed') this.#say(ended, hint);
    else if (this.#options.json !== true) {
      if (this.#isReading()) this.#terminal.err(summaryOf(ended));
      if (inDoubt.length > 0) this.#terminal.err(doubtText(run, inDoubt));
      this.#terminal.out(answer ?? jsonText(result.output, 2));
    }
    return exitOf(result);
  }

  /** What was said is heard by the process that runs it, which may have cancelled it by now. */
  async delivered(): Promise<number> {
    const { run = '' } = this.#subject;
    const events = await this.#stored();
    if (events.at(-1)?.type === 'run:cancelled')
      this.result({ run, result: { status: 'cancelled' }, events, plan: undefined });
    else if (this.#isObject()) this.#printObject(await this.#withoutLeg({ status: 'running' }));
    else this.note(`${run} is running, and has been told. Follow it with: errand watch ${run}`);
    return 0;
  }

  /** A result that no leg of this process came to. */
  async #withoutLeg(body: object): Promise<object> {
    const { run = null, workflow = null } = this.#subject;
    return { run, workflow, ...body, costs: costsOf(await this.#stored()) };
  }

  async #stored(): Promise<readonly RunEvent[]> {
    const events = await this.#subject.events?.().catch(() => {
      // a run that cannot be read is what is being told of, and has no bill that anyone could read
      return undefined;
    });
    return events ?? [];
  }

  /** While a person is asked nothing is drawn or told; it is made up for when they have answered. */
  rest(): void {
    this.#live?.rest();
    this.#held ??= [];
  }

  goOn(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const line of held) this.#terminal.err(line);
    this.#live?.goOn();
  }

  /** One object on stdout, whatever happens. */
  #isObject(): boolean {
    const isWanted = this.#options.format === 'json' || this.#render !== undefined;
    return isWanted && this.#options.json !== true;
  }

  /** An extension that cannot render is told of, and the object is printed as it is. */
  #printObject(body: object): void {
    const text = jsonText(body, 2);
    if (this.#render === undefined) return this.#terminal.out(text);
    try {
      // a copy of what was just written as JSON
      this.#terminal.out(String(this.#render(JSON.parse(text) as JsonObject)));
    } catch (thrown) {
      this.note(`The extension ${this.#options.format} could not render: ${foreignWords(thrown)}`);
      this.#terminal.out(text);
    }
  }

  /** Whether someone reads along. */
  #isReading(): boolean {
    const { json, format, quiet } = this.#options;
    return json !== true && format === 'text' && quiet !== true;
  }

  #look(): { readonly columns: number; readonly color: boolean } {
    return this.#terminal.notes ?? this.#terminal;
  }

  #say(ended: EndedLeg, hint: string | undefined): void {
    const { run, result, events } = ended;
    const commands = [...afterFailure(run), ...(hint === undefined ? [] : [hint])];
    const { format, quiet } = this.#options;
    const error = 'error' in result ? result.error : undefined;
    if (error !== undefined && format === 'markdown')
      this.#terminal.out([renderMarkdown(error), ...commands.map(commandMarkdown)].join('\n'));
    else if (error !== undefined && quiet === true) this.#terminal.err(renderLine(error));
    else if (error !== undefined)
      this.#terminal.err(failurePanel({ ...failedRun(ended, error), commands }, this.#look()));
    else if (result.status === 'paused')
      this.#terminal.err(pausedText(run, result.waiting, { events, nowMs: Date.now() }));
    else if (result.status === 'cancelled') this.#terminal.err(cancelledText(run));
    else this.#terminal.err(interruptedText(run));
  }
}

/** The exact commands for a run that was refused, where there are some. */
function waysOut({ kind, details, action }: ErrorReport, run: string): readonly string[] {
  if (kind === 'run.already_active') return [`Follow it: errand watch ${run}`];
  // nodes that are gone cannot be kept
  if (kind !== 'run.drifted' || !action.detail.includes('--accept-drift')) return [];
  const given: unknown = details?.['nodes'];
  const nodes: readonly unknown[] = Array.isArray(given) ? given : [];
  const first = nodes.find((node) => typeof node === 'string' && !node.includes(' '));
  return [
    `Keep their results: errand resume ${run} --accept-drift`,
    ...(typeof first === 'string'
      ? [`Run them again: errand retry ${run} --from ${shellWord(first)} --accept-drift`]
      : []),
  ];
}

function commandMarkdown(line: string): string {
  return `- ${line.replace(/errand .*/, '`$&`')}`;
}

function failedRun(
  { run, events, plan }: EndedLeg,
  error: ErrorReport,
): Omit<Parameters<typeof failurePanel>[0], 'commands'> {
  const lives = plan === undefined ? [] : livesOf(plan, events);
  const life = lives.findLast(({ id }) => id === error.id);
  return onScreen({ run, error, costs: costsOf(events), life });
}

function summaryOf({ run, events, plan, firstSeq }: EndedLeg): string {
  const begun =
    firstSeq === undefined
      ? events.findLast(({ type }) => type === 'run:started' || type === 'run:resumed')
      : events.find(({ seq }) => seq >= firstSeq);
  const tookMs = Date.parse(events.at(-1)?.at ?? '') - Date.parse(begun?.at ?? '');
  const lives: readonly FailureLife[] = plan === undefined ? [] : livesOf(plan, events);
  const handled = lives.filter(({ status }) => status === 'handled').length;
  return completedText({ run, tookMs, costs: costsOf(events), handled });
}
