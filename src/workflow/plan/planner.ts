/** The planner's view of a file: positions, spelling and neighbouring files. */
import type { Path } from './pointer.ts';
import type { PlanLocation } from './route-plan.ts';
import type { ModelFile } from '../schema/model-schema.ts';
import type { WorkflowFile } from '../schema/file-schema.ts';

export interface NodeDefaults {
  readonly model?: ModelFile | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly maxTurns?: number | undefined;
  readonly agentSeconds?: number | undefined;
  readonly workingDir?: string | undefined;
}

export interface Planner {
  readonly location: (path: Path) => PlanLocation;
  /** `1.10` as it is written, where the value is the number 1.1. */
  readonly written: (value: string | number | boolean, path: Path) => string;
  /** Resolves a path that the file names. */
  readonly resolve: (path: string) => string;
  /** `runtime.provider`, for models that name none. */
  readonly provider: string | undefined;
  /** The settings of the file for nodes that do not have their own. */
  readonly defaults: NodeDefaults;
}

export function defaultsOf(file: Partial<WorkflowFile>): NodeDefaults {
  const runtime = file.workflow?.runtime;
  return {
    model: runtime?.default_model,
    tools: file.tools,
    maxTurns: runtime?.max_agent_iterations,
    agentSeconds: runtime?.max_session_seconds,
    workingDir: runtime?.working_dir,
  };
}
