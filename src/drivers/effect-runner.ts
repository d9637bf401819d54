/** Runs what the machine asks for: one request, one try, one result that is never thrown. */
import { resolve } from 'node:path';
import { callFunction, type FunctionContext } from '../effects/function.ts';
import type { EffectContext, EffectResult } from '../effects/effect.ts';
import { createSandbox } from '../effects/sandbox/sandbox.ts';
import { createScriptEffect } from '../effects/script.ts';
import { createTransformEffect } from '../effects/transform.ts';
import type { JsonValue } from '../errors/json.ts';
import type { EffectRequest } from '../machine/effect-request.ts';

export type HostFunction = (input: JsonValue, context: FunctionContext) => unknown;

export interface EffectHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that scripts run in unless their node names another. */
  readonly directory: string;
  readonly functions: Readonly<Record<string, HostFunction>>;
}

export interface EffectRunner {
  run(request: EffectRequest, context: EffectContext): Promise<EffectResult>;
  close(): Promise<void>;
}

export function createEffectRunner(host: EffectHost): EffectRunner {
  const sandbox = createSandbox();
  const script = createScriptEffect({ env: host.env });
  const transform = createTransformEffect(sandbox);
  return {
    async run({ work, node, isIdempotent }, context) {
      const schema =
        'outputSchema' in node && node.outputSchema !== undefined
          ? { outputSchema: node.outputSchema }
          : {};
      const timeout = node.timeoutMs === undefined ? {} : { timeoutMs: node.timeoutMs };
      switch (work.type) {
        case 'script':
          return script(
            {
              command: work.command,
              args: work.args,
              env: work.env,
              cwd: resolve(host.directory, work.workingDir ?? '.'),
              exitCodes: node.type === 'script' ? node.exitCodes : [0],
              ...(work.stdin === undefined ? {} : { stdin: work.stdin }),
              ...timeout,
              ...schema,
            },
            context,
          );
        case 'transform':
          return transform({ code: work.code, input: work.input, ...schema }, context);
        case 'call':
        case 'tool': {
          const name = work.type === 'call' ? work.function : work.tool;
          const run = Object.hasOwn(host.functions, name) ? host.functions[name] : undefined;
          if (run === undefined) return unknownFunction(work.type, name);
          return callFunction(
            {
              type: work.type,
              name,
              run,
              input: work.arguments,
              isIdempotent,
              timeoutKind: 'limit.node_timeout',
              ...timeout,
              ...schema,
            },
            context,
          );
        }
      }
    },
    close: () => sandbox.close(),
  };
}

function unknownFunction(type: 'call' | 'tool', name: string): EffectResult {
  return {
    ok: false,
    failure:
      type === 'tool'
        ? { kind: 'tool.not_found', message: `There is no tool called ${name}` }
        : {
            kind: 'validation.node_config',
            message: `There is no function called ${name}`,
            action: { kind: 'fix_file', detail: `Export ${name} from the workflow’s module.` },
          },
  };
}
