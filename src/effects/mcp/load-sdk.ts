/** Loads the official MCP client, or says how to install it. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { whyBroken, type LoadPackage } from '../model/load-package.ts';
import { MCP_PACKAGE, toMcpSdk, type McpSdk } from './mcp-client-sdk.ts';

/** Throws `tool.unavailable`. */
export function loadMcpSdk(load: LoadPackage, directory: string): McpSdk {
  const loading = load(MCP_PACKAGE, directory);
  switch (loading.type) {
    case 'missing':
      throw notInstalled(`Run \`npm install ${MCP_PACKAGE}\`.`);
    case 'broken': {
      const why = whyBroken(loading.thrown);
      throw notInstalled(`Reinstall ${MCP_PACKAGE}, which does not load: ${why}.`, loading.thrown);
    }
    case 'loaded': {
      const sdk = toMcpSdk(loading.exports);
      if (sdk !== undefined) return sdk;
      throw notInstalled(
        `Run \`npm install ${MCP_PACKAGE}@latest\`: the installed version is too old.`,
      );
    }
  }
}

function notInstalled(step: string, thrown?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'tool.unavailable',
      outcome: 'not_started',
      message: 'The MCP client is not installed, so tools of MCP servers cannot be called',
      details: { package: MCP_PACKAGE },
      action: { kind: 'install_package', detail: step },
    },
    { cause: thrown },
  );
}
