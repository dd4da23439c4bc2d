/** Backup and restore with the executable: while calls are being charged, to new data, and to another database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { ENGINES, emptyDatabase, type Fixture, startFixture } from "../../support/e2e/fixture.ts";
import { startGateway } from "../../support/processes/gateway.ts";
import { runCommand } from "../../support/processes/run-command.ts";

const MODEL = "gpt-4o";

let fixture: Fixture;
let folder = "";
const file = () => path.join(folder, "backup.zst");
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-e2e-backup-"));
  fixture = await startFixture([MODEL]);
});
afterAll(async () => {
  await fixture.stop();
  await rm(folder, { recursive: true, force: true });
});

const call = ({ gateway, key }: Fixture) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
  });

test("the embedded database is backed up while calls are charged, and cannot be restored over", async () => {
  expect((await call(fixture)).status).toBe(200);
  let isCalling = true;
  const calls = (async () => {
    // As many as one page of the log shows.
    for (let calls = 0; isCalling && calls < 90; calls += 1) expect((await call(fixture)).status).toBe(200);
  })();
  const env = { DATA_DIR: fixture.gateway.dataDir };
  const backup = await runCommand(["backup", file()], env);
  const restore = await runCommand(["restore", file(), "--force"], env);
  isCalling = false;
  await calls;
  expect(backup).toMatchObject({ code: 0, err: "" });
  expect(restore.code).toBe(1);
  expect(restore.err).toContain("another sluice process");
});

describe.each([...ENGINES])("restored into an empty %s database", (engine) => {
  test("the gateway goes on where the backup was: accounts, keys, channels, and books that agree", async () => {
    const dataDir = await mkdtemp(path.join(folder, "restored-"));
    const env = { DATA_DIR: dataDir, ...(engine === "postgres" ? { DATABASE_URL: await emptyDatabase() } : {}) };
    await copyFile(path.join(fixture.gateway.dataDir, "secret.key"), path.join(dataDir, "secret.key"));
    expect(await runCommand(["restore", file()], env)).toMatchObject({ code: 0, err: "" });
    const gateway = await startGateway({ dataDir, env });
    const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
    const user = await root.get("/api/user/self");
    const { items } = await root.get("/api/log/?p=1&page_size=100&type=2");
    const charged = items.reduce((sum: number, { quota }: { quota: number }) => sum + quota, 0);
    expect(charged).toBeGreaterThan(0);
    expect(charged).toBe(user.used_quota);
    expect((await call({ ...fixture, gateway })).status).toBe(200);
    expect(await gateway.stop()).toBe(0);
  });
});

test("a password is reset while the gateway serves", async () => {
  const reset = await runCommand(["reset-password", ROOT_NAME], { DATA_DIR: fixture.gateway.dataDir });
  expect(reset.code).toBe(0);
  const password = reset.out.trim().split(" ").at(-1) ?? "";
  await login(fixture.gateway, ROOT_NAME, password);
  const unknown = await runCommand(["reset-password", "nobody"], { DATA_DIR: fixture.gateway.dataDir });
  expect(unknown).toMatchObject({ code: 1, out: "" });
  expect(unknown.err).toContain("nobody");
});
