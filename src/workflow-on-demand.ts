/**
 * `workflow()` for Node, loaded when it is first called: the schema of workflow files is most of what
 * importing the package would cost, and most programs that import it never make a workflow in code.
 */
import { createRequire } from 'node:module';
import { ErrandError } from './errors/errand-error.ts';
import type { workflow as define } from './workflow/define.ts';

// a bundle that is no ES module has no address, and still has to load
const DEFINITION = String(import.meta.url).endsWith('.ts')
  ? './workflow/define.ts'
  : './workflow/define.js';

let loaded: { readonly workflow: typeof define } | undefined;

/** Throws an `ErrandError` of kind `validation.*` when the workflow is not valid. */
export const workflow: typeof define = (definition) => {
  loaded ??= load();
  return loaded.workflow(definition);
};

function load(): { readonly workflow: typeof define } {
  try {
    // a module of ours, whose type is above
    return createRequire(import.meta.url)(DEFINITION) as { readonly workflow: typeof define };
  } catch (error) {
    throw new ErrandError(
      {
        kind: 'extension.missing',
        // whoever sees only this sentence, at the end of a program, has to know what to do
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
