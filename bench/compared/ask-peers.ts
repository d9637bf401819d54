/**
 * `node bench/compared/ask-peers.ts PYTHON`: plays every compared entry to the AI SDK, LiteLLM and Pipelex over
 * the loopback interface, and writes `verdicts.jsonl`. PYTHON is an interpreter with `requirements.txt` installed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireSdks, load } from '../../test/sdk-parity/install.ts';
import { AI_PLAYERS } from '../../test/sdk-parity/players-ai.ts';
import { scriptOf } from '../../test/sdk-parity/play-entry.ts';
import { protocolOf } from '../../test/sdk-parity/protocol.ts';
import { startLoopback, type Loopback } from '../../test/sdk-parity/server.ts';
import { COMPARED } from './compared-entries.ts';
import { VERDICTS_FILE, type Verdict } from './verdicts.ts';

const [python] = process.argv.slice(2);
if (python === undefined) throw new Error('Name the Python interpreter that has the packages');
requireSdks();
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const server = await startLoopback();
const verdicts: Verdict[] = [];
for (const entry of COMPARED) verdicts.push(await askAiSdk(entry, server));
await server.close();
verdicts.push(...askPython(python));
writeFileSync(VERDICTS_FILE, verdicts.map((verdict) => `${JSON.stringify(verdict)}\n`).join(''));
console.log(`wrote ${verdicts.length} verdicts`);

async function askAiSdk(entry: (typeof COMPARED)[number], loopback: Loopback): Promise<Verdict> {
  const { APICallError } = await load('@ai-sdk/provider/dist/index.js');
  const protocol = protocolOf(entry) ?? 'chat';
  const player =
    AI_PLAYERS.find(
      ({ speaks, takesAnyAnswer }) => speaks.includes(protocol) && takesAnyAnswer !== true,
    ) ?? AI_PLAYERS[0];
  if (player === undefined) throw new Error('There is no AI SDK to ask');
  const { failure } = await player.ask({
    baseUrl: loopback.play(scriptOf(entry, protocol)),
    protocol,
    api: entry.api,
    isStream: false,
  });
  const { id } = entry;
  if (failure instanceof Error) {
    // the condition under which `generateText` retries
    const retries =
      APICallError.isInstance(failure) && 'isRetryable' in failure && failure.isRetryable === true;
    return { id, system: 'ai', retries, named: failure.name };
  }
  return { id, system: 'ai', retries: false, named: badFinish(failure) };
}

/** Applications have to read the finish reason themselves; a readable one counts as noticed. */
function badFinish(result: unknown): string | null {
  if (typeof result !== 'object' || result === null || !('finishReason' in result)) return null;
  const { finishReason } = result;
  return finishReason === 'content-filter' || finishReason === 'error' ? finishReason : null;
}

function askPython(interpreter: string): Verdict[] {
  const folder = mkdtempSync(join(tmpdir(), 'errand-compared-'));
  try {
    const file = join(folder, 'entries.jsonl');
    writeFileSync(file, COMPARED.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    const { stdout, status, stderr } = spawnSync(
      interpreter,
      [join(import.meta.dirname, 'peers.py'), file],
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: 1_800_000 },
    );
    if (status !== 0) throw new Error(`peers.py ended with ${status}: ${stderr.slice(-2000)}`);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Verdict);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
