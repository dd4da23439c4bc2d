import { describe, expect, test } from "bun:test";
import { mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSecrets, SecretsError } from "./secrets.ts";

const emptyDir = () => mkdtemp(join(tmpdir(), "sluice-secrets-"));
const nothingSet = { encryptionKey: null, sessionSecret: null };

describe("secrets", () => {
  test("the first start creates a key file that only its owner reads; later starts keep it", async () => {
    const dataDir = join(await emptyDir(), "data");
    const first = await loadSecrets({ dataDir, ...nothingSet });
    const path = join(dataDir, "secret.key");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await loadSecrets({ dataDir, ...nothingSet })).toEqual(first);
    expect(first.encryptionKey).toHaveLength(64);
    expect(first.sessionSecret).not.toContain(first.encryptionKey);
  });

  test("processes that start together agree on one key", async () => {
    const dataDir = await emptyDir();
    const all = await Promise.all(Array.from({ length: 10 }, () => loadSecrets({ dataDir, ...nothingSet })));
    expect(new Set(all.map((secrets) => secrets.encryptionKey)).size).toBe(1);
  });

  test("the environment wins, and no file is made", async () => {
    const dataDir = await emptyDir();
    const secrets = await loadSecrets({ dataDir, encryptionKey: "0123456789abcdef", sessionSecret: "own" });
    expect(secrets).toMatchObject({ encryptionKey: "0123456789abcdef", sessionSecret: "own" });
    expect(readFile(join(dataDir, "secret.key"))).rejects.toThrow("ENOENT");
  });

  test("replicas with the same encryption key agree on the session secret", async () => {
    const load = async () =>
      loadSecrets({ dataDir: await emptyDir(), encryptionKey: "0123456789abcdef", sessionSecret: null });
    expect((await load()).sessionSecret).toBe((await load()).sessionSecret);
  });

  test("a short key is refused by name", async () => {
    const dataDir = await emptyDir();
    expect(loadSecrets({ dataDir, encryptionKey: "short", sessionSecret: null })).rejects.toThrow("ENCRYPTION_KEY");
    await writeFile(join(dataDir, "secret.key"), "\n");
    expect(loadSecrets({ dataDir, ...nothingSet })).rejects.toThrow(SecretsError);
  });
});
