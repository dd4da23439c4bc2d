import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Registry } from "prom-client";
import { silentLog } from "../../../../test/support/billing/start-billing.ts";
import { readConfig } from "../../../server/config.ts";
import { startTelemetry } from "./telemetry.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const callOf = (model: string, headers: Record<string, string> = {}) => ({
  request: new Request("http://localhost/v1/chat/completions", { headers }),
  endpoint: { capability: "chat" as const, codec: { dialect: "openai-chat" as const } },
  summary: { model, stream: false },
  body: { json: {} },
});

const PAGE = readFileSync(join(import.meta.dir, "../../../../docs/operate/monitoring/telemetry.md"), "utf8");

/** The services that the documentation names, with the values that it says to set. */
const SERVICES = [...PAGE.matchAll(/^\| \[(\w+)\]\([^)]+\)[^|]*\| `(https:[^`]+)`[^|]*\| `([^`]+)`/gm)].map(
  ([, name = "", endpoint = "", headers = ""]) => [name, endpoint, headers.replaceAll("…", "secret")] as const,
);

test("the documentation names four services and their addresses", () => {
  expect(SERVICES.map(([name]) => name)).toEqual(["Langfuse", "LangSmith", "Honeycomb", "Datadog"]);
});

test.each(SERVICES)(
  "%s receives traces and metrics where it expects them, with its key",
  async (_name, address, pairs) => {
    const received: { path: string; type: string | null; headers: Headers }[] = [];
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch({ url, headers }) {
        received.push({ path: new URL(url).pathname, type: headers.get("content-type"), headers });
        return new Response();
      },
    });
    stops.push(() => server.stop(true));
    const { pathname } = new URL(address);
    const variables = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${server.port}${pathname}`,
      OTEL_EXPORTER_OTLP_HEADERS: pairs,
    };
    const { telemetry: config } = readConfig(variables);
    const telemetry = await startTelemetry(
      { ...config, endpoint: config.endpoint ?? "", version: "1", instanceId: "i" },
      { log: silentLog, metrics: new Registry() },
    );
    const trace = telemetry.begin(callOf("m"), { startedAtMs: performance.now() });
    trace.beginAttempt({
      provider: { type: 1, name: "OpenAI" },
      channel: { id: 1, name: "a" },
      upstreamModel: "gpt-4o",
    });
    trace.failAttempt({ channelId: 1, channelName: "a", status: 500, startMs: 0, firstByteMs: null, endMs: 1 });
    await telemetry.close();
    const [traces] = received.filter(({ path }) => path.endsWith("/v1/traces"));
    expect(traces).toMatchObject({ path: `${pathname.replace(/\/$/, "")}/v1/traces`, type: "application/x-protobuf" });
    for (const pair of pairs.split(",")) {
      const at = pair.indexOf("=");
      expect(traces?.headers.get(pair.slice(0, at))).toBe(decodeURIComponent(pair.slice(at + 1)));
    }
  },
);

/** How many calls of each model were exported of ten, under these variables; callers' traces are sampled. */
async function exportedCalls(variables: Readonly<Record<string, string>>, hasParent = false) {
  const spans: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (new URL(request.url).pathname === "/v1/traces") spans.push(await request.text());
      return Response.json({});
    },
  });
  stops.push(() => server.stop(true));
  const endpoint = `http://127.0.0.1:${server.port}`;
  const protocol = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
  const { telemetry: config } = readConfig({ ...protocol, ...variables });
  const telemetry = await startTelemetry(
    { ...config, endpoint, version: "1", instanceId: "i" },
    { log: silentLog, metrics: new Registry() },
  );
  const models = ["gpt-4o", "gpt-4o-mini", "claude-sonnet-4-5"];
  for (const model of models) {
    for (let at = 0; at < 10; at += 1) {
      const headers: Record<string, string> = hasParent
        ? { traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01` }
        : {};
      const trace = telemetry.begin(callOf(model, headers), { startedAtMs: performance.now() });
      const channel = { id: 1, name: "a" };
      trace.beginAttempt({ provider: { type: 1, name: "OpenAI" }, channel, upstreamModel: `upstream of ${model}` });
      trace.failAttempt({ channelId: 1, channelName: "a", status: 500, startMs: 0, firstByteMs: null, endMs: 1 });
    }
  }
  await telemetry.close();
  const text = spans.join();
  return models.map((model) => text.split(`"upstream of ${model}"`).length - 1);
}

const RULES = "gpt-4o=1,gpt-*=0";

test.each([
  ["the first rule that fits decides, else the sampler", { OTEL_TRACES_SAMPLER_MODELS: RULES }, false, [10, 0, 10]],
  ["a caller's decision counts first", { OTEL_TRACES_SAMPLER_MODELS: RULES }, true, [10, 10, 10]],
  [
    "not for samplers that ignore it",
    { OTEL_TRACES_SAMPLER_MODELS: RULES, OTEL_TRACES_SAMPLER: "always_off" },
    true,
    [10, 0, 0],
  ],
  ["without rules the sampler decides", { OTEL_TRACES_SAMPLER: "always_off" }, false, [0, 0, 0]],
] as const)("sampling by model: %s", async (_, variables, hasParent, counts) =>
  expect(await exportedCalls(variables, hasParent)).toEqual([...counts]),
);

test.each(["gpt-4o", "gpt-4o=", "gpt-4o=2", "gpt-4o=x"])("%p is no list of shares", (value) =>
  expect(() => readConfig({ OTEL_TRACES_SAMPLER_MODELS: value })).toThrow("OTEL_TRACES_SAMPLER_MODELS"),
);
