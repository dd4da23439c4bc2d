/**
 * Measures what features for agents cost a call that uses none of them: routes, sessions, speeds, hedges and MCP servers, each asked whether
 * the call concerns it, as the simplest chat call asks them.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { agentSessionOf } from "../../src/gateway/billing/call-labels.ts";
import { createContext } from "../../src/gateway/http/create-gateway.ts";
import { chatCompletions } from "../../src/gateway/http/endpoints/text.ts";
import { findRoute } from "../../src/gateway/routing/model-fallbacks.ts";
import { newOperatorCall } from "../../src/gateway/routing/routes/experiments/operator-call.ts";
import { createLogger } from "../../src/lib/runtime/log.ts";
import { readConfig } from "../../src/server/config.ts";
import { gatewayServices } from "../../src/server/gateway-services.ts";
import { openServices } from "../../src/server/services.ts";
import { userEntry } from "../../test/support/gateway/entries.ts";
import { ensureSeed } from "../build/seed.ts";

const CALLS = 200_000;
const ROUNDS = 5;

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
  mcp: () => call.endpoint.namesMcpServers?.(call.body.json),
};

let total = 0;
for (const [name, run] of Object.entries(HOOKS)) {
  const microseconds = median(Array.from({ length: ROUNDS }, () => timeOf(run)));
  total += microseconds;
  process.stdout.write(`${name.padEnd(10)} ${microseconds.toFixed(3)} µs\n`);
}
process.stdout.write(`all        ${total.toFixed(3)} µs of CPU a call\n`);

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
