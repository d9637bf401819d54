/**
 * Errand's declarations of Temporal's SDK against the real types: compiled, never run. A line that
 * does not compile means that somebody has to look at a new version of the SDK.
 */
import type * as activity from '../temporal-sdk/node_modules/@temporalio/activity/lib/index.js';
import type * as client from '../temporal-sdk/node_modules/@temporalio/client/lib/index.js';
import type * as envconfig from '../temporal-sdk/node_modules/@temporalio/envconfig/lib/index.js';
import type * as worker from '../temporal-sdk/node_modules/@temporalio/worker/lib/index.js';
import type * as workflow from '../temporal-sdk/node_modules/@temporalio/workflow/lib/index.js';
import type * as declared from '@temporalio/workflow';
import type {
  ActivityClient,
  ActivityModule,
  ClientModule,
  Connection,
  EnvconfigModule,
  GrpcCall,
  GrpcListener,
  GrpcStatus,
  WorkerModule,
  WorkerOptions,
  WorkflowClient,
} from '../../src/engine/temporal/temporal-sdk.ts';

type ConnectingOptions = Parameters<ClientModule['Connection']['connect']>[0];
type RealInterceptor = NonNullable<client.ConnectionOptions['interceptors']>[number];
type RealCall = ReturnType<Parameters<RealInterceptor>[1]>;
type RealListener = Required<NonNullable<Parameters<RealCall['start']>[1]>>;
type Is<Real extends Declared, Declared> = Real;

export type Checked = [
  Is<typeof activity.Context, ActivityModule['Context']>,
  Is<typeof activity.ApplicationFailure, ActivityModule['ApplicationFailure']>,
  Is<client.Client['activity'], ActivityClient>,
  Is<client.Connection['close'], Connection['close']>,
  Is<client.WorkflowClient['getHandle'], WorkflowClient['getHandle']>,
  Is<
    typeof client.Connection.connect,
    (options: Omit<ConnectingOptions, 'interceptors'>) => Promise<Connection>
  >,
  // gRPC declares a class with private fields where any call will do
  Is<keyof RealCall, keyof GrpcCall>,
  Is<keyof GrpcCall, keyof RealCall>,
  Is<RealCall['cancelWithStatus'], GrpcCall['cancelWithStatus']>,
  Is<keyof GrpcListener, keyof RealListener>,
  Is<Parameters<RealListener['onReceiveStatus']>[0], GrpcStatus>,
  Is<typeof client.defaultGrpcRetryOptions, ClientModule['defaultGrpcRetryOptions']>,
  Is<typeof envconfig.loadClientConfigProfile, EnvconfigModule['loadClientConfigProfile']>,
  Is<worker.Worker['shutdown'], () => void>,
  Is<typeof worker.NativeConnection.connect, WorkerModule['NativeConnection']['connect']>,
  Is<Omit<WorkerOptions, 'connection'>, Omit<worker.WorkerOptions, 'connection'>>,
  Is<
    Omit<Parameters<WorkerModule['bundleWorkflowCode']>[0], 'webpackConfigHook'>,
    worker.BundleOptions
  >,
  Is<keyof typeof workflow, string>,
  Is<keyof typeof declared, keyof typeof workflow>,
  Is<ReturnType<typeof workflow.workflowInfo>, ReturnType<typeof declared.workflowInfo>>,
  Is<typeof workflow.sleep, typeof declared.sleep>,
  Is<typeof workflow.upsertMemo, typeof declared.upsertMemo>,
  Is<typeof workflow.proxyActivities, (options: declared.ActivityOptions) => unknown>,
];
