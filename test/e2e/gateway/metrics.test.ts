import { afterAll, beforeAll, expect, test } from "bun:test";
import { createApiKey } from "../../support/e2e/console-client.ts";
import { type Fixture, startFixture } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const ROOT = `${import.meta.dir}/../../..`;
const SUFFIX = /_(bucket|sum|count)$/;

let fixture: Fixture;
beforeAll(async () => {
  // Nobody listens there: their metrics are shown all the same.
  const env = { REDIS_URL: "redis://127.0.0.1:1", OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" };
  fixture = await startFixture(["gpt-4o", "hold-after-2", "err-500"], { env });
}, 60_000);
afterAll(() => fixture.stop());

/** Of a log in a database of its own (own-log.test.ts). */
const OF_OWN_LOG = ["sluice_log_database_up", "sluice_log_waiting_rows"];

const readMetrics = async () => (await fetch(`${fixture.gateway.url}/metrics`)).text();

/** The value of one series; undefined: it is not there. */
function sampleOf(text: string, series: string): number | undefined {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const namesOf = (text: string): string[] => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name).sort();

const post = (model: string, key = fixture.key, stream = false) =>
  fetch(`${fixture.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "hello" }] }),
  });

test("docs/operate/metrics.md lists all metrics, and no others", async () => {
  const documented = [...(await Bun.file(`${ROOT}/docs/operate/metrics.md`).text()).matchAll(/^\| `(\w+)` *\|/gm)];
  const names = documented.map(([, name = ""]) => name).sort();
  expect(names).toEqual(expect.arrayContaining(OF_OWN_LOG));
  expect(names.filter((name) => !OF_OWN_LOG.includes(name))).toEqual(namesOf(await readMetrics()));
});

test.each(["deploy/prometheus/alerts.yaml", "deploy/grafana/sluice.json"])(
  "%s uses metrics that exist",
  async (file) => {
    const text = await Bun.file(`${ROOT}/${file}`).text();
    if (file.endsWith(".yaml")) {
      const { groups } = Bun.YAML.parse(text) as { groups: { rules: Record<string, unknown>[] }[] };
      for (const rule of groups.flatMap(({ rules }) => rules)) {
        expect(rule).toMatchObject({
          alert: expect.any(String),
          expr: expect.any(String),
          annotations: expect.any(Object),
        });
      }
    } else expect(JSON.parse(text)).toMatchObject({ title: "Sluice", panels: expect.any(Array) });
    const used = new Set([...text.matchAll(/\b(?:sluice|process)_[a-z_]+/g)].map(([name]) => name.replace(SUFFIX, "")));
    expect(used.size).toBeGreaterThan(5);
    const existing = new Set(namesOf(await readMetrics()));
    expect([...used].filter((name) => !existing.has(name))).toEqual([]);
  },
);

test("what happens shows: build, services, channels, holds, streams, limits, charges", async () => {
  const before = await readMetrics();
  expect(before).toMatch(/^sluice_build_info\{version="[^"]+",commit="[^"]+"\} 1$/m);
  for (const [series, value] of [
    ["sluice_ready", 1],
    ["sluice_database_up", 1],
    ["sluice_redis_up", 0],
    ["sluice_live_processes", 1],
    ['sluice_channels{state="enabled"}', 1],
    ['sluice_channel_keys{state="available"}', 1],
    ['sluice_limit_refusals_total{limit="key_quota"}', 0],
    ["sluice_holds", 0],
  ] as const) {
    expect([series, sampleOf(before, series)]).toEqual([series, value]);
  }
  const stream = await post("hold-after-2", fixture.key, true);
  const open = await until(readMetrics, (text) => sampleOf(text, "sluice_holds") === 1);
  expect(sampleOf(open, "sluice_held_quota_units")).toBeGreaterThan(0);
  expect(sampleOf(open, "sluice_relay_open_streams")).toBe(1);
  fixture.upstream.release();
  await stream.text();
  const poor = await createApiKey(fixture.root, { unlimited_quota: false, remain_quota: 1 });
  expect((await post("gpt-4o", poor.key)).status).toBe(429);
  for (let failures = 0; failures < 3; failures += 1) expect((await post("err-500")).status).toBe(500);
  const after = await until(readMetrics, (text) => sampleOf(text, "sluice_journal_pending_records") === 0);
  for (const [series, value] of [
    ["sluice_holds", 0],
    ["sluice_held_quota_units", 0],
    ["sluice_relay_open_streams", 0],
    ["sluice_journal_bytes", 0],
    ["sluice_journal_oldest_record_age_seconds", 0],
    ['sluice_limit_refusals_total{limit="key_quota"}', 1],
    ['sluice_channel_keys{state="resting"}', 1],
  ] as const) {
    expect([series, sampleOf(after, series)]).toEqual([series, value]);
  }
  expect(sampleOf(after, "sluice_database_latency_seconds")).toBeGreaterThan(0);
  expect(sampleOf(after, "sluice_event_loop_lag_seconds_count")).toBeGreaterThan(0);
});
