import { randomInt } from "node:crypto";
import { parseJson, recordOf } from "../../formats/json.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";

/** The account of the demo's super admin. */
export const DEMO_ACCOUNT = { username: "demo", password: "sluice-demo" } as const;

type DemoChannel = Readonly<{ name: string; type: number; url: string; models: readonly string[] }>;
type Post = (path: string, body: object, headers?: Readonly<Record<string, string>>) => Promise<Reply>;
type Reply = Readonly<{ data: unknown; cookie: string }>;

const KEY_NAMES = ["Website chat", "Support bot", "Nightly reports", "Notebook"];
const QUESTIONS = [
  "Summarize this ticket in two sentences.",
  "Translate the release notes into Chinese.",
  "Which of these invoices are overdue?",
  "Write a test for the date parser.",
];

/** Sets a new gateway up as a demo site, with channels and API keys. Returns the keys. Throws if a step is refused. */
export async function fillSite(
  fetch: SafeFetch,
  address: string,
  channels: readonly DemoChannel[],
): Promise<readonly string[]> {
  const post: Post = async (path, body, headers = {}) => {
    const reply = await fetch(`${address}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const envelope = recordOf(parseJson(reply.text()));
    if (envelope?.success !== true) throw new Error(`the demo could not be filled: ${path}: ${reply.text()}`);
    const cookie = reply.headers.getSetCookie().map((line) => line.split(";")[0]);
    return { data: envelope.data, cookie: cookie.join("; ") };
  };
  const { username, password } = DEMO_ACCOUNT;
  await post("/api/setup", { username, password, confirmPassword: password, DemoSiteEnabled: true });
  const { data, cookie } = await post("/api/user/login", { username, password });
  const headers = { cookie, "sluice-user": String(recordOf(data)?.id) };
  for (const { name, type, url, models } of channels) {
    const channel = { name, type, base_url: url, key: "sk-demo", models: models.join(","), group: "default" };
    await post("/api/channel/", channel, headers);
  }
  const keys: string[] = [];
  for (const name of KEY_NAMES) {
    const { data: token } = await post("/api/token/", { name, unlimited_quota: true }, headers);
    keys.push(String(recordOf(token)?.key));
  }
  return keys.map((key) => `sk-${key.replace(/^sk-/, "")}`);
}

/** Sends one made-up call with a random key to a random model; a failure is part of the show. */
export async function sendCall(
  fetch: SafeFetch,
  address: string,
  keys: readonly string[],
  models: readonly string[],
): Promise<void> {
  const messages = [{ role: "user", content: pick(QUESTIONS).repeat(randomInt(1, 12)) }];
  const body = JSON.stringify({ model: pick(models), stream: randomInt(2) === 0, messages });
  const headers = { "content-type": "application/json", authorization: `Bearer ${pick(keys)}` };
  await fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body }).catch(() => undefined);
}

function pick(values: readonly string[]): string {
  return values[randomInt(values.length)] ?? "";
}
