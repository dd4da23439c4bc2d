import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { login } from "../../support/e2e/console-client.ts";
import { type Gateway, startGateway } from "../../support/e2e/fixture.ts";
import { KEYS, makeFile } from "../../support/import/start-import.ts";
import { gatewayCommand } from "../../support/processes/gateway.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

test("what another gateway held works here after `sluice import`: keys, passwords, balances and the log", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "sluice-import-"));
  folders.push(dataDir);
  const source = path.join(dataDir, "one-api.db");
  await makeFile(source, "Veloera");
  const run = async (...args: string[]) => {
    const { DATABASE_URL: _, SQL_DSN: __, ...env } = process.env;
    const child = Bun.spawn([...gatewayCommand(), "import", "--from", source, ...args], {
      env: { ...env, DATA_DIR: dataDir },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect({ code: await child.exited, err }).toEqual({ code: 0, err: "" });
    return out;
  };
  expect(await run("--logs", "--dry-run")).toContain("users: 3 at the source, 3 to add, 0 here already");
  const report = await run("--logs");
  expect(report).toContain("users: 3 at the source, 3 added, 0 here already");
  expect(report).toContain("quota at the source: 2600000000; here: 2600000000 (equal)");
  expect(await run("--logs")).toContain("users: 3 at the source, 0 added, 3 here already");

  const gateway = await startGateway({ dataDir });
  try {
    await expectMoved(gateway);
  } finally {
    expect(await gateway.stop()).toBe(0);
  }
});

async function expectMoved(gateway: Gateway): Promise<void> {
  const ask = (address: string, key: string) =>
    fetch(gateway.url + address, { headers: { authorization: `Bearer sk-${key}` } });
  const models = (await (await ask("/v1/models", KEYS.alice)).json()) as { data: { id: string }[] };
  expect(models.data.map(({ id }) => id)).toContain("gpt-4o");
  expect((await ask("/v1/models", "x".repeat(48))).status).toBe(401);
  const rows = (await (await ask("/api/log/token", KEYS.alice)).json()) as { success: boolean };
  expect(rows.success).toBe(true);
  const alice = await login(gateway, "alice", "correct horse");
  expect(await alice.get("/api/user/self")).toMatchObject({
    id: 7,
    group: "vip",
    quota: 2_500_000_000,
    used_quota: 1500,
  });
  expect((await alice.get("/api/log/self?type=2")).total).toBe(2);
}
