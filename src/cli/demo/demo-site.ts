import { randomInt } from "node:crypto";
import { parseJson, recordOf } from "../../formats/json.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";

/** The account of the demo's super admin. */
export const DEMO_ACCOUNT = { username: "demo", password: "sluice-demo" } as const;

type DemoChannel = Readonly<{ name: string; type: number; url: string; models: readonly string[] }>;
type Send = (method: "POST" | "PUT", path: string, body: object, headers?: Headers) => Promise<Reply>;
type Reply = Readonly<{ data: unknown; cookie: string }>;

type Headers = Readonly<Record<string, string>>;

/** A site that was set up: the keys of its users, and how to change it as its super admin. */
export type DemoSite = Readonly<{ keys: readonly string[]; send: Send; admin: Headers }>;

const OWN_KEYS = ["Website chat", "Support bot"];
/** Further people, each with a key; they sign in with the account's password. */
const PEOPLE = [
  { username: "mina", display_name: "Mina Park", key: "Nightly reports", role: "developer" },
  { username: "jonas", display_name: "Jonas Weber", key: "Notebook", role: "viewer" },
] as const;
const ORGANIZATION = { username: "harbor", display_name: "Harbor Labs" } as const;
/** What a site shows only when it is asked to. */
const SETTINGS = [
  ["Organizations", "on"],
  ["StatusPageEnabled", "true"],
] as const;
/** 10 dollars for 12 dollars of quota, and 20 dollars for 25 dollars of quota and five seats. */
const PLANS = [
  {
    ...{ name: "Starter", description: "For one person", price: 5_000_000, period: "month", periodCount: 1 },
    ...{ windowQuota: 6_000_000, window: "month", userGroup: "", trialDays: 14, allowsOverage: true, isVisible: true },
  },
  {
    ...{ name: "Team", description: "For a small team", price: 10_000_000, period: "month", periodCount: 1 },
    ...{ windowQuota: 12_500_000, window: "month", userGroup: "", trialDays: 0, allowsOverage: true, isVisible: true },
    ...{ seats: 5, seatPrice: 1_000_000 },
  },
] as const;
/** 10 dollars a month for one project of the organization. */
const PROJECT = "Website";
const PROJECT_BUDGET = { scope: "project", period: "month", limit: 5_000_000, is_hard: false } as const;
/** Quota units: 20 dollars for each of the people, and 50 for the organization. */
const PERSON_QUOTA = 10_000_000;
const ORGANIZATION_QUOTA = 25_000_000;
const QUESTIONS = [
  "Summarize this ticket in two sentences.",
  "Translate the release notes into Chinese.",
  "Which of these invoices are overdue?",
  "Write a test for the date parser.",
];

/** The longest prompt has some thousand tokens. */
const MOST_REPEATED = 300;

/** Sets a new gateway up as a demo site, with channels, people and API keys. Throws if a step is refused. */
export async function fillSite(fetch: SafeFetch, address: string, channels: readonly DemoChannel[]): Promise<DemoSite> {
  const send: Send = async (method, path, body, headers = {}) => {
    const reply = await fetch(`${address}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const envelope = recordOf(parseJson(reply.text()));
    if (envelope?.success !== true) throw new Error(`the demo could not be filled: ${path}: ${reply.text()}`);
    const cookie = reply.headers.getSetCookie().map((line) => line.split(";")[0]);
    return { data: envelope.data, cookie: cookie.join("; ") };
  };
  const signIn = async (username: string): Promise<Headers> => {
    const { data, cookie } = await send("POST", "/api/user/login", { username, password });
    return { cookie, "sluice-user": String(recordOf(data)?.id) };
  };
  const createKey = async (name: string, headers: Headers): Promise<string> => {
    const { data } = await send("POST", "/api/token/", { name, unlimited_quota: true }, headers);
    return `sk-${String(recordOf(data)?.key).replace(/^sk-/, "")}`;
  };
  const { username, password } = DEMO_ACCOUNT;
  const setup = { username, password, confirmPassword: password, DemoSiteEnabled: true, ServerAddress: address };
  await send("POST", "/api/setup", setup);
  const admin = await signIn(username);
  for (const { name, type, url, models } of channels) {
    const channel = { name, type, base_url: url, key: "sk-demo", models: models.join(","), group: "default" };
    await send("POST", "/api/channel/", channel, admin);
  }
  await send("PUT", "/api/option/", { key: "QuotaForNewUser", value: String(PERSON_QUOTA) }, admin);
  for (const [key, value] of SETTINGS) await send("PUT", "/api/option/", { key, value }, admin);
  const keys: string[] = [];
  for (const name of OWN_KEYS) keys.push(await createKey(name, admin));
  const members: { role: string; headers: Headers }[] = [];
  for (const { key, role, ...person } of PEOPLE) {
    await send("POST", "/api/user/", { ...person, password }, admin);
    const headers = await signIn(person.username);
    keys.push(await createKey(key, headers));
    members.push({ role, headers });
  }
  await fillOrganization(send, admin, members);
  // Invitations needed an address; from here on examples show the one that the visitor came by.
  await send("PUT", "/api/option/", { key: "ServerAddress", value: "" }, admin);
  return { keys, send, admin };
}

/** An organization with members, a project with a budget, and a plan that it pays from its wallet. */
async function fillOrganization(
  send: Send,
  admin: Headers,
  members: readonly Readonly<{ role: string; headers: Headers }>[],
): Promise<void> {
  const ids: unknown[] = [];
  for (const plan of PLANS) ids.push(recordOf((await send("POST", "/api/plan", plan, admin)).data)?.id);
  const { data } = await send("POST", "/api/organization/", ORGANIZATION, admin);
  const id = String(recordOf(data)?.id);
  const own = `/api/organization/${id}`;
  await send("POST", `${own}/transfer`, { quota: ORGANIZATION_QUOTA, direction: "in" }, admin);
  for (const { role, headers } of members) {
    const invitation = await send("POST", `${own}/invitations`, { role }, admin);
    const token = new URL(String(recordOf(invitation.data)?.link)).searchParams.get("token");
    await send("POST", "/api/organization/invitation/accept", { token }, headers);
  }
  const project = await send("POST", `${own}/projects`, { name: PROJECT }, admin);
  await send("POST", `${own}/budgets`, { ...PROJECT_BUDGET, scope_id: recordOf(project.data)?.id }, admin);
  const acting = { ...admin, "sluice-organization": id };
  await send("POST", "/api/user/subscriptions", { plan_id: ids.at(-1) }, acting);
}

/** Sends one made-up call with a random key to a random model; a failure is part of the show. */
export async function sendCall(
  fetch: SafeFetch,
  address: string,
  keys: readonly string[],
  models: readonly string[],
): Promise<void> {
  const messages = [{ role: "user", content: pick(QUESTIONS).repeat(randomInt(1, MOST_REPEATED)) }];
  const body = JSON.stringify({ model: pick(models), stream: randomInt(2) === 0, messages });
  const headers = { "content-type": "application/json", authorization: `Bearer ${pick(keys)}` };
  await fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body }).catch(() => undefined);
}

function pick(values: readonly string[]): string {
  return values[randomInt(values.length)] ?? "";
}
