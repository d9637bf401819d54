/** The log of a server or a worker that `ERRAND_LOG` asks for, as lines of JSON on stderr. */
import { logLevel, RunLog } from '../../telemetry/log/run-log.ts';
import { configured } from '../report-of.ts';
import type { Terminal } from '../terminal.ts';

/** Undefined where the environment asks for none. */
export function runLogFor(terminal: Terminal): RunLog | undefined {
  const level = logLevel(process.env);
  if (level === undefined) return undefined;
  // workflows bring secrets of their own while the process runs
  const redact = (text: string): string => configured().text(text);
  return new RunLog(level, redact, (line) => terminal.err(line));
}
