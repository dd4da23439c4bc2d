/** The journal's command, next to a gateway that runs and without one: damaged charges are shown, repaired and charged once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { recordText } from "../../../src/billing/journal/apply/record-text.ts";
import { linesOf } from "../../../src/billing/journal/segments/segment.ts";
import { usageRecord } from "../../support/billing/start-billing.ts";
import { login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { ENGINES, emptyDatabase, setUp } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";
import { type Gateway, startGateway } from "../../support/processes/gateway.ts";
import { runCommand } from "../../support/processes/run-command.ts";

const readiness = async ({ url }: Gateway) => (await fetch(`${url}/readyz`)).json() as Promise<{ degraded: string[] }>;

describe.each([...ENGINES])("on the %s database", (engine) => {
  let env: Record<string, string> = {};
  let gateway: Gateway;
  beforeAll(async () => {
    if (engine === "postgres") env = { DATABASE_URL: await emptyDatabase() };
    gateway = await startGateway({ env });
    await setUp(gateway);
  });
  afterAll(() => gateway.stop());

  const journal = async (...args: string[]) => {
    const { code, out, err } = await runCommand(["journal", ...args, "--json"], { ...env, DATA_DIR: gateway.dataDir });
    expect(err).toBe("");
    return { code, ...JSON.parse(out) };
  };
  const usedBy = async () => (await (await login(gateway, ROOT_NAME, ROOT_PASSWORD)).get("/api/user/self")).used_quota;

  test("damaged charges of a killed process are shown, repaired and charged once", async () => {
    const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    const { id: userId } = await root.get("/api/user/self");
    expect(await gateway.stop("SIGKILL")).toBe(137);
    const folder = path.join(gateway.dataDir, "journal", "0199-killed");
    mkdirSync(folder, { recursive: true });
    const [intact, damaged] = [100, 230].map((quota) => recordText(usageRecord({ userId, quota })));
    const lines = Buffer.from(linesOf([intact as string, damaged as string]).bytes);
    lines[0 + lines.lastIndexOf("127.0.0.1")] = 0x58;
    writeFileSync(path.join(folder, "00000001.jsonl"), lines);

    const before = await journal("inspect");
    expect(before.processes).toContainEqual(
      expect.objectContaining({ process: "0199-killed", inUse: false, records: 1, unwritten: 1, damaged: 1 }),
    );
    gateway = await startGateway({ dataDir: gateway.dataDir, env });
    expect(await usedBy()).toBe(100);
    expect((await readiness(gateway)).degraded).toContainEqual(expect.stringContaining("1 rejected charges"));

    const { rejected, processes } = await journal("inspect");
    expect(processes).toMatchObject([{ inUse: true, unwritten: 0 }]);
    expect(rejected).toMatchObject([
      { number: 1, entry: { process: "0199-killed", file: "0199-killed/00000001.jsonl", record: null } },
    ]);
    expect(Buffer.from(rejected[0].entry.raw, "base64").toString()).toContain("X27.0.0.1");
    expect(await journal("replay")).toMatchObject({ code: 1, charged: [], left: [{ number: 1 }] });

    const { entry } = rejected[0];
    const file = path.join(gateway.dataDir, "journal", "rejected.jsonl");
    const repaired = `${JSON.stringify({ ...entry, record: { ...entry.readable, ip: "127.0.0.1" } })}\n`;
    writeFileSync(file, repaired);
    expect(await journal("replay")).toMatchObject({ code: 0, left: [], charged: [{ quota: 230 }] });
    await until(usedBy, (used) => used === 330);
    writeFileSync(file, repaired);
    expect(await journal("replay")).toMatchObject({ code: 0, known: 1, charged: [] });
    expect(await usedBy()).toBe(330);
    expect((await readiness(gateway)).degraded.filter((line) => line.includes("rejected"))).toEqual([]);

    writeFileSync(file, "nonsense\n");
    expect(await journal("acknowledge", "rejected")).toMatchObject({ code: 0, acknowledged: 1 });
    expect(await journal("acknowledge", "nobody")).toMatchObject({ code: 1, acknowledged: 0 });
    expect(readFileSync(path.join(gateway.dataDir, "journal", "rejected.acknowledged.jsonl"), "utf8")).toBe(
      "nonsense\n",
    );
  });

  test("pending charges are listed, set aside, edited and charged once", async () => {
    const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    const { id: userId, used_quota: before } = await root.get("/api/user/self");
    expect(await gateway.stop("SIGKILL")).toBe(137);
    const folder = path.join(gateway.dataDir, "journal", "0199-pending");
    mkdirSync(folder, { recursive: true });
    const records = [100, 230, 400].map((quota) => usageRecord({ userId, quota }));
    writeFileSync(path.join(folder, "00000001.jsonl"), linesOf(records.map(recordText)).bytes);
    const [first, second, third] = records.map(({ requestId }) => requestId) as [string, string, string];

    const { pending } = await journal("list");
    expect(pending.filter(({ process }: { process: string }) => process === "0199-pending")).toMatchObject(
      records.map(({ requestId, quota }) => ({ requestId, quota, inUse: false })),
    );
    expect(await journal("set-aside", first)).toMatchObject({ code: 0, setAside: true });
    expect(await journal("set-aside", first)).toMatchObject({ code: 1, setAside: false });
    expect(await journal("edit", second, "quota", "30")).toMatchObject({ code: 0, edited: { quota: 30 } });
    expect(await journal("edit", second, "quota", "lots")).toMatchObject({ code: 1, edited: null });
    gateway = await startGateway({ dataDir: gateway.dataDir, env });
    await until(usedBy, (used) => used === before + 400);
    expect(await journal("replay", second)).toMatchObject({ code: 0, charged: [{ quota: 30 }] });
    expect(await journal("set-aside", third)).toMatchObject({ code: 1, setAside: false });

    const session = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    const shown = await session.get("/api/journal/");
    expect(shown).toMatchObject({ total: 1, rejected: [{ request_id: first, quota: 100, is_charged: false }] });
    expect(await session.post("/api/journal/replay")).toMatchObject({ charged: 1, left: 0 });
    await until(usedBy, (used) => used === before + 530);
    expect(await session.get("/api/journal/")).toEqual({ total: 0, rejected: [] });
    expect(await session.post("/api/journal/acknowledge")).toEqual({ acknowledged: 0 });
  });
});
