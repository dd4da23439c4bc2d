import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeSecretManagers, VAULT_TOKEN } from "../../test/support/lib/fake-secret-managers.ts";
import { allVariables, ConfigError, loadConfig, readConfig, readLocation } from "./config.ts";

describe("readConfig", () => {
  test("needs no environment at all", () => {
    const config = readConfig({});
    expect(config).toMatchObject({ host: "0.0.0.0", port: 3000, dataDir: "./data", databaseUrl: null, redisUrl: null });
    expect(config.rateLimits.api).toEqual({ count: 180, windowMs: 180_000 });
    expect(config.streamingTimeoutMs).toBe(300_000);
    // The largest batch that OpenAI takes, plus the other fields of its form.
    expect(config.maxUploadBytes).toBeGreaterThan(200_000_000);
  });

  test("accepts the ecosystem's names for the database and Redis", () => {
    const config = readConfig({ SQL_DSN: "postgresql://u@h/d", REDIS_CONN_STRING: "redis://h" });
    expect(config.databaseUrl).toBe("postgresql://u@h/d");
    expect(config.redisUrl).toBe("redis://h");
  });

  test.each([
    ["", ""],
    ["/", ""],
    ["/sluice/", "/sluice"],
    ["/ai/gate-2.0", "/ai/gate-2.0"],
  ])("BASE_PATH %p is %p", (text, path) => {
    expect(readConfig({ BASE_PATH: text }).basePath).toBe(path);
  });

  test("a limiter can be switched off or changed", () => {
    const config = readConfig({ GLOBAL_API_RATE_LIMIT_ENABLE: "false", CRITICAL_RATE_LIMIT: "5" });
    expect(config.rateLimits.api).toBeNull();
    expect(config.rateLimits.critical).toEqual({ count: 5, windowMs: 1_200_000 });
  });

  test.each([
    ["PORT", "70000"],
    ["PORT", "abc"],
    ["ALLOW_PRIVATE_UPSTREAMS", "maybe"],
    ["DATABASE_URL", "user:pass@tcp(host:3306)/db"],
    ["LOG_LEVEL", "loud"],
    ["OUTAGE_SPEND_RATIO", "1.5"],
    ["OUTAGE_SPEND_RATIO", "half"],
    ["BASE_PATH", "sluice"],
    ["BASE_PATH", "//evil.example"],
    ["BASE_PATH", "/a/../b"],
    ["BASE_PATH", "/a?b"],
  ])("%s=%s is refused with a message that names it", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });
});

describe("a secret in a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-secrets-"));
  const file = join(folder, "database-url");
  const empty = join(folder, "empty");
  writeFileSync(file, "postgres://u:p@h/d\n");
  writeFileSync(empty, "\n");
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is read from the file that NAME_FILE names, without the line's end", () => {
    expect(readConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe("postgres://u:p@h/d");
    for (const { defaults, isSecret } of allVariables()) {
      const [name = ""] = Object.keys(defaults);
      if (!isSecret) continue;
      expect(() => readConfig({ [`${name}_FILE`]: `${folder}/absent` })).toThrow(`${name}_FILE`);
    }
  });

  test("is not shown where its form is wrong", () => {
    writeFileSync(join(folder, "wrong"), "hunter2");
    expect(() => readConfig({ DATABASE_URL_FILE: join(folder, "wrong") })).toThrow(/^(?!.*hunter2)/);
  });

  test.each([
    ["both are set", { DATABASE_URL: "postgres://u@h/d", DATABASE_URL_FILE: file }, "not both"],
    ["both are set, by an older name", { SQL_DSN: "postgres://u@h/d", DATABASE_URL_FILE: file }, "not both"],
    ["the file is missing", { ENCRYPTION_KEY_FILE: join(folder, "absent") }, "ENOENT"],
    ["the file is empty", { SESSION_SECRET_FILE: empty }, "empty"],
  ])("is refused where %s", (_, env, message) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(message);
  });
});

describe("a reference to a secret manager", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-references-"));
  const file = join(folder, "reference");
  writeFileSync(file, "secret://vault/secret/sluice#key\n");
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is resolved in a variable, an older name of it, and a file", async () => {
    const managers = await startFakeSecretManagers();
    managers.secrets.set("secret/sluice", { db: "postgres://u:p@h/d", key: "an encryption key", wrong: "hunter2" });
    const env = {
      ...{ VAULT_ADDR: managers.url, VAULT_TOKEN, SQL_DSN: "secret://vault/secret/sluice#db" },
      ENCRYPTION_KEY_FILE: file,
    };
    const config = await loadConfig(env);
    expect(config).toMatchObject({ databaseUrl: "postgres://u:p@h/d", encryptionKey: "an encryption key" });
    const wrong = loadConfig({ ...env, SQL_DSN: "secret://vault/secret/sluice#wrong" });
    await expect(wrong).rejects.toThrow(/^(?!.*hunter2)DATABASE_URL must begin/);
    const unknown = loadConfig({ ...env, SQL_DSN: "secret://vault/secret/sluice#none" });
    await expect(unknown).rejects.toThrow(
      "DATABASE_URL can't be resolved: secret://vault/secret/sluice#none: the secret has no text",
    );
    await managers.stop();
  });

  test("is refused where it would be taken for the secret itself", async () => {
    expect(() => readConfig({ ENCRYPTION_KEY_FILE: file })).toThrow("ENCRYPTION_KEY can't be a reference");
    await expect(loadConfig({ ENCRYPTION_KEY_FILE: file, VAULT_TOKEN: "secret://aws/token" })).rejects.toThrow(
      "VAULT_TOKEN can't be a reference",
    );
  });

  test("does not keep commands from their process that need no secret", () => {
    const env = { DATABASE_URL: "secret://vault/secret/sluice#db", WORKERS: "4", DATA_DIR: "/data" };
    expect(readLocation(env)).toEqual({ host: "0.0.0.0", port: 3000, dataDir: "/data" });
  });
});

/** Rows of the tables of docs/operate/configuration.md: variables, and what they are by default. */
async function documented(): Promise<Record<string, string>> {
  const page = await Bun.file(`${import.meta.dir}/../../docs/operate/configuration.md`).text();
  const rows = [...page.matchAll(/^\| (`[A-Z_`, ]+`) +\| (.*?) *\|/gm)].flatMap(([, names = "", defaults = ""]) => {
    const variables = names.replaceAll("`", "").split(", ");
    const values = defaults.replaceAll("`", "");
    const each = variables.length > 1 ? values.split(", ") : [values];
    return variables.map((name, at) => [name, each[at] ?? ""] as const);
  });
  return Object.fromEntries(rows);
}

/** The runtime reads it. */
const READ_BY_THE_RUNTIME = ["NODE_EXTRA_CA_CERTS"];

test("the documentation has every variable with its default, and none that only tests set", async () => {
  const shown = await documented();
  for (const name of READ_BY_THE_RUNTIME) delete shown[name];
  const read = allVariables().filter(({ isForTests }) => !isForTests);
  expect(shown).toEqual(Object.assign({}, ...read.map(({ defaults }) => defaults)));
  const page = await Bun.file(`${import.meta.dir}/../../docs/operate/configuration.md`).text();
  for (const alias of read.flatMap(({ aliases }) => aliases)) expect(page).toContain(`\`${alias}\``);
  for (const { defaults, isSecret } of read) {
    if (isSecret) expect(page).toContain(`\`${Object.keys(defaults)[0]}_FILE\``);
  }
});
