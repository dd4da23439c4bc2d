import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFile } from "node:fs/promises";
import { serverAt, tool } from "../../../test/gateway/mcp/configured-server.ts";
import { temporaryDirectory } from "../../../test/support/billing/start-billing.ts";
import { channelEntry, tokenEntry, tokenRow, userEntry, userRow } from "../../../test/support/gateway/entries.ts";
import type { BudgetEntry } from "../../domain/accounts/organizations/budgets/directory.ts";
import type { PolicyEntry } from "../../domain/accounts/organizations/policies/policy.ts";
import type { PlanTerms } from "../../domain/wallet/plans/limits/terms.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { compileIpList } from "../../lib/security/ip-list.ts";
import type { SnapshotSource } from "./snapshot.ts";
import { readSnapshot, writeSnapshot } from "./snapshot-file.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory.remove());

const databaseUrl = "postgres://u:p@db/sluice";
const vault = createVault({ encryptionKey: "a-key-of-many-characters" });
const place = () => ({ dataDir: directory.path, databaseUrl, vault });
const channel = channelEntry({
  keys: ["channel-key"],
  references: new Map([["of a manager", "secret://aws/name"]]),
  unresolved: [{ reference: "secret://aws/other", reason: "absent" }],
  disabledKeys: new Set(["off"]),
  modelMapping: new Map([["a", "b"]]),
  statusCodeMapping: new Map([[400, 500]]),
});
const budget: BudgetEntry = {
  ...{ id: 5, organizationId: 9, scope: "project", scopeId: 2, name: "web" },
  ...{ period: "month", isHard: true, renewsAt: 1_800_000_000 },
};
const policy: PolicyEntry = {
  ...{ id: 3, organizationId: 9, projectId: 2, name: "Models" },
  rules: {
    ...{ models: ["gpt-*"], channel_types: [1], allow_ips: "10.0.0.0/8", blocked_words: "bomb" },
    ...{ no_content_log: true, max_key_days: 30, max_call_quota: 5 },
  },
};
const terms: PlanTerms = {
  ...{ id: 6, userId: 4, planName: "Pro", requestsPerMinute: 5, tokensPerMinute: 0 },
  ...{ models: ["gpt-*"], budgetId: 3, allowsOverage: true, windowEnd: 1_800_000_000, rollingSeconds: 0 },
  isWindowPending: false,
  ...{ callsBudgetId: null, windowCalls: 0 },
};
const server = serverAt(
  8,
  "city",
  { url: "https://mcp.example/", tools: ["get_*"], groups: ["vip"], usd_per_call: "0.01" },
  {
    ...{ secret: "server-secret", offered: [tool("get_weather")] },
  },
);
const token = tokenEntry({ modelLimits: new Set(["m"]), keyHash: vault.keyedHash("key") });
const source: SnapshotSource = {
  liveProcesses: 3,
  writtenUpTo: { process: "own", segment: "00000001.jsonl", offset: 7 },
  options: [["SMTPToken", "mail-password"]],
  channels: [channel],
  users: Array.from({ length: 2500 }, (_, index) => userRow(userEntry({ id: index + 1 }))),
  budgets: [budget],
  policies: [policy],
  planTerms: [terms],
  mcpServers: [server],
  tokens: [tokenRow({ ...token, allowIps: compileIpList("10.0.0.0/8") })],
  balances: (subject) => (subject === "user" ? [{ id: 4, quota: 9, held: 3, own: 1 }] : []),
};

test("what is written is read again, and stands nowhere in clear", async () => {
  await writeSnapshot(place(), source);
  const snapshot = await readSnapshot(place());
  expect(snapshot).toMatchObject({
    liveProcesses: 3,
    writtenUpTo: source.writtenUpTo,
    channels: [channel],
    options: new Map(source.options),
  });
  expect(snapshot?.users.size).toBe(2500);
  expect(snapshot?.balances).toEqual({
    user: new Map([[4, { quota: 9, held: 3, own: 1 }]]),
    token: new Map(),
    budget: new Map(),
  });
  expect([...(snapshot?.budgets.all() ?? [])]).toEqual([budget]);
  expect([...(snapshot?.policies.all() ?? [])]).toEqual([policy]);
  expect(snapshot?.policies.of({ userId: 9, projectId: 2 })).toMatchObject([{ name: "Models", logsContent: false }]);
  expect(snapshot?.planTerms.byUser.get(terms.userId)).toEqual([terms]);
  const caller = { accountId: 1, projectId: 0, keyId: 0 };
  expect(snapshot?.mcpServers.of({ ...caller, group: "vip" })).toEqual([server]);
  expect(snapshot?.mcpServers.of({ ...caller, group: "default" })).toEqual([]);
  const found = snapshot?.tokens.findByHash(token.keyHash);
  expect(found).toMatchObject({ id: token.id, modelLimits: new Set(["m"]) });
  expect(["10.1.1.1", "11.1.1.1"].map((ip) => found?.allowIps?.matches(ip))).toEqual([true, false]);
  const bytes = await Bun.file(`${directory.path}/outage-snapshot`).text();
  for (const secret of ["channel-key", "mail-password", "server-secret", token.keyHash])
    expect(bytes).not.toContain(secret);
});

test("a snapshot of another key or database, or one that is damaged, is none", async () => {
  expect(await readSnapshot(place())).toBeNull();
  await writeSnapshot(place(), source);
  expect(await readSnapshot({ ...place(), databaseUrl: "postgres://u:p@other/sluice" })).toBeNull();
  expect(await readSnapshot({ ...place(), vault: createVault({ encryptionKey: "another-key-of-many" }) })).toBeNull();
  const path = `${directory.path}/outage-snapshot`;
  const lines = (await Bun.file(path).text()).split("\n");
  await Bun.write(path, lines.toSpliced(3, 1).join("\n"));
  expect(await readSnapshot(place())).toBeNull();
  await Bun.write(path, lines.slice(0, -2).join("\n"));
  expect(await readSnapshot(place())).toBeNull();
  await appendFile(path, "\nrubbish\n");
  expect(await readSnapshot(place())).toBeNull();
});
