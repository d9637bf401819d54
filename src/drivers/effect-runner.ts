/** Runs what the machine asks for: one request, one try, one result that is never thrown. */
import { resolve } from 'node:path';
import { toDraft, type EffectContext, type EffectResult } from '../effects/effect.ts';
import type { Run } from '../effects/module/callable.ts';
import { createFindCallable, type Callables } from '../effects/module/find-callable.ts';
import { createSandbox } from '../effects/sandbox/sandbox.ts';
import { createModelEffect, type ModelEffectOptions } from '../effects/model/model.ts';
import { playModel } from '../effects/simulator/play.ts';
import { createScriptEffect } from '../effects/script.ts';
import { callCallable } from '../effects/tool.ts';
import { createTransformEffect } from '../effects/transform.ts';
import { toReport } from '../errors/to-report.ts';
import type { EffectRequest } from '../machine/effect-request.ts';

export type HostFunction = Run;

export interface EffectHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that scripts run in unless their node names another. */
  readonly directory: string;
  /** Win over those of a module; `call` nodes look here first. */
  readonly functions: Callables;
  /** `tool` nodes look here first. */
  readonly tools?: Callables;
  /** What the paths of a plan are relative to. Default: the folder of the process. */
  readonly base?: string;
  /** Models and providers that the host registers, beside those known by name. */
  readonly models?: NonNullable<ModelEffectOptions['models']>;
  readonly providers?: NonNullable<ModelEffectOptions['providers']>;
  /** How long a module may take to be imported. */
  readonly importTimeoutMs?: number;
}

export interface EffectRunner {
  run(request: EffectRequest, context: EffectContext): Promise<EffectResult>;
  close(): Promise<void>;
}

export function createEffectRunner(host: EffectHost): EffectRunner {
  const sandbox = createSandbox();
  const script = createScriptEffect({ env: host.env });
  const transform = createTransformEffect(sandbox);
  const model = createModelEffect({
    env: host.env,
    ...(host.models === undefined ? {} : { models: host.models }),
    ...(host.providers === undefined ? {} : { providers: host.providers }),
  });
  const findCallable = createFindCallable({
    functions: host.functions,
    ...(host.tools === undefined ? {} : { tools: host.tools }),
    ...(host.base === undefined ? {} : { base: host.base }),
    ...(host.importTimeoutMs === undefined ? {} : { timeoutMs: host.importTimeoutMs }),
  });
  return {
    async run({ work, node, isIdempotent, module, timeoutMs, outputSchema }, context) {
      const schema = outputSchema === undefined ? {} : { outputSchema };
      const timeout = timeoutMs === undefined ? {} : { timeoutMs };
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
          try {
            const callable = await findCallable(work.type, name, module);
            const { type, arguments: input } = work;
            return await callCallable(
              { type, callable, input, isIdempotent, ...timeout, ...schema },
              context,
            );
          } catch (thrown) {
            return notCallable(thrown, context);
          }
        }
        case 'model':
          if (work.call.model.startsWith('sim/')) return playModel(work.call, context);
          return model(
            {
              call: work.call,
              directory: host.directory,
              ...(work.provider === undefined ? {} : { settings: work.provider }),
              ...timeout,
            },
            context,
          );
      }
    },
    close: () => sandbox.close(),
  };
}

/** Nothing was begun: the module, the name or the declaration is no good. */
function notCallable(thrown: unknown, { redactor }: EffectContext): EffectResult {
  const failure = toDraft(toReport(thrown, { redactor }));
  return { ok: false, failure: { ...failure, outcome: 'not_started' }, thrown };
}
