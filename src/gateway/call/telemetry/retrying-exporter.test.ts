import { expect, test } from "bun:test";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { silentLog } from "../../../../test/support/billing/start-billing.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { RetryingExporter } from "./retrying-exporter.ts";

const span = (name: string, text = "") => ({ name, attributes: { text } }) as unknown as ReadableSpan;

/** A collector that may be away. */
function collector() {
  const taken: string[] = [];
  const attempts = { count: 0, isAway: false };
  const exporter: SpanExporter = {
    export(spans, done) {
      attempts.count += 1;
      const { isAway } = attempts;
      setTimeout(() => {
        if (!isAway) taken.push(...spans.map(({ name }) => name));
        done(isAway ? { code: 1, error: new Error("connection refused") } : { code: 0 });
      }, 1);
    },
    shutdown: async () => {},
    forceFlush: async () => {},
  };
  return { taken, attempts, exporter };
}

const warnings: string[] = [];
const log = {
  ...silentLog,
  warn: (_: object, text: string) => warnings.push(text),
  info: (_: object, text: string) => warnings.push(text),
} as unknown as typeof silentLog;

test("spans of an outage arrive after it, each once and in order; it is logged when it begins and ends", async () => {
  warnings.length = 0;
  const { taken, attempts, exporter } = collector();
  const exporting = new RetryingExporter(exporter, log);
  const done: number[] = [];
  const send = (name: string) => exporting.export([span(name)], ({ code }) => done.push(code));
  send("a");
  await until(() => exporting.counts.sent === 1);
  attempts.isAway = true;
  for (let at = 0; at < 500; at += 1) send(`b${at}`);
  await until(() => attempts.count >= 2);
  attempts.isAway = false;
  await until(() => exporting.counts.waiting === 0);
  expect(taken).toEqual(["a", ...Array.from({ length: 500 }, (_, at) => `b${at}`)]);
  expect(exporting.counts).toEqual({ sent: 501, dropped: 0, waiting: 0 });
  expect(new Set(done)).toEqual(new Set([0]));
  expect(warnings).toEqual([
    "the collector of OpenTelemetry does not answer: spans wait for it",
    "the collector of OpenTelemetry answers again",
  ]);
});

test("what waits is bounded: the oldest spans are dropped and counted", async () => {
  const { attempts, exporter } = collector();
  attempts.isAway = true;
  const exporting = new RetryingExporter(exporter, silentLog);
  const long = "x".repeat(8 * 1024 * 1024);
  for (let at = 0; at < 20; at += 1) exporting.export([span(`s${at}`, long)], () => {});
  const { dropped, waiting } = exporting.counts;
  expect(dropped + waiting).toBe(20);
  expect(waiting).toBeGreaterThan(4);
  expect(waiting).toBeLessThan(9);
  await exporting.shutdown();
});

test("a shutdown sends what waits, and does not wait for a collector that is away", async () => {
  const here = collector();
  const exporting = new RetryingExporter(here.exporter, silentLog);
  exporting.export([span("last")], () => {});
  await exporting.shutdown();
  expect(here.taken).toEqual(["last"]);

  const away = collector();
  away.attempts.isAway = true;
  const lost = new RetryingExporter(away.exporter, silentLog);
  lost.export([span("lost")], () => {});
  await lost.shutdown();
  expect(lost.counts.waiting).toBe(1);
});
