/** Traces and metrics of calls through the executable, as a collector of OpenTelemetry receives them. */
import { afterEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { attributesOf, startCollector } from "../../support/docs/otlp-collector.ts";
import { createChannel, setOption } from "../../support/e2e/console-client.ts";
import { UPSTREAM_KEY } from "../../support/e2e/fake-upstream/fake-upstream.ts";
import { CHEAPEST_ENGINE, type Fixture, startFixture } from "../../support/e2e/fixture.ts";
import { freePort } from "../../support/lib/free-port.ts";
import { until } from "../../support/lib/until.ts";

const MODEL = "gpt-4o";
const PARENT = { trace: "4bf92f3577b34da6a3ce929d0e0e4736", span: "00f067aa0ba902b7" };

let fixture: Fixture | null = null;
let collector = startCollector();
afterEach(async () => {
  await fixture?.stop();
  await collector.stop();
  fixture = null;
  collector = startCollector();
});

const startExporting = (url: string, env: Record<string, string> = {}): Promise<Fixture> =>
  startFixture([MODEL], { engine: CHEAPEST_ENGINE, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env } });

async function start(env: Record<string, string>): Promise<Fixture> {
  fixture = await startExporting(collector.url, env);
  return fixture;
}

const call = ({ gateway, key }: Fixture, body: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello there" }], ...body }),
  });

type Times = Readonly<{ startTimeUnixNano: string; endTimeUnixNano: string }>;

const isWithin = (inner: Times, outer: Times): boolean =>
  BigInt(outer.startTimeUnixNano) <= BigInt(inner.startTimeUnixNano) &&
  BigInt(inner.startTimeUnixNano) <= BigInt(inner.endTimeUnixNano) &&
  BigInt(inner.endTimeUnixNano) <= BigInt(outer.endTimeUnixNano);

/** Ends the gateway, so that everything has been exported. */
async function exported(): Promise<void> {
  await fixture?.stop();
  fixture = null;
}

test("a call is a trace: the caller's, the gateway's span, one of each attempt, and the upstream goes on with it", async () => {
  const { upstream, root } = await start({
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=open%20sesame",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  await setOption(root, "RetryTimes", 1);
  // Chosen first, and fails.
  await createChannel(root, upstream.url, [MODEL], { key: "sk-wrong", priority: 10, name: "broken" });
  if (!fixture) throw new Error("not started");
  const reply = await call(
    fixture,
    { stream: true, max_tokens: 50, temperature: 0.5 },
    { traceparent: `00-${PARENT.trace}-${PARENT.span}-01` },
  );
  expect(reply.status).toBe(200);
  await reply.text();
  const sent = upstream.requests.map(({ headers }) => headers.get("traceparent"));
  await exported();

  const spans = collector.spans();
  const server = spans.find(({ kind }) => kind === 2);
  const attempts = spans.filter(({ kind }) => kind === 3);
  expect(spans.map(({ traceId }) => traceId)).toEqual([PARENT.trace, PARENT.trace, PARENT.trace]);
  expect(server).toMatchObject({ name: "gateway chat", parentSpanId: PARENT.span });
  expect(attributesOf(server ?? { attributes: [] })).toMatchObject({
    "gen_ai.request.model": MODEL,
    "http.response.status_code": 200,
    "sluice.user.id": 1,
    "sluice.request.id": expect.any(String),
  });
  expect(attempts.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    [`chat ${MODEL}`, server?.spanId],
    [`chat ${MODEL}`, server?.spanId],
  ]);
  const [failed, answered] = attempts;
  if (!failed || !answered) throw new Error("two attempts were expected");
  expect(failed.status.code).toBe(2);
  expect(attributesOf(failed)).toMatchObject({ "error.type": "401", "sluice.channel.name": "broken" });
  expect(attributesOf(answered)).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": MODEL,
    "gen_ai.usage.input_tokens": expect.any(Number),
    "gen_ai.usage.output_tokens": expect.any(Number),
    "gen_ai.request.max_tokens": 50,
    "gen_ai.request.temperature": 0.5,
    "gen_ai.response.id": expect.any(String),
    "gen_ai.response.model": expect.any(String),
    "gen_ai.response.finish_reasons": { values: [{ stringValue: "stop" }] },
    "server.address": "127.0.0.1",
    "server.port": Number(new URL(upstream.url).port),
  });
  expect(answered.events.map(({ name }) => name)).toEqual(["gen_ai.first_token"]);
  expect(sent).toEqual(attempts.map(({ spanId }) => `00-${PARENT.trace}-${spanId}-01`));
  for (const span of spans) expect(isWithin(span, span)).toBe(true);
  for (const attempt of attempts) expect(server && isWithin(attempt, server)).toBe(true);
  const [first] = answered.events.map(({ timeUnixNano }) => timeUnixNano);
  expect(isWithin({ startTimeUnixNano: first ?? "", endTimeUnixNano: first ?? "" }, answered)).toBe(true);
  expect(collector.received.map(({ key }) => key).filter((key) => key !== "open sesame")).toEqual([]);
  expect(collector.resources()[0]).toMatchObject({
    "service.name": "sluice",
    "service.version": expect.any(String),
    "deployment.environment.name": "test",
  });
  // No message content, and no key.
  const everything = JSON.stringify(spans);
  expect(everything).not.toContain("hello there");
  expect(everything).not.toContain("sk-wrong");
  expect(everything).not.toContain(UPSTREAM_KEY);
  expect(collector.metrics().map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "gen_ai.client.operation.duration",
      "gen_ai.server.request.duration",
      "gen_ai.server.time_to_first_token",
      "gen_ai.client.token.usage",
    ]),
  );
});

