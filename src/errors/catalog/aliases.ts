/**
 * Aliases of kinds: the names of the same failures in five other systems. Only `errand explain`
 * uses them, for people who come from those systems.
 */
import { RUNTIME_KINDS, type RuntimeKind } from './catalog.ts';

export const OTHER_SYSTEMS = ['relavium', 'stud-cli', 'cycgraph', 'conductor', 'pipelex'] as const;
export type OtherSystem = (typeof OTHER_SYSTEMS)[number];

type Aliases = Readonly<Partial<Record<OtherSystem, readonly string[]>>>;

/**
 * By kind and system, with spaces between the names; kinds that no other system names are left out.
 */
const NAMES: Readonly<
  Partial<Record<RuntimeKind, Readonly<Partial<Record<OtherSystem, string>>>>>
> = {
  'validation.workflow': {
    relavium: 'validation invalid_yaml invalid_graph schema_validation config_error',
    'stud-cli':
      'Validation/ShapeInvalid Validation/UnknownTopLevelKey Validation/SettingsShapeInvalid Validation/ManifestShapeInvalid',
    cycgraph: 'GraphSpecError TargetError OverlayError ApplyError',
    conductor: 'ValidationError ConfigurationError',
  },
  'validation.node_config': {
    relavium: 'validation schema_validation',
    'stud-cli':
      'Validation/ConfigSchemaViolation Validation/UnknownConfigKey Validation/StageDefinitionInvalid Validation/MCPServerConfigInvalid ExtensionHost/InvalidParallelPlan',
    cycgraph:
      'NodeConfigError SupervisorConfigError AgentSpecError EmbeddingDimensionMismatchError',
    conductor: 'ConfigurationError',
  },
  'validation.unsupported': {
    relavium: 'not_implemented',
    'stud-cli':
      'Validation/UnsupportedFlag Validation/UnsupportedPlatform ExtensionHost/NotImplemented',
    cycgraph: 'UnsupportedNodeTypeError',
  },
  'validation.contract_version': {
    'stud-cli': 'Validation/ContractVersionMismatch Validation/ContractVersionBumpInvalid',
  },
  'validation.input': {
    relavium: 'validation invalid_decision invalid_invocation',
    'stud-cli': 'Validation/ArgumentMissing Validation/UnknownFlag',
    cycgraph: 'SubgraphInterfaceError',
  },
  'validation.template': {
    relavium:
      'validation unresolved_reference unknown_namespace unknown_filter filter_arity filter_type unserializable invalid_path read_file_unavailable read_file_failed secret_interpolation',
    conductor: 'TemplateError',
  },
  'provider.rate_limited': {
    relavium: 'provider_rate_limit rate_limit',
    'stud-cli': 'ProviderTransient/RateLimited',
    pipelex: 'LLMCompletionError RateLimitError',
  },
  'provider.overloaded': {
    relavium: 'provider_unavailable overloaded',
    'stud-cli': 'ProviderTransient/Provider5xx',
    pipelex: 'LLMCompletionError',
  },
  'provider.server_error': {
    relavium: 'provider_unavailable overloaded',
    'stud-cli': 'ProviderTransient/Provider5xx ProviderTransient/ProviderProcessFailed',
    conductor: 'ProviderError RetryableError',
    pipelex: 'LLMCompletionError APIStatusError',
  },
  'provider.timeout': {
    relavium: 'provider_unavailable timeout',
    'stud-cli': 'ProviderTransient/NetworkTimeout',
    cycgraph: 'AgentTimeoutError',
    pipelex: 'LLMCompletionError APITimeoutError',
  },
  'provider.network': {
    relavium: 'provider_unavailable transport',
    'stud-cli': 'ProviderTransient/NetworkTimeout',
    pipelex: 'LLMCompletionError APIConnectionError',
  },
  'provider.conflict': { relavium: 'bad_request' },
  'provider.stream_interrupted': {
    relavium: 'provider_unavailable transport',
    'stud-cli': 'ProviderTransient/StreamError',
  },
  'provider.exhausted': {
    relavium: 'provider_unavailable',
    cycgraph: 'AgentExecutionError',
    conductor: 'provider.exhausted retry.exhausted ProviderError',
  },
  'provider.capability_missing': {
    relavium: 'unsupported_capability',
    'stud-cli':
      'ProviderCapability/MissingStreaming ProviderCapability/MissingToolCalling ProviderCapability/ContextWindowTooSmall ProviderCapability/MissingCapability',
  },
  'provider.auth': {
    relavium: 'provider_auth auth',
    'stud-cli': 'ProviderTransient/Unauthorized',
    pipelex: 'LLMCompletionError',
  },
  'provider.permission': { relavium: 'provider_auth auth', pipelex: 'LLMCompletionError' },
  'provider.not_configured': {
    relavium: 'provider_auth invalid_base_url',
    'stud-cli': 'Validation/EnvNameNotSet',
    cycgraph: 'UnsupportedProviderError A2ACredentialError',
    pipelex: 'MissingCredentialsError',
  },
  'provider.model_not_found': {
    relavium: 'unknown_model',
    'stud-cli': 'ProviderTransient/EndpointNotFound',
    pipelex:
      'LLMModelNotFoundError LLMHandleNotFoundError ExtractHandleNotFoundError ImgGenHandleNotFoundError ModelNotFoundError ModelChoiceNotFoundError',
  },
  'provider.invalid_request': { relavium: 'validation bad_request', pipelex: 'LLMCompletionError' },
  'provider.tool_schema': { relavium: 'unsupported_tool_schema' },
  'provider.context_length': { relavium: 'bad_request', 'stud-cli': 'Validation/ContextOverflow' },
  'provider.request_too_large': { relavium: 'bad_request' },
  'provider.content_filter': { relavium: 'content_filter', pipelex: 'LLMCompletionRefusedError' },
  'provider.truncated': { pipelex: 'LLMCompletionTruncatedError' },
  'provider.quota_exhausted': { relavium: 'provider_auth', pipelex: 'LLMCompletionError' },
  'provider.unknown': {
    relavium: 'internal LlmError unknown',
    'stud-cli': 'Session/ProviderProtocolViolation',
    cycgraph: 'AgentExecutionError',
    conductor: 'ProviderError',
    pipelex:
      'LLMCompletionError CogtError APIStatusError ImgGenGenerationError ExtractJobFailureError SearchJobFailureError JudgmentJobFailureError',
  },
  'tool.failed': {
    relavium: 'tool_failed execution_failed',
    'stud-cli': 'ToolTransient/ResourceFetchFailed ToolTerminal/ToolExecutionFailed',
    cycgraph: 'A2ATaskFailedError',
  },
  'tool.timeout': { relavium: 'tool_failed', 'stud-cli': 'ToolTransient/ExecutionTimeout' },
  'tool.busy': { 'stud-cli': 'ToolTransient/ResourceBusy' },
  'mcp.unreachable': {
    relavium: 'tool_unavailable',
    'stud-cli': 'ProviderTransient/MCPConnectionLost',
    cycgraph: 'MCPGatewayError',
  },
  'tool.denied': {
    relavium:
      'tool_denied command_not_allowed domain_not_allowed insecure_url gate_required media_scope_denied user_rejected approval_error no_approval_hook',
    'stud-cli':
      'ToolTerminal/Forbidden ToolTerminal/ApprovalDenied ToolTerminal/CommandRejected ToolTerminal/NetworkDenied',
    cycgraph:
      'A2ATaskFailedError SecurityPolicyViolationError SideEffectBlockedError SsrfBlockedError WorkspaceEscapeError',
  },
  'tool.input_invalid': {
    relavium: 'validation invalid_args',
    'stud-cli':
      'ToolTerminal/InputInvalid ProviderCapability/OutputMalformed ToolTerminal/AmbiguousMatch',
    cycgraph: 'A2AInterfaceError',
  },
  'tool.output_malformed': {
    'stud-cli':
      'ToolTerminal/OutputMalformed ToolTerminal/MCPResourceEmpty ToolTerminal/ResourceOverBytesCap',
    cycgraph: 'A2AInterfaceError',
  },
  'tool.not_found': {
    relavium: 'tool_failed unknown_tool',
    'stud-cli':
      'ToolTerminal/NotFound Validation/MCPServerNotRegistered ToolTerminal/ToolNotRegistered',
    cycgraph: 'MCPServerNotFoundError ToolNotRegisteredError',
  },
  'tool.forbidden': {
    relavium: 'tool_denied not_granted provider_executed',
    'stud-cli': 'ToolTerminal/Forbidden',
    cycgraph: 'MCPAccessDeniedError CapabilityViolationError',
  },
  'tool.unavailable': { relavium: 'tool_unavailable capability_unavailable' },
  'mcp.tool_failed': {
    relavium: 'tool_failed',
    'stud-cli': 'ToolTerminal/MCPToolFailed',
    cycgraph: 'MCPToolExecutionError',
  },
  'agent.not_found': {
    'stud-cli': 'ExtensionHost/StageNotRegistered',
    cycgraph: 'AgentNotFoundError',
  },
  'agent.load_failed': { cycgraph: 'AgentLoadError' },
  'agent.permission_denied': {
    'stud-cli': 'Validation/ContextMutationForbidden ExtensionHost/SlotAccessDenied',
    cycgraph: 'PermissionDeniedError',
  },
  'agent.output_invalid': {
    relavium: 'validation',
    'stud-cli': 'ProviderCapability/OutputMalformed',
    conductor: 'internal.schema_violation ValidationError',
    pipelex: 'ValidationError',
  },
  'supervisor.routing': { cycgraph: 'SupervisorRoutingError' },
  'architect.failed': { cycgraph: 'ArchitectError' },
  'call.failed': {
    'stud-cli': 'ExtensionHost/CommandExecFailed',
    cycgraph: 'AgentExecutionError',
    conductor: 'ExecutionError',
    pipelex: 'PipeRunError PipeRouterError PipelineExecutionError WorkflowExecutionError',
  },
  'internal.script_error': { conductor: 'internal.script_error' },
  'internal.script_timeout': { conductor: 'ExecutionError' },
  'internal.script_unspawnable': { conductor: 'ExecutionError' },
  'internal.schema_violation': { conductor: 'internal.schema_violation ValidationError' },
  'internal.envelope_invalid': {
    conductor:
      'internal.schema_violation internal.undeclared_kind EnvelopeValidationError internal.script_error_transport',
  },
  'sandbox.syntax': { relavium: 'sandbox_error syntax' },
  'sandbox.runtime': { relavium: 'sandbox_error runtime scope' },
  'sandbox.memory': { relavium: 'sandbox_error memory stack' },
  'sandbox.result': { relavium: 'sandbox_error result_type non_serializable' },
  'sandbox.timeout': { relavium: 'sandbox_error timeout' },
  'limit.budget': {
    relavium: 'budget_exceeded',
    cycgraph: 'BudgetExceededError NodeBudgetExceededError',
    conductor: 'BudgetExceededError',
  },
  'limit.run_timeout': {
    relavium: 'run_timeout',
    cycgraph: 'WorkflowTimeoutError',
    conductor: 'TimeoutError',
  },
  'limit.node_timeout': { cycgraph: 'AgentTimeoutError', conductor: 'AgentTimeoutError' },
  'limit.turns': {
    relavium: 'turn_limit',
    'stud-cli': 'Session/ToolExecutionFailed ExtensionHost/LoopBoundExceeded',
  },
  'limit.steps': { conductor: 'MaxIterationsError' },
  'limit.retries': { conductor: 'retry.exhausted' },
  'breaker.open': { cycgraph: 'CircuitBreakerOpenError ToolCircuitBreakerOpenError' },
  'group.failed': {
    'stud-cli': 'ExtensionHost/ParallelSiblingFailure ExtensionHost/JoinPreconditionViolated',
    conductor: 'ParallelAgentError ForEachError',
  },
  'group.quorum': { cycgraph: 'NodeConfigError' },
  'gate.expired': {
    relavium: 'run_timeout',
    cycgraph: 'WorkflowTimeoutError',
    conductor: 'HumanGateError',
  },
  'gate.rejected': { conductor: 'HumanGateError' },
  'gate.no_one_to_ask': {
    relavium: 'no_approval_hook',
    'stud-cli':
      'Validation/NoInteractorsAttached Validation/HeadlessInteractionRequired Validation/MissingHeadlessDefaults Session/NoInteractorAttached',
  },
  'route.guard_failed': { conductor: 'ValueError TemplateError' },
  'route.no_match': {
    cycgraph: 'NoMatchingEdgeError',
    conductor: 'UnhandledNodeError UnhandledWorkflowError ValueError',
  },
  'assert.failed': { cycgraph: 'VerificationFailedError' },
  'halt.intentional': { conductor: 'halt.intentional' },
  'terminate.failed': {
    cycgraph: 'SubgraphIncompleteError',
    conductor: 'WorkflowTerminated SubworkflowTerminatedError',
  },
  'store.unavailable': {
    'stud-cli': 'Session/StoreUnavailable Session/StateUnavailable',
    cycgraph: 'PersistenceUnavailableError',
    conductor: 'CheckpointError',
  },
  'store.corrupt': {
    'stud-cli': 'Session/ManifestDrift',
    cycgraph: 'EventLogCorruptionError',
    conductor: 'CheckpointError',
  },
  'store.claim_lost': { cycgraph: 'StaleClaimError EventSequenceConflictError' },
  'run.already_active': {
    relavium: 'EngineStateError run_already_active',
    'stud-cli': 'ExtensionHost/ConcurrentTurnForbidden',
  },
  'run.already_ended': { relavium: 'EngineStateError run_already_terminal' },
  'run.drifted': { 'stud-cli': 'Session/ManifestDrift Session/SlotDriftRejected' },
  'run.resume_mismatch': {
    relavium:
      'EngineStateError workflow_mismatch pending_gate_requires_decision run_not_paused unknown_gate',
    'stud-cli':
      'Session/ResumeMismatch Session/InteractionAlreadyAnswered Session/SlotMigrationFailed',
    cycgraph: 'ForkError ForkPointError ReplayVersionMismatchError',
  },
  'run.not_found': {
    relavium: 'EngineStateError unknown_run',
    'stud-cli': 'Session/NoSnapshot',
    cycgraph: 'MissingRunRecordError',
    conductor: 'CheckpointError',
  },
  'cancelled.run': {
    relavium: 'cancelled',
    'stud-cli': 'Cancellation/SessionCancelled',
    conductor: 'InterruptError',
  },
  'cancelled.node': {
    relavium: 'cancelled aborted',
    'stud-cli': 'Cancellation/TurnCancelled Cancellation/StageCancelled',
  },
  'cancelled.tool': { relavium: 'cancelled', 'stud-cli': 'Cancellation/ToolCancelled' },
  'cancelled.call': { relavium: 'cancelled', 'stud-cli': 'Cancellation/TurnCancelled' },
  'extension.lifecycle': {
    'stud-cli': 'ExtensionHost/LifecycleFailure ExtensionHost/LifecyclePhaseInvalid',
  },
  'extension.cycle': { 'stud-cli': 'ExtensionHost/DependencyCycle' },
  'extension.missing': {
    'stud-cli': 'ExtensionHost/DependencyMissing Validation/ExtensionNotFound',
    cycgraph: 'MemoryWriterMissingError',
  },
  'extension.contract': {
    'stud-cli': 'ExtensionHost/IntegrityFailed',
    cycgraph: 'ToolDefinitionError BundleIntegrityError',
  },
  'internal.unexpected': {
    relavium: 'internal',
    cycgraph: 'CycgraphError',
    conductor: 'ConductorError',
    pipelex: 'PipelexError TemporalError ApplicationError UnrecoverableWorkflowFailureError',
  },
  'internal.invariant': {
    relavium:
      'RunLoopInvariantError both_correlation_keys no_correlation_key concurrent_consumer media_store_unavailable',
    'stud-cli':
      'Session/IllegalTransition ExtensionHost/ReentrantDelivery ExtensionHost/NonMonotonicClock ExtensionHost/OrderingInvariantViolated ExtensionHost/StackInvariantViolated',
  },
};

/** By system; empty for a kind that no other system names. */
export function aliasesOf(kind: RuntimeKind): Aliases {
  const names = Object.entries(NAMES[kind] ?? {});
  return Object.fromEntries(names.map(([system, text]) => [system, text.split(' ')]));
}

/** Returns several kinds if one name of another system covers several failures. */
export function kindsWithAlias(name: string): readonly RuntimeKind[] {
  return RUNTIME_KINDS.filter((kind) => aliasNames(kind).includes(name));
}

export function aliasNames(kind: RuntimeKind): readonly string[] {
  return Object.values(aliasesOf(kind)).flat();
}
