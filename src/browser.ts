/** The public API without the engine: it runs in Node, in a browser and at the edge. */
export * from './public-api.ts';
export { createResilience, reportFrom, withResilience } from './judging.ts';
export { workflow, type WorkflowDefinition } from './workflow/authoring/define.ts';
