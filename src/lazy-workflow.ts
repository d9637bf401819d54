/**
 * `workflow()` for Node, loaded at its first call: the schema of workflow files is most of the cost
 * of importing the package, and most programs that import it never make a workflow in code.
 */
import { createRequire } from 'node:module';
import { ownExtension } from './errors/support/own-extension.ts';
import { ErrandError } from './errors/thrown/errand-error.ts';
import type { workflow as define } from './workflow/authoring/define.ts';

// a bundle in another format than ES modules has no address, and still has to load
const DEFINITION = `./workflow/authoring/define${ownExtension(import.meta.url)}`;

let loaded: { readonly workflow: typeof define } | undefined;

/**
 * Makes a workflow in code. Throws an `ErrandError` of kind `validation.*` when the workflow is not valid.
 * @example
 * ```ts
 * import { workflow } from 'errand';
 *
 * const greet = workflow({
 *   name: 'greet',
 *   entryPoint: 'hello',
 *   input: { name: { type: 'string' } },
 *   nodes: [{ name: 'hello', type: 'set', value: 'Hello {{ workflow.input.name }}' }],
 * });
 * console.log(greet.plan.name); // greet
 * ```
 */
export const workflow: typeof define = (definition) => {
  loaded ??= load();
  return loaded.workflow(definition);
};

function load(): { readonly workflow: typeof define } {
  try {
    // a module of ours; the cast repeats its type
    return createRequire(import.meta.url)(DEFINITION) as { readonly workflow: typeof define };
  } catch (error) {
    throw new ErrandError(
      {
        kind: 'extension.missing',
        // a person who sees only this sentence, at the end of a program, must know what to do
        message:
          "This bundle lacks workflow(): import it from 'errand/workflow', not from 'errand'",
        action: {
          kind: 'fix_code',
          detail: "Import workflow from 'errand/workflow', or leave errand out of the bundle.",
        },
      },
      { cause: error },
    );
  }
}