test("a caller's trace that is not sampled stays so, and is handed on; contents are exported where asked for", async () => {
  const started = await start({
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  });
  expect((await call(started, {}, { traceparent: `00-${PARENT.trace}-${PARENT.span}-00` })).status).toBe(200);
  expect(started.upstream.requests.at(-1)?.headers.get("traceparent")).toMatch(
    new RegExp(`^00-${PARENT.trace}-[0-9a-f]{16}-00$`),
  );
  expect((await call(started, { model: "nobody-has-it" })).status).toBe(404);
  expect((await call(started)).status).toBe(200);
  await (await call(started, { stream: true })).text();
  await exported();
  const spans = collector.spans();
  expect(spans.map(({ traceId }) => traceId)).not.toContain(PARENT.trace);
  expect(spans.map(({ name }) => name).sort()).toEqual([
    `chat ${MODEL}`,
    `chat ${MODEL}`,
    "gateway chat",
    "gateway chat",
    "gateway chat",
  ]);
  const refused = spans.find(({ status }) => status.code === 2);
  expect(attributesOf(refused ?? { attributes: [] })).toMatchObject({ "error.type": "404" });
  // The same for an answer as a whole and as a stream.
  for (const attempt of spans.filter(({ kind }) => kind === 3)) {
    const { "gen_ai.input.messages": input, "gen_ai.output.messages": output } = attributesOf(attempt);
    expect(JSON.parse(String(input))).toEqual([{ role: "user", parts: [{ type: "text", content: "hello there" }] }]);
    expect(JSON.parse(String(output))).toEqual([
      {
        role: "assistant",
        parts: [{ type: "text", content: expect.stringMatching(/\w/) }],
        finish_reason: "stop",
      },
    ]);
  }
});

test("protobuf is the default; a collector that is away costs no call and no end", async () => {
  const started = await start({});
  expect((await call(started)).status).toBe(200);
  await exported();
  const traces = collector.received.filter(({ path }) => path === "/v1/traces");
  expect(traces.map(({ type }) => type)).toEqual(["application/x-protobuf"]);
  expect(new TextDecoder().decode(traces[0]?.bytes)).toContain("gateway chat");

  const away = await startExporting("http://127.0.0.1:9");
  expect((await call(away)).status).toBe(200);
  await away.stop();
});

