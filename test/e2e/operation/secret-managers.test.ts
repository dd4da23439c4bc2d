/** Secrets that the executable reads from a secret manager: of the environment, and of a channel. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  createApiKey,
  createChannel,
  login,
  ROOT_NAME,
  ROOT_PASSWORD,
  setUp,
} from "../../support/e2e/console-client.ts";
import { type FakeUpstream, type Gateway, startFakeUpstream, startGateway } from "../../support/e2e/fixture.ts";
import { startFakeSecretManagers, VAULT_TOKEN } from "../../support/lib/fake-secret-managers.ts";
import { until } from "../../support/lib/until.ts";
import { runCommand } from "../../support/processes/run-command.ts";

const MODEL = "gpt-4o";
const REFERENCE = "secret://vault/secret/llm/openai#key";
const [FIRST, ROTATED] = ["sk-first-value-of-the-key", "sk-rotated-value-of-the-key"];
const ENCRYPTION_KEY = "the-encryption-key-of-these-tests";

let managers: Awaited<ReturnType<typeof startFakeSecretManagers>>;
let upstream: FakeUpstream;
let gateway: Gateway;
const env: Record<string, string> = {};
beforeAll(async () => {
  managers = await startFakeSecretManagers();
  managers.secrets.set("secret/sluice", { key: ENCRYPTION_KEY });
  managers.secrets.set("secret/llm/openai", { key: FIRST });
  upstream = startFakeUpstream();
  Object.assign(env, {
    ...{ VAULT_ADDR: managers.url, VAULT_TOKEN, SECRET_REFRESH_SECONDS: "1" },
    ENCRYPTION_KEY: "secret://vault/secret/sluice#key",
  });
  gateway = await startGateway({ env });
});
afterAll(async () => {
  await upstream.stop();
  await managers.stop();
});

test("a channel uses the key that its reference names, and the next one after a rotation", async () => {
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, [MODEL], { key: REFERENCE });
  const { key } = await createApiKey(root);
  const usedKey = async () => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "hello" }] }),
    });
    expect(response.status).toBe(200);
    await response.text();
    return upstream.requests.at(-1)?.headers.get("authorization");
  };
  expect(await usedKey()).toBe(`Bearer ${FIRST}`);

  // A manager that is away does not take away what is known.
  managers.state.status = 503;
  const readings = () => managers.requests.get("secret/llm/openai") ?? 0;
  const before = readings();
  await until(() => readings() > before);
  expect(await usedKey()).toBe(`Bearer ${FIRST}`);

  managers.state.status = 200;
  managers.secrets.set("secret/llm/openai", { key: ROTATED });
  await until(async () => (await usedKey()) === `Bearer ${ROTATED}`);
});

test("neither the log nor the console shows a value", async () => {
  const root = await login(gateway, ROOT_NAME, ROOT_PASSWORD);
  const text = JSON.stringify(await root.get("/api/channel/1/health"));
  expect(text).toContain("secret://vault/secret/llm/openai#");
  for (const shown of [text, gateway.output()]) {
    for (const value of [FIRST, ROTATED, ENCRYPTION_KEY, VAULT_TOKEN]) expect(shown).not.toContain(value);
  }
});

test("a start without the encryption key says which reference can't be resolved", async () => {
  expect(await gateway.stop()).toBe(0);
  managers.state.status = 503;
  const { code, err } = await runCommand(["serve"], { ...env, DATA_DIR: gateway.dataDir });
  expect(code).toBe(1);
  expect(err).toContain(
    "ENCRYPTION_KEY can't be resolved: secret://vault/secret/sluice#key: Vault responded with HTTP 503",
  );
});
