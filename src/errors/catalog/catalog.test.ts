import { describe, expect, it } from 'vitest';
import { aliasesOf, OTHER_SYSTEMS, type OtherSystem } from './aliases.ts';
import { CATALOG, catalogRow, RESERVED_PREFIXES, RUNTIME_KINDS } from './catalog.ts';
import { DOMAIN_ROW } from './domain-row.ts';
import type { CatalogRow } from './row.ts';
import type { Category, ErrorClass } from './vocabulary.ts';

/** The kinds of the design, class by class. */
const KINDS_BY_CLASS: Record<Exclude<ErrorClass, 'domain'>, string[]> = {
  validation: under(
    'validation',
    'workflow node_config unsupported contract_version input template',
  ),
  provider_transient: under(
    'provider',
    'rate_limited overloaded server_error timeout network conflict',
  ),
  provider_ambiguous: under('provider', 'stream_interrupted outcome_unknown'),
  provider_rejected: under(
    'provider',
    'auth permission not_configured model_not_found invalid_request tool_schema context_length request_too_large content_filter truncated unsupported quota_exhausted unknown',
  ),
  provider_capability: ['provider.capability_missing'],
  provider_spent: ['provider.exhausted'],
  tool_transient: [...under('tool', 'failed timeout busy'), 'mcp.unreachable'],
  tool_terminal: [
    ...under('tool', 'denied input_invalid output_malformed not_found forbidden unavailable'),
    'mcp.tool_failed',
  ],
  effect_unknown: ['effect.outcome_unknown'],
  agent: [
    ...under('agent', 'not_found load_failed permission_denied output_invalid output_rejected'),
    'supervisor.routing',
    'architect.failed',
  ],
  call: ['call.failed'],
  script: under(
    'internal',
    'script_error script_timeout script_unspawnable schema_violation output_too_large envelope_invalid',
  ),
  sandbox: under('sandbox', 'syntax runtime memory result timeout'),
  limit: under('limit', 'budget run_timeout node_timeout turns steps retries requests'),
  breaker: ['breaker.open'],
  group: under('group', 'failed quorum'),
  gate: under('gate', 'expired closed rejected no_one_to_ask'),
  route: [
    ...under('route', 'guard_failed no_match'),
    'assert.failed',
    'halt.intentional',
    'terminate.failed',
  ],
  session: [
    ...under('store', 'unavailable corrupt claim_lost'),
    ...under('run', 'already_active already_ended drifted resume_mismatch not_found'),
  ],
  request: [
    ...under(
      'request',
      'unauthenticated forbidden not_found method stale too_large media_type key_reused invalid limited',
    ),
    'workflow.not_found',
  ],
  cancellation: under('cancelled', 'run node tool call'),
  extension: under('extension', 'lifecycle cycle missing contract'),
  internal: under('internal', 'unexpected invariant'),
};

/** The category of each kind. An exact name wins over its prefix. */
const CATEGORY_OF = table<Category>([
  ['transient', 'provider.* tool.* mcp.unreachable sandbox.timeout breaker.*'],
  ['transient', 'store.unavailable run.already_active'],
  ['configuration', 'validation.* provider.auth provider.permission provider.not_configured'],
  ['configuration', 'provider.model_not_found provider.unsupported provider.capability_missing'],
  ['configuration', 'provider.tool_schema'],
  ['configuration', 'tool.not_found tool.unavailable agent.not_found internal.script_unspawnable'],
  ['configuration', 'route.* run.drifted run.resume_mismatch extension.*'],
  ['content', 'validation.input provider.invalid_request'],
  ['content', 'provider.context_length provider.request_too_large provider.content_filter'],
  [
    'content',
    'provider.truncated tool.input_invalid agent.output_invalid agent.output_rejected supervisor.*',
  ],
  ['content', 'architect.* run.already_ended run.not_found request.* workflow.not_found'],
  ['configuration', 'request.unauthenticated'],
  ['policy', 'request.forbidden'],
  ['transient', 'request.limited'],
  ['capacity', 'provider.quota_exhausted'],
  ['ambiguous', 'provider.stream_interrupted provider.outcome_unknown effect.*'],
  ['ambiguous', 'store.corrupt store.claim_lost'],
  ['policy', 'tool.denied tool.forbidden agent.permission_denied gate.*'],
  ['limit', 'limit.* internal.script_timeout'],
  ['domain', 'tool.output_malformed internal.schema_violation internal.envelope_invalid'],
  ['domain', 'internal.output_too_large'],
  ['domain', 'sandbox.* assert.* halt.* terminate.*'],
  ['cancelled', 'cancelled.*'],
  ['defect', 'internal.*'],
  ['unknown', 'provider.unknown mcp.tool_failed agent.load_failed call.* internal.script_error'],
  ['unknown', 'group.*'],
]);