test("spans of an outage arrive after it, and the outage shows in the log and the metrics", async () => {
  const port = await freePort();
  const away = await startExporting(`http://127.0.0.1:${port}`, {
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    // An attempt is given up so soon; the library repeats it until then.
    OTEL_EXPORTER_OTLP_TIMEOUT: "500",
    LOG_LEVEL: "warn",
  });
  const spansNow = async () => {
    const text = await (await fetch(`${away.gateway.url}/metrics`)).text();
    return Object.fromEntries(
      [...text.matchAll(/^sluice_telemetry_spans\{state="(\w+)"\} (\d+)$/gm)].map(([, state, count]) => [
        state,
        Number(count),
      ]),
    );
  };
  for (let at = 0; at < 20; at += 1) expect((await call(away)).status).toBe(200);
  await until(async () => (await spansNow()).waiting === 40);
  await until(() => away.gateway.output().includes("does not answer"));
  const late = startCollector(port);
  await until(async () => (await spansNow()).sent === 40);
  expect(await spansNow()).toEqual({ sent: 40, dropped: 0, waiting: 0 });
  await away.stop();
  expect(late.spans()).toHaveLength(40);
  expect(away.gateway.output().match(/collector of OpenTelemetry does not answer/g)).toHaveLength(1);
  await late.stop();
});

test("gRPC", async () => {
  const received: Buffer[] = [];
  const server = new Server();
  const bytes = (value: Buffer) => value;
  const exportOf = (path: string) => ({
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  });
  for (const signal of ["trace.v1.TraceService", "metrics.v1.MetricsService"]) {
    server.addService(
      { Export: exportOf(`/opentelemetry.proto.collector.${signal}/Export`) },
      {
        Export(exporting: { request: Buffer }, done: (error: null, reply: Buffer) => void) {
          received.push(exporting.request);
          done(null, Buffer.alloc(0));
        },
      },
    );
  }
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  );
  const started = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await promise}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
  });
  expect((await call(started)).status).toBe(200);
  await exported();
  server.forceShutdown();
  const text = Buffer.concat(received).toString("latin1");
  expect(text).toContain("gateway chat");
  expect(text).toContain("gen_ai.server.request.duration");
});

/** OpenTelemetry's own collector, where one is installed. */
const COLLECTOR = Bun.which("otelcol") ?? Bun.which("otelcol-contrib");

test.if(COLLECTOR !== null)("OpenTelemetry's collector accepts traces and metrics in every protocol", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-otelcol-"));
  const file = join(folder, "out.json");
  const [http, grpc] = [await freePort(), await freePort()];
  const pipeline = { receivers: ["otlp"], exporters: ["file"] };
  const config = {
    receivers: {
      otlp: { protocols: { http: { endpoint: `127.0.0.1:${http}` }, grpc: { endpoint: `127.0.0.1:${grpc}` } } },
    },
    exporters: { file: { path: file } },
    service: { telemetry: { metrics: { level: "none" } }, pipelines: { traces: pipeline, metrics: pipeline } },
  };
  // JSON is YAML.
  await Bun.write(join(folder, "config.yaml"), JSON.stringify(config));
  const child = Bun.spawn([COLLECTOR ?? "", "--config", join(folder, "config.yaml")], { stderr: "pipe" });
  try {
    const isUp = () =>
      fetch(`http://127.0.0.1:${http}/v1/traces`).then(
        () => true,
        () => false,
      );
    await until(isUp);
    const targets = [
      ["http/protobuf", http],
      ["http/json", http],
      ["grpc", grpc],
    ] as const;
    for (const [protocol, port] of targets) {
      const started = await start({
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_SERVICE_NAME: protocol,
      });
      expect((await call(started)).status).toBe(200);
      await exported();
    }
  } finally {
    // What it has received is written by then.
    child.kill("SIGTERM");
    await child.exited;
  }
  const lines = (await Bun.file(file).text()).trim().split("\n");
  for (const protocol of ["http/protobuf", "http/json", "grpc"]) {
    const own = lines.filter((line) => line.includes(`"${protocol}"`)).join("\n");
    expect(own).toContain('"gateway chat"');
    expect(own).toContain(`"chat ${MODEL}"`);
    expect(own).toContain('"gen_ai.client.token.usage"');
  }
  await rm(folder, { recursive: true, force: true });
});
