/** An OTLP receiver on the loopback interface that keeps everything that commands send to it. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { OtlpMetric } from './prometheus.ts';
import { spansIn, type OtlpRequest, type OtlpSpan } from './offline.ts';

export interface Receiver {
  readonly url: string;
  /** Everything that was sent, as text. */
  readonly bodies: string[];
  /** Called after each request with spans. */
  onTraces: () => void;
  spans(): readonly OtlpSpan[];
  metrics(): readonly OtlpMetric[];
  metricNames(): ReadonlySet<string>;
  close(): void;
}

interface MetricsRequest {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
}

export async function openReceiver(): Promise<Receiver> {
  const bodies: string[] = [];
  const traces: OtlpRequest[] = [];
  const metrics: MetricsRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      bodies.push(body);
      // the exporter is set to JSON
      if (request.url === '/v1/traces') traces.push(JSON.parse(body) as OtlpRequest);
      if (request.url === '/v1/metrics') metrics.push(JSON.parse(body) as MetricsRequest);
      if (request.url === '/v1/traces') receiver.onTraces();
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    onTraces: () => undefined,
    spans: () => traces.flatMap(spansIn),
    metrics: () =>
      metrics.flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap((scope) => scope.metrics),
        ),
      ),
    metricNames: () => new Set(receiver.metrics().map(({ name }) => name)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
