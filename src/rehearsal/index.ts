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
export { CALM, STORMY, type FaultPlan, type Incident } from './world/faults.ts';
export { playModel as playSimModel } from '../effects/simulator/play-model.ts';
export {
  storeCases,
  type NewDatabase,
  type StoreCase,
  type TestDatabase,
} from '../stores/conformance/store-cases.ts';