const EXIT_OF = table<CatalogRow['exitCode']>([
  [1, 'internal.unexpected internal.invariant'],
  [2, 'validation.* run.* extension.* request.* workflow.* gate.closed'],
  [4, 'limit.*'],
  [6, 'store.*'],
  [130, 'cancelled.*'],
]);

const HTTP_OF = table<number>([
  [401, 'request.unauthenticated'],
  [403, 'request.forbidden'],
  [404, 'request.not_found workflow.not_found'],
  [405, 'request.method'],
  [412, 'request.stale'],
  [413, 'request.too_large'],
  [415, 'request.media_type'],
  [422, 'request.key_reused request.invalid'],
  [429, 'request.limited'],
  [403, 'tool.denied tool.forbidden agent.permission_denied gate.rejected'],
  [404, 'run.not_found'],
  [409, 'gate.expired gate.closed gate.no_one_to_ask store.claim_lost run.* cancelled.*'],
  [413, 'provider.request_too_large'],
  [422, 'validation.* provider.invalid_request provider.context_length'],
  [422, 'provider.content_filter provider.truncated tool.input_invalid limit.*'],
  [422, 'assert.* halt.* terminate.*'],
  [429, 'provider.rate_limited'],
  [502, 'provider.server_error provider.network provider.stream_interrupted'],
  [
    502,
    'provider.outcome_unknown tool.failed mcp.unreachable agent.output_invalid agent.output_rejected',
  ],
  [503, 'provider.overloaded provider.conflict provider.exhausted tool.busy breaker.*'],
  [503, 'store.unavailable'],
  [504, 'provider.timeout tool.timeout internal.script_timeout sandbox.timeout'],
  [504, 'limit.run_timeout limit.node_timeout'],
]);

/** Error names in the documents of these systems, in tables and in text. */
const NAMED_IN_THEIR_DOCUMENTS: Record<OtherSystem, string[]> = {
  relavium: words(`
    validation content_filter provider_auth provider_rate_limit provider_unavailable tool_denied
    tool_failed tool_unavailable budget_exceeded run_timeout turn_limit cancelled sandbox_error
    internal EngineStateError RunLoopInvariantError LlmError
  `),
  'stud-cli': words(`
    Validation/ShapeInvalid Validation/ContractVersionMismatch Validation/ConfigSchemaViolation
    ProviderTransient/NetworkTimeout ProviderTransient/Provider5xx ProviderTransient/RateLimited
    ProviderCapability/MissingStreaming ProviderCapability/MissingToolCalling
    ProviderCapability/ContextWindowTooSmall ToolTransient/ExecutionTimeout
    ToolTransient/ResourceBusy ToolTerminal/InputInvalid ToolTerminal/OutputMalformed
    ToolTerminal/Forbidden ToolTerminal/NotFound Session/ManifestDrift Session/StoreUnavailable
    Session/ResumeMismatch Cancellation/SessionCancelled Cancellation/TurnCancelled
    Cancellation/ToolCancelled ExtensionHost/LifecycleFailure ExtensionHost/DependencyCycle
    ExtensionHost/DependencyMissing
  `),
  cycgraph: words(`
    BudgetExceededError WorkflowTimeoutError NodeConfigError CircuitBreakerOpenError
    EventLogCorruptionError UnsupportedNodeTypeError PermissionDeniedError AgentTimeoutError
    AgentExecutionError AgentNotFoundError AgentLoadError SupervisorConfigError
    SupervisorRoutingError ArchitectError MCPGatewayError MCPToolExecutionError
    PersistenceUnavailableError
  `),
  conductor: words(`
    internal.script_error internal.schema_violation internal.undeclared_kind
    EnvelopeValidationError UnhandledNodeError UnhandledWorkflowError ValidationError
    ExecutionError ParallelAgentError ForEachError ConductorError ValueError
  `),
  pipelex: words(`
    LLMCompletionError LLMModelNotFoundError CogtError PipeRunError PipeRouterError
    PipelineExecutionError WorkflowExecutionError PipelexError TemporalError ApplicationError
    RateLimitError APIStatusError APIConnectionError APITimeoutError
  `),
};

