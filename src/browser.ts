/** The public API without the engine: it runs in Node, in a browser and at the edge. */
export * from './shared.ts';
export { workflow, type WorkflowDefinition } from './workflow/define.ts';
