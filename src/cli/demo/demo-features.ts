import { randomInt } from "node:crypto";
import { recordOf } from "../../formats/json.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { DemoSite } from "./demo-site.ts";

/** Names of routes, which callers send as the model. */
export const DEMO_ROUTES = ["assistant", "summaries"] as const;

/** One spreads calls and tries a new model with some of them; the other gets copies of its calls answered elsewhere. */
const ROUTES = [
  {
    name: "assistant",
    route: {
      description: "The fastest and cheapest of three small models",
      strategy: "balanced",
      candidates: [{ model: "gpt-4o-mini" }, { model: "mistral-small-latest" }, { model: "deepseek-v4-flash" }],
      experiment: { mode: "canary", candidate: { model: "gpt-4.1-mini" }, percent: 30 },
    },
  },
  {
    name: "summaries",
    route: {
      description: "A large model, with a second one when it fails",
      candidates: [{ model: "gpt-4o" }, { model: "mistral-large-latest" }],
      experiment: {
        ...{ mode: "mirror", candidate: { model: "gpt-4.1-mini" }, percent: 100 },
        ...{ max_usd_per_day: 5, max_concurrent: 64 },
      },
    },
  },
];

/** Creates routes and a destination of usage records at the demo's provider, and logs what calls contain. Throws if refused. */
export async function createFeatures({ send, admin }: DemoSite, providerUrl: string): Promise<void> {
  await send("PUT", "/api/option/", { key: "LogChatContentEnabled", value: "true" }, admin);
  for (const route of ROUTES) await send("POST", "/api/route/", route, admin);
  const config = {
    url: `${providerUrl}/usage`,
    secret: `whsec_${Buffer.from("sluice-demo-webhook-secret").toString("base64")}`,
  };
  const sink = { type: "webhook", name: "Data warehouse", enabled: true, from_start: true, config };
  await send("POST", "/api/sinks/", sink, admin);
}

/** Checks a model and replays calls that were made: what needs calls of the log. Throws if refused. */
export async function tryFeatures({ send, admin }: DemoSite): Promise<void> {
  await send("POST", "/api/channel-checks/", { channel_id: 1, model: "gpt-4o-mini" }, admin);
  const end = Math.floor(Date.now() / 1000) + 1;
  const set = { name: "Last week", filter: { start: end - 7 * 86_400, end, model: "gpt-4o" }, max_calls: 20 };
  const { data } = await send("POST", "/api/replays/sets", set, admin);
  const evaluation = { set_id: Number(recordOf(data)?.id), name: "gpt-4.1-mini", target: { model: "gpt-4.1-mini" } };
  await send("POST", "/api/replays/evaluations", evaluation, admin);
}

const TASKS = ["review", "release-notes", "triage"];
/** The steps of a run, those of sub-agents with their headers. */
const STEPS: readonly (readonly [step: string, agent: Readonly<Record<string, string>>])[] = [
  ["plan", {}],
  ["search", { "x-sluice-agent": "researcher" }],
  ["search", { "x-sluice-agent": "reader", "x-sluice-parent-agent": "researcher" }],
  ["edit", {}],
  ["edit", { "x-sluice-agent": "tester" }],
  ["report", {}],
];
const TOOLS = ["read_file", "grep", "run_tests"];

/** One run of a made-up agent: a session of several calls, which bring results of tools with them. Failures are part of the show. */
export async function runAgent(fetch: SafeFetch, address: string, key: string): Promise<void> {
  const session = `${pick(TASKS)}-${randomInt(1000, 10_000)}`;
  const messages: object[] = [{ role: "user", content: "Review the open changes, and report what would break." }];
  for (const [step, agent] of STEPS) {
    const body = JSON.stringify({ model: "assistant", messages, stream: true });
    const headers = {
      ...{ "content-type": "application/json", authorization: `Bearer ${key}` },
      ...{ "x-sluice-session": session, "x-sluice-step": step, ...agent },
    };
    await fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body }).catch(() => undefined);
    const id = `call_${messages.length}`;
    const called = { name: pick(TOOLS), arguments: "{}" };
    messages.push(
      { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: called }] },
      { role: "tool", tool_call_id: id, content: "src/date-parser.ts: 3 matches. ".repeat(randomInt(1, 60)) },
    );
  }
}

const pick = (values: readonly string[]): string => values[randomInt(values.length)] ?? "";