/** Error names that only the code of these systems has, with a true counterpart here. */
const NAMED_IN_THEIR_CODE: Record<OtherSystem, string[]> = {
  relavium: words(`
    rate_limit overloaded timeout transport auth bad_request unknown unknown_model
    unsupported_tool_schema unsupported_capability invalid_base_url unknown_tool invalid_args
    capability_unavailable execution_failed not_granted provider_executed command_not_allowed
    domain_not_allowed insecure_url gate_required media_scope_denied user_rejected
    approval_error no_approval_hook syntax runtime scope memory stack result_type
    non_serializable unresolved_reference unknown_namespace unknown_filter filter_arity
    filter_type unserializable invalid_path read_file_unavailable read_file_failed aborted
    invalid_yaml invalid_graph schema_validation secret_interpolation unknown_run
    run_already_active run_already_terminal workflow_mismatch pending_gate_requires_decision
    run_not_paused unknown_gate invalid_decision both_correlation_keys no_correlation_key
    concurrent_consumer media_store_unavailable invalid_invocation config_error not_implemented
  `),
  'stud-cli': words(`
    Validation/UnknownTopLevelKey Validation/SettingsShapeInvalid
    Validation/ManifestShapeInvalid Validation/UnknownConfigKey
    Validation/StageDefinitionInvalid Validation/MCPServerConfigInvalid
    Validation/ContractVersionBumpInvalid Validation/UnsupportedFlag
    Validation/UnsupportedPlatform Validation/ArgumentMissing Validation/UnknownFlag
    Validation/ContextOverflow Validation/ContextMutationForbidden
    Validation/NoInteractorsAttached Validation/HeadlessInteractionRequired
    Validation/MissingHeadlessDefaults Validation/EnvNameNotSet
    Validation/MCPServerNotRegistered Validation/ExtensionNotFound
    ProviderTransient/Unauthorized ProviderTransient/EndpointNotFound
    ProviderTransient/StreamError ProviderTransient/ProviderProcessFailed
    ProviderTransient/MCPConnectionLost ProviderCapability/MissingCapability
    ProviderCapability/OutputMalformed ToolTransient/ResourceFetchFailed
    ToolTerminal/ApprovalDenied ToolTerminal/CommandRejected ToolTerminal/NetworkDenied
    ToolTerminal/AmbiguousMatch ToolTerminal/MCPToolFailed ToolTerminal/MCPResourceEmpty
    ToolTerminal/ResourceOverBytesCap ToolTerminal/ToolNotRegistered
    ToolTerminal/ToolExecutionFailed Session/NoSnapshot Session/InteractionAlreadyAnswered
    Session/SlotMigrationFailed Session/NoInteractorAttached Session/StateUnavailable
    Session/SlotDriftRejected Session/ProviderProtocolViolation Session/ToolExecutionFailed
    Session/IllegalTransition Cancellation/StageCancelled ExtensionHost/LifecyclePhaseInvalid
    ExtensionHost/IntegrityFailed ExtensionHost/LoopBoundExceeded
    ExtensionHost/StageNotRegistered ExtensionHost/ParallelSiblingFailure
    ExtensionHost/JoinPreconditionViolated ExtensionHost/InvalidParallelPlan
    ExtensionHost/ConcurrentTurnForbidden ExtensionHost/ReentrantDelivery
    ExtensionHost/NonMonotonicClock ExtensionHost/OrderingInvariantViolated
    ExtensionHost/StackInvariantViolated ExtensionHost/SlotAccessDenied
    ExtensionHost/CommandExecFailed ExtensionHost/NotImplemented
  `),
  cycgraph: words(`
    CycgraphError NodeBudgetExceededError NoMatchingEdgeError VerificationFailedError
    MemoryWriterMissingError SubgraphIncompleteError SubgraphInterfaceError A2AInterfaceError
    A2ATaskFailedError UnsupportedProviderError MCPServerNotFoundError MCPAccessDeniedError
    ToolCircuitBreakerOpenError StaleClaimError EventSequenceConflictError MissingRunRecordError
    SecurityPolicyViolationError SideEffectBlockedError ForkError ForkPointError
    ReplayVersionMismatchError ToolNotRegisteredError CapabilityViolationError
    ToolDefinitionError BundleIntegrityError GraphSpecError TargetError OverlayError ApplyError
    AgentSpecError EmbeddingDimensionMismatchError A2ACredentialError SsrfBlockedError
    WorkspaceEscapeError
  `),
  conductor: words(`
    internal.script_error_transport provider.exhausted retry.exhausted halt.intentional
    ConfigurationError TemplateError ProviderError MaxIterationsError TimeoutError
    AgentTimeoutError BudgetExceededError HumanGateError WorkflowTerminated
    SubworkflowTerminatedError InterruptError CheckpointError RetryableError
  `),
  pipelex: words(`
    LLMCompletionTruncatedError LLMCompletionRefusedError LLMHandleNotFoundError
    ExtractHandleNotFoundError ImgGenHandleNotFoundError ModelNotFoundError
    ModelChoiceNotFoundError ImgGenGenerationError ExtractJobFailureError SearchJobFailureError
    JudgmentJobFailureError MissingCredentialsError ValidationError
    UnrecoverableWorkflowFailureError
  `),
};

