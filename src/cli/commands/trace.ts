/** `errand trace`: the spans of a stored run, as OpenTelemetry's receivers take them. */
import { keyValuesIn } from '../../effects/model/key-values.ts';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { jsonText } from '../../errors/support/printable.ts';
import { traceRun } from '../../telemetry/otlp/trace-run.ts';
import { readRun, warnLostLog, withRuns } from '../project/stored-run.ts';
import type { Terminal } from '../terminal.ts';

export async function trace(id: string, terminal: Terminal): Promise<number> {
  return withRuns(async (runs) => {
    const stored = await readRun(runs, id);
    await warnLostLog(runs, id, terminal);
    const hasContent = process.env['ERRAND_OTEL_CONTENT'] === '1';
    const content = hasContent ? createRedactor(keyValuesIn(process.env)) : undefined;
    terminal.out(jsonText(traceRun({ ...stored, content })));
    return 0;
  }, id);
}
