/** Failures of additions to Errand by a host or a file: modules, tools, optional packages. */
import type { CatalogRow } from './row.ts';

export const EXTENSION_ROWS = {
  'extension.lifecycle': {
    class: 'extension',
    category: 'configuration',
    domain: 'config',
    outcome: 'not_started',
    inherits: false,
    schedule: null,
    httpStatus: 500,
    exitCode: 2,
    action: {
      kind: 'fix_code',
      detail: 'Fix what the module does when it is loaded, started or stopped.',
    },
    title: 'Extension failed to start',
    help: 'A module or an extension threw while it was being loaded, started or stopped, because of a syntax error, a failing import or a missing setting of its own. Look at the cause and fix the module. Errand does not run a workflow with half of its parts: the run does not start, and the command ends with exit code 2. The command gives the same kind to code that ends the process, or that fails where nothing waits for it: in a promise that nothing awaits, or in a callback of a timer. A run that has begun is then stopped with exit code 130 and can be resumed, and `internal.jsonl` has the stack.',
  },
  'extension.cycle': {
    class: 'extension',
    category: 'configuration',
    domain: 'config',
    outcome: 'not_started',
    inherits: false,
    schedule: null,
    httpStatus: 500,
    exitCode: 2,
    action: {
      kind: 'fix_setup',
      detail: 'Remove one of the dependencies in the circle that the report lists.',
    },
    title: 'Circular extension dependency',
    help: 'Extensions need each other in a circle, so none of them can be started first. The report lists the circle. Remove one of the dependencies, or move the shared part into an extension of its own. Errand finds it before anything is started: the run does not start, and the command ends with exit code 2.',
  },
  'extension.missing': {
    class: 'extension',
    category: 'configuration',
    domain: 'config',
    outcome: 'not_started',
    inherits: false,
    schedule: null,
    httpStatus: 500,
    exitCode: 2,
    action: {
      kind: 'install_package',
      detail: 'Install the package, or provide the module, that the report names.',
    },
    title: 'Extension missing',
    help: 'Something that the workflow or the settings need is not there: a module, an extension, or one of the optional packages for models, MCP, Postgres or Temporal. These packages are not installed with Errand, so that an installation has only what it uses. Install the package that the report names, or correct the path of the module. Errand does not start the run, and the command ends with exit code 2.',
  },
  'extension.contract': {
    class: 'extension',
    category: 'configuration',
    domain: 'config',
    outcome: 'not_started',
    inherits: false,
    schedule: null,
    httpStatus: 500,
    exitCode: 2,
    action: {
      kind: 'fix_code',
      detail: 'Make the module export what the report says.',
    },
    title: 'Extension breaks its contract',
    help: 'A module or an extension does not have the form that Errand expects. A function that the workflow calls is not exported, a tool is declared with a wrong schema, or a store lacks a method. Make the module export what the report says. Errand checks it while loading, before any effect: the run does not start, and the command ends with exit code 2.',
  },
} as const satisfies Record<string, CatalogRow>;
