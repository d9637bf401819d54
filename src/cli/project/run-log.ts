/** The log of a server or a worker that `ERRAND_LOG` asks for, as lines of JSON on stderr. */
import { keyValuesIn } from '../../effects/model/key-values.ts';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { logLevel, RunLog } from '../../telemetry/log/run-log.ts';
import type { Terminal } from '../terminal.ts';

/** Undefined where the environment asks for none. */
export function runLogFor(terminal: Terminal): RunLog | undefined {
  const level = logLevel(process.env);
  if (level === undefined) return undefined;
  return new RunLog(level, createRedactor(keyValuesIn(process.env)), (line) => terminal.err(line));
}
