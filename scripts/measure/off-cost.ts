/**
 * Measures what features for agents cost a call that uses none of them: routes, sessions, speeds, hedges, the response cache, MCP servers and own provider keys, each asked whether
 * the call concerns it, as the simplest chat call asks them; and what OpenTelemetry costs a call that is not sampled. Rounds are
 * interleaved, so that a busy host troubles all alike: prints the medians, and the least of the rounds.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { NO_USAGE } from "../../src/formats/conversation/reply.ts";
import { guardRequest } from "../../src/gateway/call/guardrails/request/guard-request.ts";
import { startTelemetry } from "../../src/gateway/call/telemetry/telemetry.ts";
import { createContext } from "../../src/gateway/endpoints/create-gateway.ts";
import { agentSessionOf } from "../../src/gateway/money/call-labels.ts";
import { newOperatorCall } from "../../src/gateway/quality/experiments/operator-call.ts";
import { chatCompletions } from "../../src/gateway/request/endpoints/text.ts";
import { findRoute } from "../../src/gateway/routing/model-fallbacks.ts";
import { createLogger } from "../../src/lib/runtime/log.ts";
import { readConfig } from "../../src/server/config.ts";
import { gatewayServices } from "../../src/server/gateway-services.ts";
import { openServices } from "../../src/server/services.ts";
import { usageRecord } from "../../test/support/billing/start-billing.ts";
import { userEntry } from "../../test/support/gateway/entries.ts";
import { ensureSeed } from "../build/seed.ts";

const CALLS = 50_000;
const ROUNDS = 21;

await ensureSeed();
const dataDir = await mkdtemp(path.join(tmpdir(), "sluice-off-cost-"));
const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "error" });
const services = await openServices(config, createLogger(config));
const context = createContext(gatewayServices(services));
const json = { model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi" }] };
const request = { endpoint: chatCompletions, json, model: json.model, user: userEntry({}), group: "default" };
const call = newOperatorCall(context, { ...request, policies: undefined });

/** What each feature does in a call that does not use it. */
const HOOKS: Readonly<Record<string, () => unknown>> = {
  routes: () => findRoute(context, call),
  sessions: () => agentSessionOf(call),
  speeds: () => context.speeds.observe(1, json.model, { firstTokenMs: null, tokensPerSecond: 50 }),
  hedges: () => call.route?.hedge,
  cache: () => context.services.settings.values.ResponseCacheEnabled,
  guardrails: () => guardRequest(context, call),
  ownKeys: () => context.services.settings.values.ProviderKeys !== "off" || call.request.headers.has("x-provider-key"),
  mcp: () => call.endpoint.namesMcpServers?.(call.body.json),
};

const telemetry = await startTelemetry(
  {
    ...config.telemetry,
    sampler: "parentbased_always_off",
    endpoint: "http://127.0.0.1:9",
    version: "measured",
    instanceId: "measured",
  },
  services,
);
const route = { provider: { type: 1, name: "OpenAI" }, channel: { id: 1, name: "a" }, upstreamModel: json.model };
const usage = { ...NO_USAGE, promptTokens: 10, completionTokens: 20 };
const record = usageRecord({ userId: 1, modelName: json.model, elapsedMs: 250 });

/** What telemetry does in a call that is not sampled: spans that record nothing, headers for the upstream, metrics. */
const notSampled = () => {
  const trace = telemetry.begin(call, { startedAtMs: performance.now() });
  trace.beginAttempt(route);
  trace.inject(1, {}, "http://127.0.0.1:9/");
  trace.end(record, usage);
  telemetry.count({ endpoint: call.endpoint, servedBy: route }, record, usage);
};

const measured = Object.entries({ ...HOOKS, telemetry: notSampled }).map(([name, run]) => ({
  name,
  run,
  us: Array.of<number>(),
}));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { run, us } of round % 2 === 0 ? measured : measured.toReversed()) us.push(timeOf(run));
}
let total = 0;
for (const { name, us } of measured) {
  if (name !== "telemetry") total += median(us);
  process.stdout.write(`${name.padEnd(10)} ${median(us).toFixed(3)} µs, least ${Math.min(...us).toFixed(3)}\n`);
}
process.stdout.write(`all but telemetry ${total.toFixed(3)} µs of CPU a call\n`);

await telemetry.close();
await services.close();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);

/** Microseconds of the process's CPU for one run. */
function timeOf(run: () => unknown): number {
  const before = process.cpuUsage();
  for (let at = 0; at < CALLS; at += 1) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
