/** The public API. */
export * from './shared.ts';
export { workflow } from './workflow-on-demand.ts';
export type { WorkflowDefinition } from './workflow/define.ts';
export {
  openErrand,
  type Errand,
  type ErrandOptions,
  type GateAnswer,
  type RunHandle,
  type RunnableWorkflow,
  type RunResult,
  type RunView,
  type StartOptions,
  type WorkflowVerdict,
} from './drivers/open-errand.ts';
export type { EventBody, RunEvent, Wait, Waiting } from './machine/events.ts';
export type { RunStore, RunSummary } from './machine/store-port.ts';
