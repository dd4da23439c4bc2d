import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../../server/config.ts";
import { startTelemetry } from "./telemetry.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
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
    const telemetry = await startTelemetry({
      ...config,
      endpoint: config.endpoint ?? "",
      version: "1",
      instanceId: "i",
    });
    const trace = telemetry.begin(
      {
        request: new Request("http://localhost/v1/chat/completions"),
        endpoint: { capability: "chat" },
        summary: { model: "m", stream: false },
      },
      { startedAtMs: performance.now() },
    );
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
