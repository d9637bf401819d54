/** Rules for the file as a whole and for its `workflow` block, beyond the form of fields. */
import { suggest } from '../../errors/support/suggest.ts';
import { checkFields, checkState } from './field-rules.ts';
import { checkCatalogKind } from './kind-rules.ts';
import { checkModel, checkProviderName } from './model-rules.ts';
import { asList, asMap, type Raw } from './read-raw.ts';
import { checkErrorTable } from './route-rules.ts';
import { checkSchedule } from './schedule-rules.ts';
import type { Path } from '../plan/pointer.ts';
import type { ReportProblem } from '../diagnostics/problem.ts';
import { listed, quoted } from '../diagnostics/diagnostic-words.ts';
import { SIMULATED } from '../schema/simulate-schema.ts';

const RUNTIME: Path = ['workflow', 'runtime'];

export function checkHeader(root: unknown, report: ReportProblem): void {
  const file = asMap(root);
  if ('agents' in file && 'nodes' in file) {
    report({
      code: 'agents-and-nodes',
      kind: 'validation.workflow',
      message: '`agents` and `nodes` are two names for the same list; use one of them',
      path: ['nodes'],
      at: 'key',
      suggestion: 'Move these nodes to `agents`',
    });
  }
  const header = asMap(file['workflow']);
  checkFields(header['input'], ['workflow', 'input'], report);
  checkState(header['state'], ['workflow', 'state'], report);
  checkErrorTable(header['on_error'], ['workflow', 'on_error'], report);
  checkSchedule(header['schedule'], ['workflow', 'schedule'], report);
  checkRuntime(asMap(header['runtime']), report);
}

function checkRuntime(runtime: Raw, report: ReportProblem): void {
  checkModel(runtime['default_model'], [...RUNTIME, 'default_model'], report);
  checkProvider(runtime['provider'], [...RUNTIME, 'provider'], report);
  if ('checkpoint' in runtime)
    report({
      code: 'not-used',
      severity: 'info',
      message: 'Every step is stored before the next one starts, so `checkpoint` changes nothing',
      path: [...RUNTIME, 'checkpoint'],
      at: 'key',
    });
  for (const [name, server] of Object.entries(asMap(runtime['mcp_servers']))) {
    checkServer(asMap(server), [...RUNTIME, 'mcp_servers', name], report);
  }
  for (const [name, answers] of Object.entries(asMap(runtime['simulate']))) {
    for (const [index, answer] of asList(answers).entries()) {
      checkSimulated(asMap(answer), [...RUNTIME, 'simulate', name, index], report);
    }
  }
}

function checkProvider(provider: unknown, path: Path, report: ReportProblem): void {
  const isName = typeof provider === 'string';
  const name = isName ? provider : asMap(provider)['name'];
  if (typeof name !== 'string') return;
  const isTwice = !isName && 'api_key' in asMap(provider) && 'api_key_command' in asMap(provider);
  if (isTwice)
    report({
      code: 'either-or',
      message: '`api_key` and `api_key_command` both set the key',
      path: [...path, 'api_key_command'],
      at: 'key',
      suggestion: 'Keep one of them',
    });
  checkProviderName(name, isName ? path : [...path, 'name'], report);
}

function checkServer(server: Raw, path: Path, report: ReportProblem): void {
  const type = server['type'] === 'http' || server['type'] === 'sse' ? server['type'] : 'stdio';
  const [needed, other] = type === 'stdio' ? ['command', 'url'] : ['url', 'command'];
  if (needed !== undefined && !(needed in server)) {
    const isOtherType = other !== undefined && other in server;
    report({
      code: 'missing-key',
      message: `A server of type ${type} needs ${quoted(needed)}`,
      path,
      ...(isOtherType ? { suggestion: type === 'stdio' ? 'type: http' : 'type: stdio' } : {}),
    });
  } else if (other !== undefined && other in server) {
    report({
      code: 'either-or',
      message: `A server of type ${type} has no ${quoted(other)}`,
      path: [...path, other],
      at: 'key',
    });
  }
}

function checkSimulated(answer: Raw, path: Path, report: ReportProblem): void {
  const keys = SIMULATED.filter((key) => key in answer);
  if (keys.length !== 1) {
    const meant = Object.keys(answer)
      .map((key) => suggest(key, SIMULATED))
      .find(Boolean);
    report({
      code: 'either-or',
      message:
        keys.length === 0
          ? `A simulated reply needs one of ${listed(SIMULATED.map(quoted), 'or')}`
          : `A simulated reply has ${listed(keys.map(quoted))}; it may have one of them`,
      path,
      ...(keys.length === 0 && meant !== undefined ? { suggestion: meant } : {}),
    });
  }
  if ('cut' in answer && !('stream' in answer)) {
    report({
      code: 'either-or',
      message: '`cut` breaks a stream, but this reply has no `stream`',
      path: [...path, 'cut'],
      at: 'key',
    });
  }
  if ('fail' in answer) checkSimulatedFailure(asMap(answer['fail']), [...path, 'fail'], report);
}

function checkSimulatedFailure(fail: Raw, path: Path, report: ReportProblem): void {
  if ('kind' in fail === 'status' in fail) {
    report({
      code: 'either-or',
      message: 'A simulated failure needs either a `kind` or the `status` of a response',
      path,
      suggestion: 'kind: provider.rate_limited',
    });
  }
  checkCatalogKind(fail['kind'], [...path, 'kind'], '', report);
}
