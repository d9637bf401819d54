/** `errand/testing`: rehearsals in code, the simulated world, simulated models, and the cases of stores. */
export { rehearse, type RehearseInCodeOptions } from './rehearse-in-code.ts';
export type {
  RehearsalResult,
  RouteResult,
  RecordChanges,
  MutantFigure,
  MutantMissed,
  ScenarioResult,
} from './report/rehearsal-result.ts';
export type {
  Coverage,
  DoubtMissed,
  Figure,
  KindMissed,
  MoveMissed,
  RouteMissed,
} from './figures/coverage.ts';
export type { RehearsalWarning } from './report/warnings.ts';
export type { CrashFigure, CrashMissed } from './figures/crashes.ts';
export type { Difference } from './scenarios/scenario.ts';
export type { Verdict } from './verdict/verdict.ts';
export { simulate, type Simulation, type SimulationOptions } from './simulated-run.ts';
export type { Execution as SimulatedExecution, ExecutionEnding } from './world/execution-record.ts';
export type { WhenStopped } from './world/fate.ts';
export type { Answers as SimulatedAnswers } from './world/operator.ts';
export type { Leg as SimulatedLeg, Revision as SimulatedRevision } from './world/rehearsal.ts';
export type { Speaker as SimulatedSpeaker } from './world/model-fate.ts';
export type { Random as SeededRandom } from './world/random.ts';
export type {
  ModelCall,
  ModelImage,
  ModelMessage,
  ModelTool,
  ProviderTurn,
  ToolCall,
  TurnPart,
} from '../machine/conversation/model-message.ts';
export type { EffectClock } from '../effects/clock.ts';
export type {
  CallObservation,
  CancellationKind,
  Effect,
  EffectContext,
  EffectFailure,
  EffectResult,
  EffectSuccess,
  Suppressed as SuppressedFailure,
} from '../effects/effect-port.ts';
export type { TraceCarrier } from '../machine/ports/trace-carrier.ts';
export type { Used as CountedUsage } from '../providers/pricing/counted-usage.ts';
export type { TokenCounts } from '../providers/pricing/prices.ts';
export type { Rivalry } from './world/rival.ts';
export type { Death as SimulatedDeath, Warning as SimulatedWarning } from './world/world.ts';
export type { Below as FigureBelow, FigureName } from './figures/minimum.ts';
export type { ReasoningEffort } from '../workflow/plan/node-plan.ts';
export type { SimulatedAnswer, SimulatedFailure, SimulatedUsage } from '../workflow/plan/plan.ts';
export type { PlannedScenario } from '../workflow/rehearsal-plan/plan-schema.ts';
export type { NamedGuard } from '../effects/run-guards.ts';
export { CALM, STORMY, type FaultPlan, type Incident } from './world/faults.ts';
export { playModel as playSimModel } from '../effects/simulator/play-model.ts';
export {
  storeCases,
  type NewDatabase,
  type StoreCase,
  type TestDatabase,
} from '../stores/conformance/store-cases.ts';
