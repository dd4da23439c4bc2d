/** Encrypting everything under a new key with the executable, on both databases, also after crashes in the middle. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { readBackup } from "../../../db/backup/read-backup.ts";
import { createVault } from "../../../src/lib/security/crypto.ts";
import { createApiKey, createChannel, ROOT_PASSWORD, setOption, setUp } from "../../support/e2e/console-client.ts";
import {
  CHEAPEST_ENGINE,
  ENGINES,
  emptyDatabase,
  type FakeUpstream,
  startFakeUpstream,
} from "../../support/e2e/fixture.ts";
import { startGateway } from "../../support/processes/gateway.ts";
import { runCommand } from "../../support/processes/run-command.ts";

const MODEL = "gpt-4o";
const CHANNEL_KEY = "sk-key-of-the-channel";

let folder = "";
let upstream: FakeUpstream;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-e2e-rotation-"));
  upstream = startFakeUpstream();
});
afterAll(async () => {
  await upstream.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Every text in the database that each key can decrypt, by table. */
async function secretsUnder(encryptionKeys: readonly string[], env: Record<string, string>) {
  const file = path.join(folder, `${Bun.randomUUIDv7()}.zst`);
  expect(await runCommand(["backup", file], env)).toMatchObject({ code: 0 });
  const keys = encryptionKeys.map((encryptionKey) => ({
    vault: createVault({ encryptionKey }),
    found: {} as Record<string, number>,
  }));
  let table = "";
  for await (const item of readBackup(file)) {
    if (item.kind === "table") table = item.name;
    if (item.kind !== "row" && item.kind !== "rows") continue;
    const text = item.kind === "row" ? item.json : item.text.toString("utf8");
    for (const [cipher] of text.matchAll(/v1\.[\w-]{38,}/g)) {
      for (const { vault, found } of keys) {
        try {
          vault.decrypt(cipher);
          found[table] = (found[table] ?? 0) + 1;
        } catch {}
      }
    }
  }
  return keys.map(({ found }) => found);
}

describe.each([...ENGINES])("a new encryption key on the %s database", (engine) => {
  let dataDir = "";
  let env: Record<string, string> = {};
  const keyFile = () => path.join(dataDir, "secret.key");
  const keyNow = async () => (await readFile(keyFile(), "utf8")).trim();
  const rotate = (more: Record<string, string> = {}) => runCommand(["rotate-encryption-key"], { ...env, ...more });
  const start = () => startGateway({ dataDir, env });
  let apiKey = "";
  let accessToken = "";
  let firstKey = "";
  let secrets: Record<string, number> = {};

  /** Everything that depends on the key still works. */
  async function expectWorking(): Promise<void> {
    const gateway = await start();
    upstream.requests.length = 0;
    const called = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
    });
    expect(called.status).toBe(200);
    expect(upstream.requests.at(-1)?.headers.get("authorization")).toBe(`Bearer ${CHANNEL_KEY}`);
    const self = await fetch(`${gateway.url}/api/user/self`, {
      headers: { authorization: accessToken, "sluice-user": "1" },
    });
    expect(await self.json()).toMatchObject({ success: true, data: { username: "root" } });
    expect(await gateway.stop()).toBe(0);
  }

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(folder, "data-"));
    env = { DATA_DIR: dataDir, ...(engine === "postgres" ? { DATABASE_URL: await emptyDatabase() } : {}) };
    const gateway = await start();
    const root = await setUp(gateway);
    await createChannel(root, upstream.url, [MODEL], { key: CHANNEL_KEY });
    await setOption(root, "ModelRatio", { [MODEL]: 1 });
    await setOption(root, "SMTPToken", "the mail server's password");
    await root.put("/api/user/setting", {
      notify_type: "webhook",
      webhook_url: "https://example.com/hook",
      webhook_secret: "hush",
    });
    await root.post("/api/alerts/destinations?scope=own", {
      ...{ type: "slack", name: "Night shift", language: "en", enabled: true },
      config: { url: "https://hooks.slack.com/services/x" },
    });
    await root.post("/api/user/totp/begin", { password: ROOT_PASSWORD });
    for (let count = 0; count < 3; count += 1) apiKey = (await createApiKey(root)).key;
    accessToken = await root.get("/api/user/token");
    await setOption(root, "Guardrails", { pii: { kind: "personal_data", action: "mask" } });
    const response = await fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, input: "Write to ann@example.org" }),
    });
    expect(response.status).toBe(200);

    const busy = await rotate();
    expect(busy.code).toBe(1);
    expect(busy.err).toMatch(/another sluice process|a gateway is using/);
    expect(await gateway.stop()).toBe(0);
    firstKey = await keyNow();
    [secrets = {}] = await secretsUnder([firstKey], env);
  });

  test("everything is encrypted under the new key, nothing under the old one", async () => {
    const tables = ["alert_destinations", "channels", "options", "stored_responses", "tokens", "totp_secrets", "users"];
    expect(Object.keys(secrets).sort()).toEqual(tables);
    const total = Object.values(secrets).reduce((sum, count) => sum + count, 0);
    const done = await rotate();
    expect(done).toMatchObject({ code: 0, err: "" });
    expect(done.out).toContain(`${total} secrets`);
    expect(await keyNow()).not.toBe(firstKey);
    // Backups that were made before need the first key.
    const [oldFile = ""] = (await readdir(dataDir)).filter((name) => name.startsWith("secret.key.old-"));
    expect((await readFile(path.join(dataDir, oldFile), "utf8")).trim()).toBe(firstKey);
    expect((await stat(path.join(dataDir, oldFile))).mode & 0o777).toBe(0o600);
    expect(done.out).not.toContain(await keyNow());
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect(await secretsUnder([await keyNow(), firstKey], env)).toEqual([secrets, {}]);
  });

  test("the old key is refused afterwards, and all of it works", async () => {
    const refused = await runCommand(["rotate-encryption-key"], { ...env, ENCRYPTION_KEY: firstKey });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("is not the encryption key of this database");
    await expectWorking();
  });

  test("a crash before the change leaves the old key in force, one after it the new one", async () => {
    await writeFile(`${keyFile()}.new`, "what a run that was killed before its change left behind\n");
    const before = await keyNow();
    expect(await rotate()).toMatchObject({ code: 0 });
    const after = await keyNow();
    expect(after).not.toBe(before);
    // As a run leaves it that was killed between its change and the new name of the file.
    await rename(keyFile(), `${keyFile()}.new`);
    await writeFile(keyFile(), `${before}\n`);
    expect(await rotate()).toMatchObject({ code: 0 });
    expect(await keyNow()).toBe(after);
    await expectWorking();
  });

  // Where the key comes from concerns files, not the database: one engine shows it.
  test.if(engine === CHEAPEST_ENGINE)(
    "a key of the environment is left to the operator, with the new one in a file",
    async () => {
      const current = await keyNow();
      const done = await rotate({ ENCRYPTION_KEY: current });
      expect(done).toMatchObject({ code: 0, err: "" });
      expect(done.out).toContain("secret.key.new");
      expect(await keyNow()).toBe(current);
      await copyFile(`${keyFile()}.new`, keyFile());
      await expectWorking();
      // The file was not deleted: the next run still makes another key.
      const second = await rotate({ ENCRYPTION_KEY: await keyNow() });
      expect(second.out).toContain("secrets are encrypted");
      expect((await readFile(`${keyFile()}.new`, "utf8")).trim()).not.toBe(await keyNow());
      await copyFile(`${keyFile()}.new`, keyFile());
      await rm(`${keyFile()}.new`);
      await expectWorking();
    },
  );
});
