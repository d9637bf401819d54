/** `errand worker`: runs the workflows of a Temporal task queue until it is stopped. */
import { oneLine } from '../../errors/support/printable.ts';
import { temporalConfig } from '../../engine/temporal/config.ts';
import { startWorker } from '../../engine/temporal/temporal-worker.ts';
import { wrap } from '../../errors/render/columns.ts';
import { parseDuration } from '../../workflow/plan/duration.ts';
import type { ErrandError } from '../../errors/thrown/errand-error.ts';
import { toInternalRecord } from '../../errors/thrown/internal-record.ts';
import { configured, learnSecret } from '../report-of.ts';
import { refusal } from '../exit.ts';
import { noteLeftRunning, onCrash } from '../guard/command-end.ts';
import { projectModules } from '../project/project-extensions.ts';
import { createHome } from '../project/home.ts';
import { keepInternal } from '../project/project.ts';
import { createTelemetry, telemetryFault } from '../../telemetry/telemetry.ts';
import { runLogFor } from '../project/run-log-setting.ts';
import type { Terminal } from '../terminal.ts';
import { runLocationFlags } from '../project/run-location-flags.ts';

const LACKS_ATTRIBUTES =
  'The namespace lacks the search attributes of Errand, so Temporal cannot filter runs by them. docs/guide/temporal.md says how to add them.';

export async function worker(
  flags: { readonly concurrency: string; readonly drain: string; readonly quiet?: boolean },
  terminal: Terminal,
): Promise<number> {
  const note = (text: string): void => {
    const { columns } = terminal.notes ?? terminal;
    if (flags.quiet !== true) terminal.err(wrap(text, columns).join('\n'));
  };
  const concurrency = concurrencyOf(flags.concurrency);
  const drainMs = drainOf(flags.drain);
  const config = temporalConfig(runLocationFlags(), process.env, process.cwd());
  const home = createHome(process.env, process.cwd());
  const warn = (text: string): void => terminal.err(`errand worker: ${oneLine(text)}`);
  const runLog = runLogFor(terminal);
  const running = await startWorker({
    config,
    extensionModules: projectModules(),
    base: process.cwd(),
    env: process.env,
    concurrency,
    drainMs,
    onInternal: keepInternal(home),
    onSecret: learnSecret,
    onWarning: warn,
    ...(runLog === undefined ? {} : { onEvent: (event, leg) => runLog.note(event, leg) }),
    telemetry: createTelemetry({
      directory: process.cwd(),
      onFault: (thrown) => warn(telemetryFault(thrown).message),
    }),
  });
  const { address, namespace, taskQueue } = config;
  note(`Executing runs from the task queue ${taskQueue} at ${address}, namespace ${namespace}.`);
  note(`Up to ${concurrency} effects at once. Ctrl-C stops.`);
  if (!running.hasAttributes) note(LACKS_ATTRIBUTES);
  const stop = (): void => {
    // a second one ends the process at once
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    note(`Stopping: no new effect starts, and running ones have ${flags.drain} to finish.`);
    // effects that it executes may ignore the stop
    noteLeftRunning();
    void running.stop();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  let crash: ErrandError | undefined;
  const offCrash = onCrash({
    longestMs: 2 * drainMs + 15_000,
    stop: (thrown) => {
      crash = thrown;
      keepInternal(home)(toInternalRecord(thrown, thrown.report, configured()));
      stop();
    },
  });
  await running.stopped;
  offCrash();
  note('Stopped.');
  if (crash !== undefined) throw crash;
  return 0;
}

function concurrencyOf(written: string): number {
  if (/^[1-9]\d{0,4}$/.test(written)) return Number(written);
  throw refusal(
    `${written} is not a number of effects`,
    'Give --concurrency a whole number of at least 1.',
  );
}

function drainOf(written: string): number {
  const ms = parseDuration(written);
  if (ms !== undefined) return ms;
  throw refusal(`${written} is not a duration`, 'Give --drain a duration such as 30s or 5m.');
}