const rows = Object.entries<CatalogRow>(CATALOG);

describe('the kinds', () => {
  it.each(RUNTIME_KINDS)('%s fits the grammar', (kind) => {
    expect(kind).toMatch(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/);
  });

  it('are those of the design, class by class, and no others', () => {
    const byClass = Object.groupBy(rows, ([, row]) => row.class);
    const found = Object.entries(byClass).map(([name, members]) => [
      name,
      (members ?? []).map(([kind]) => kind).toSorted(),
    ]);
    const designed = Object.entries(KINDS_BY_CLASS).map(([name, kinds]) => [
      name,
      kinds.toSorted(),
    ]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(designed));
  });

  it('give the reserved prefixes their names', () => {
    const prefixes = `
      validation provider tool mcp effect agent supervisor architect call internal sandbox limit
      breaker group gate route assert halt terminate store run request workflow cancelled extension
    `;
    expect(RESERVED_PREFIXES).toEqual(new Set(words(prefixes)));
    expect(RESERVED_PREFIXES.has('external')).toBe(false);
  });
});

describe.each(OTHER_SYSTEMS)('the names of %s', (system) => {
  const aliases = new Set(RUNTIME_KINDS.flatMap((kind) => aliasesOf(kind)[system] ?? []));

  it.each(NAMED_IN_THEIR_DOCUMENTS[system])('%s leads to a row', (name) => {
    expect(aliases).toContain(name);
  });

  it.each(NAMED_IN_THEIR_CODE[system])('%s, from its code, leads to a row', (name) => {
    expect(aliases).toContain(name);
  });

  it('have no other spelling', () => {
    const known = new Set([...NAMED_IN_THEIR_DOCUMENTS[system], ...NAMED_IN_THEIR_CODE[system]]);
    expect([...aliases].filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('the texts', () => {
  const texts: [string, CatalogRow][] = [...rows, ['(raised by authors)', DOMAIN_ROW]];

  it('have a different title for each kind', () => {
    const titles = texts.map(([, row]) => row.title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  it.each(texts)('of %s are short titles, whole paragraphs and advice', (_kind, row) => {
    expect(row.title.length).toBeLessThanOrEqual(60);
    expect(row.title).not.toMatch(/\.$/);
    expect(row.title.split(' ').length).toSatisfy((words: number) => words >= 2 && words <= 5);
    expect(row.help.length).toBeGreaterThanOrEqual(200);
    expect(row.help.length).toBeLessThanOrEqual(900);
    expect(row.help).toMatch(/\.$/);
    expect(row.help).not.toMatch(/\b(we|our|us|simply|just|easily)\b|\n| {2}/i);
    const sentences = row.help.match(/\.(?= |$)/g) ?? [];
    expect(sentences.length).toSatisfy((count: number) => count >= 3 && count <= 5);
    expect(row.action.detail).toMatch(/\.$/);
  });
});

describe('the facts', () => {
  it.each(rows)('of %s are its category, exit code and HTTP status', (kind, row) => {
    expect(row.category).toBe(factFor(CATEGORY_OF, kind));
    expect(row.exitCode).toBe(factFor(EXIT_OF, kind) ?? 3);
    expect(row.httpStatus).toBe(factFor(HTTP_OF, kind) ?? 500);
  });

  it.each(rows)('of %s agree with each other', (kind, row) => {
    if (row.category === 'content') expect(row.domain).toBe('input');
    if (row.category === 'configuration') expect(row.domain).not.toBe('runtime');
    if (row.category !== 'content' && row.category !== 'configuration') {
      expect(row.domain).toBe('runtime');
    }
    if (row.exitCode === 2) expect(row.outcome).toBe('not_started');
    if (row.schedule !== null) expect(row.category).toBe('transient');
    expect(row.class === 'limit').toBe(kind.startsWith('limit.'));
    expect(row.class === 'cancellation').toBe(row.category === 'cancelled');
    expect(row.category === 'defect').toBe(row.exitCode === 1);
  });

  it('give the outcome where it is not "failed"', () => {
    const outcomes: Record<string, string[]> = {
      partial: [...under('provider', 'stream_interrupted truncated'), 'internal.script_timeout'],
      unknown: ['provider.outcome_unknown', 'effect.outcome_unknown'],
      not_started: [
        'provider.capability_missing',
        ...under('tool', 'denied forbidden input_invalid not_found unavailable'),
        'internal.script_unspawnable',
        'breaker.open',
      ],
    };
    for (const [outcome, kinds] of Object.entries(outcomes)) {
      for (const kind of kinds) expect([kind, catalogRow(kind)?.outcome]).toEqual([kind, outcome]);
    }
  });

  it('are inherited from the cause by four wrappers only', () => {
    expect(rows.filter(([, row]) => row.inherits).map(([kind]) => kind)).toEqual([
      'provider.exhausted',
      'agent.load_failed',
      'group.failed',
      'group.quorum',
    ]);
  });

  it('hold the default schedules of the design and no others', () => {
    const short = { attempts: 3, waitsMs: [1000, 2000] };
    const schedules = rows.flatMap(([kind, { schedule }]) =>
      schedule === null ? [] : [[kind, schedule]],
    );
    expect(Object.fromEntries(schedules)).toEqual({
      'provider.rate_limited': {
        attempts: 6,
        waitsMs: [5000, 10_000, 20_000, 40_000, 80_000],
      },
      'provider.overloaded': short,
      'provider.server_error': short,
      'provider.timeout': short,
      'provider.network': short,
      'provider.conflict': short,
      'store.unavailable': { attempts: 3, waitsMs: [2000, 4000] },
    });
  });

  it('of kinds that authors raise are one row', () => {
    expect(DOMAIN_ROW).toMatchObject({
      class: 'domain',
      category: 'domain',
      domain: 'runtime',
      outcome: 'failed',
      schedule: null,
      exitCode: 3,
      httpStatus: 422,
      title: 'Raised by the workflow',
      action: { kind: 'handle_error', detail: 'Add a route for this kind, or fix what raised it.' },
    });
  });
});

describe('catalogRow', () => {
  it('finds the row of every runtime kind', () => {
    for (const kind of RUNTIME_KINDS) expect(catalogRow(kind)).toBe(CATALOG[kind]);
  });

  it.each([
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '',
    'provider',
    'external.git.drift',
  ])('finds nothing under "%s"', (name) => {
    expect(catalogRow(name)).toBeUndefined();
  });
});

function under(prefix: string, names: string): string[] {
  return words(names).map((name) => `${prefix}.${name}`);
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function table<T>(entries: readonly (readonly [T, string])[]): ReadonlyMap<string, T> {
  return new Map(entries.flatMap(([value, kinds]) => words(kinds).map((kind) => [kind, value])));
}

/** The entry for the kind itself, else the one for everything under its prefix. */
function factFor<T>(facts: ReadonlyMap<string, T>, kind: string): T | undefined {
  return facts.get(kind) ?? facts.get(`${kind.split('.')[0]}.*`);
}
