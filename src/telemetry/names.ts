/**
 * Every name that leaves through telemetry: the scope, spans, attributes and metrics. The GenAI
 * names follow semantic conventions 1.41, which today's backends read; a rename changes only this
 * file.
 */

export const SCOPE = 'errand';

/** Names of spans whose last word comes from the run. */
export const SPAN = {
  workflow: (name: string) => `invoke_workflow ${name}`,
  agent: (name: string) => `invoke_agent ${name}`,
  node: (name: string) => `errand.node ${name}`,
  group: (name: string) => `errand.group ${name}`,
  chat: (model: string) => `chat ${model}`,
  tool: (name: string) => `execute_tool ${name}`,
} as const;

export const OPERATION = {
  workflow: 'invoke_workflow',
  agent: 'invoke_agent',
  chat: 'chat',
  tool: 'execute_tool',
} as const;

export const ATTRIBUTE = {
  run: 'errand.run.id',
  workflow: 'gen_ai.workflow.name',
  operation: 'gen_ai.operation.name',
  errorType: 'error.type',

  leg: 'errand.leg',
  legCause: 'errand.leg.cause',
  runStatus: 'errand.run.status',
  waitingReason: 'errand.waiting.reason',

  agent: 'gen_ai.agent.name',
  node: 'errand.node.name',
  nodeType: 'errand.node.type',
  path: 'errand.node.path',
  attempt: 'errand.attempt',
  routeMove: 'errand.route.move',
  routeTo: 'errand.route.to',
  routeBucket: 'errand.route.bucket',
  errorId: 'errand.error.id',

  members: 'errand.group.members',
  membersFailed: 'errand.group.failed',
  groupMode: 'errand.group.mode',

  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  maxTokens: 'gen_ai.request.max_tokens',
  temperature: 'gen_ai.request.temperature',
  stream: 'gen_ai.request.stream',
  outputType: 'gen_ai.output.type',
  responseModel: 'gen_ai.response.model',
  responseId: 'gen_ai.response.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  serverAddress: 'server.address',
  statusCode: 'http.response.status_code',
  effectKey: 'errand.effect.key',
  category: 'errand.error.category',
  retryable: 'errand.error.retryable',
  outcome: 'errand.error.outcome',
  rule: 'errand.error.rule',
  retryAfterMs: 'errand.retry_after_ms',
  cost: 'errand.cost_usd_micros',
  costEstimated: 'errand.cost.estimated',

  tool: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCall: 'gen_ai.tool.call.id',
  mcpMethod: 'mcp.method.name',
  mcpProtocol: 'mcp.protocol.version',
  transport: 'network.transport',
  rpcStatus: 'rpc.response.status_code',
  grant: 'errand.grant',

  executable: 'process.executable.name',
  exitCode: 'process.exit.code',
  pid: 'process.pid',

  // only with ERRAND_OTEL_CONTENT=1
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',

  // only on metrics
  tokenType: 'gen_ai.token.type',
  gateResolution: 'errand.gate.resolution',
  breakerTarget: 'errand.breaker.target',
  store: 'errand.store',
  reason: 'errand.suppressed.reason',
} as const;

export const METRIC = {
  operationDuration: 'gen_ai.client.operation.duration',
  tokenUsage: 'gen_ai.client.token.usage',
  workflowDuration: 'gen_ai.workflow.duration',
  agentDuration: 'gen_ai.invoke_agent.duration',
  toolDuration: 'gen_ai.execute_tool.duration',
  runEnded: 'errand.run.ended',
  runActive: 'errand.run.active',
  runWaiting: 'errand.run.waiting',
  failure: 'errand.failure',
  failureCost: 'errand.failure.cost',
  retryWait: 'errand.retry.wait',
  gateWait: 'errand.gate.wait',
  breakerOpen: 'errand.breaker.open',
  commitDuration: 'errand.store.commit.duration',
  suppressed: 'errand.suppressed',
} as const;
