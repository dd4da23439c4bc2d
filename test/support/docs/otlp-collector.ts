type Value = Readonly<{
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
  doubleValue?: number;
  arrayValue?: object;
}>;
type Span = Readonly<{
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number; message?: string };
  attributes: { key: string; value: Value }[];
  events: { name: string; timeUnixNano: string }[];
}>;

/** The attributes of a span or resource by their keys. */
export const attributesOf = ({ attributes }: Pick<Span, "attributes">) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A collector of OpenTelemetry that speaks OTLP over HTTP; spans and metrics are read where they come as JSON. */
export function startCollector(port = 0) {
  const received: { path: string; type: string | null; key: string | null; bytes: Uint8Array }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    async fetch(request) {
      const { headers } = request;
      const [type, key] = [headers.get("content-type"), headers.get("x-key")];
      received.push({ path: new URL(request.url).pathname, type, key, bytes: await request.bytes() });
      return Response.json({});
    },
  });
  const documents = (path: string) =>
    received.filter((one) => one.path === path).map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)));
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    spans: (): Span[] =>
      documents("/v1/traces").flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
          scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    resources: () => documents("/v1/traces").map(({ resourceSpans }) => attributesOf(resourceSpans[0].resource)),
    metrics: () =>
      documents("/v1/metrics").flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap(({ scopeMetrics }: { scopeMetrics: { metrics: { name: string }[] }[] }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics),
        ),
      ),
    stop: () => server.stop(true),
  };
}
