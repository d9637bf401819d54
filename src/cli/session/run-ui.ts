/**
 * `errand run --ui`: the dashboard for the time of a run. While the run waits for an answer or a
 * time, the page stays and the answer given there continues the run. At a terminal it also stays
 * after the end, until Ctrl-C, so that a failure can be read and repaired; without a terminal it
 * ends with the run.
 */
import { setTimeout as after } from 'node:timers/promises';
import type { Progress } from '../../engine/run/running-effects.ts';
import { oneLine } from '../../errors/support/printable.ts';
import { listen, type Listening } from '../../server/listen.ts';
import { HostedServer } from '../../server/errand-server.ts';
import { Stopping } from '../guard/stopping.ts';
import { openBrowser } from '../project/open-browser.ts';
import { hostedEngine, type Project } from '../project/project.ts';
import { temporalFor } from '../project/run-location.ts';
import { refusal } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import { followToLegEnd, whenContinued } from './follow-other-process.ts';
import { RunJournals } from './run-journals.ts';
import type { EndedLeg, SessionView } from './session-view.ts';

const HOST = '127.0.0.1';
const CONNECTIONS_MS = 1000;
/** Readers learn of the end through the store. */
const LAST_EVENTS_MS = 700;

export interface RunUi {
  /** Says where the page of the run is, and opens it. */
  readonly show: (run: string) => void;
  /** Passes on the text of a model while it comes. */
  readonly note: (progress: Progress) => void;
  /** Waits while the run is paused and the page is there to continue it. */
  readonly untilOver: (ended: EndedLeg, context: UiContext) => Promise<EndedLeg>;
  /** Stays until Ctrl-C at a terminal, unless the run was stopped by one. */
  readonly close: (status: EndedLeg['result']['status'] | undefined) => Promise<void>;
}

interface UiContext {
  readonly project: Project;
  readonly show: SessionView;
}

/** Rejects with `validation.input` where the page cannot show the run. */
export async function openRunUi(
  file: string,
  project: Project,
  terminal: Terminal,
): Promise<RunUi> {
  const { server, home } = project;
  if (server !== undefined) return atServer(server, terminal);
  if (temporalFor(undefined) !== undefined || home === undefined)
    throw refusal(
      'The page shows runs of a store, and this run would be at Temporal',
      'Leave --ui out, and watch the run with: errand watch RUN',
    );
  const log = (line: string): void => terminal.err(oneLine(line));
  const journals = new RunJournals({ home, warn: log });
  const hosted = new HostedServer({
    files: [file],
    host: HOST,
    onLog: () => undefined,
    onEvent: (event, read) => journals.note(event, read),
    engine: hostedEngine(home),
  });
  try {
    await hosted.open();
    return uiOf(hosted, await listen(hosted, { host: HOST, port: 0 }), terminal);
  } catch (thrown) {
    await hosted.close();
    throw thrown;
  }
}

function uiOf(server: HostedServer, listening: Listening, terminal: Terminal): RunUi {
  const url = `http://${HOST}:${listening.port}`;
  const fragment = server.token === '' ? '' : `#token=${server.token}`;
  // from the start, so that no gap between two waits misses a signal
  const stopping = new Stopping();
  return {
    show: (run) => announce(`${url}/runs/${run}${fragment}`, terminal),
    note: (progress) => server.noteProgress(progress),
    untilOver: (ended, context) => waitWhilePaused(ended, context, stopping.signal),
    close: async (status) => {
      const isLeft = stopping.signal.aborted || status === undefined || status === 'interrupted';
      if (terminal.ask !== undefined && !isLeft) {
        terminal.err(`The page stays at ${url} until Ctrl-C.`);
        await stopping.asked;
      } else if (server.hasReaders) await after(LAST_EVENTS_MS);
      stopping.off();
      listening.stop();
      await server.close();
      await listening.ended(CONNECTIONS_MS);
    },
  };
}

/** The server that executes the run has a page of its own. */
function atServer(url: string, terminal: Terminal): RunUi {
  return {
    show: (run) => announce(`${url.replace(/\/$/, '')}/runs/${run}`, terminal),
    note: () => undefined,
    untilOver: (ended) => Promise.resolve(ended),
    close: () => Promise.resolve(),
  };
}

function announce(address: string, terminal: Terminal): void {
  terminal.err(`Follow it at ${address}`);
  openBrowser(address);
}

async function waitWhilePaused(
  ended: EndedLeg,
  { project: { engine }, show }: UiContext,
  stop: AbortSignal,
): Promise<EndedLeg> {
  let last = ended;
  while (last.result.status === 'paused') {
    let isContinued = false;
    const { run, events } = last;
    const paused = { engine, run, events };
    await whenContinued(paused, () => (isContinued = true), stop);
    if (!isContinued) return last;
    last = { ...last, ...(await followToLegEnd(paused, (event) => show.event(event))) };
  }
  return last;
}
