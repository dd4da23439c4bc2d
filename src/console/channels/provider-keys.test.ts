import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import pino from "pino";
import { providerKeys } from "../../../db/schema/channels/provider-keys.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { until } from "../../../test/support/lib/until.ts";
import {
  createProviderKeyDirectory,
  type ProviderKeyDirectory,
} from "../../domain/channels/provider-keys/directory.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { providerKeyRoutes } from "./provider-keys.ts";

const SECRET = "sk-a-secret-that-nobody-sees-again";

let app: TestConsole;
let directory: ProviderKeyDirectory;
let provider: Bun.Server<undefined>;
const users = new Map<string, Record<string, string>>();
const ids = new Map<string, number>();
/** Authorization headers that the provider was sent. */
const sent: (string | null)[] = [];
let answer: () => Response = () => Response.json({ data: [{ id: "gpt-4o" }, { id: "gpt-4o-mini" }] });

beforeAll(async () => {
  provider = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch(request) {
      sent.push(request.headers.get("authorization"));
      return answer();
    },
  });
  app = await startTestConsole(undefined, async ({ db, changes, vault, settings }, guarded) => {
    const addresses = { openai: `http://127.0.0.1:${provider.port}` };
    directory = await createProviderKeyDirectory({ db, changes, vault, log: pino({ level: "silent" }), addresses });
    const fetch = createSafeFetch(createAddressPolicy(true));
    return providerKeyRoutes({ db, changes, vault, settings, fetch, providerKeys: directory }, guarded);
  });
  for (const name of ["alice", "bob"]) ids.set(name, await app.addUser(name));
  ids.set("root", await app.addUser("root", "root"));
  for (const name of ids.keys()) users.set(name, await app.login(name));
});
afterAll(async () => {
  provider.stop(true);
  directory.close();
  await app.close();
});
beforeEach(async () => {
  sent.splice(0);
  await app.settings.set("ProviderKeys", "both");
  await app.settings.set("ProviderKeyProviders", "[]");
  await app.settings.set("ProviderKeyGroups", "[]");
  for (const who of ["alice", "bob"]) for (const { id } of await list(who)) await as(who, "DELETE", `/${id}`);
});

const as = async (who: string, method: string, path: string, body?: unknown) =>
  (await app.ask(method, `/api/provider_keys${path}`, body, users.get(who))).body;
const list = async (who: string) => (await as(who, "GET", "/")).data as ({ id: number } & Record<string, unknown>)[];
const input = (fields: object = {}) => ({
  ...{ name: "mine", provider: "openai", key: SECRET, models: ["gpt-*"], mode: "first", enabled: true },
  ...fields,
});
const add = async (who = "alice", fields: object = {}) =>
  ((await as(who, "POST", "/", input(fields))).data as { id: number } | null)?.id ?? 0;
const keysOf = (who: string) => directory.of(ids.get(who) ?? 0);

describe("keys of one's own at providers", () => {
  test("are stored encrypted, never shown, and known to calls of their account alone", async () => {
    const id = await add();
    const answered = await app.ask("GET", "/api/provider_keys/", undefined, users.get("alice"));
    expect(answered.text).not.toContain("sk-a");
    expect(answered.body.data).toEqual([
      {
        ...{ id, name: "mine", provider: "openai", provider_name: "OpenAI", models: ["gpt-*"], mode: "first" },
        ...{ enabled: true, created_at: expect.any(Number), last_error: "", failed_at: null },
      },
    ]);
    const [row] = await app.db.select().from(providerKeys);
    expect(row?.keyCipher).not.toContain("sk-a");
    expect(app.vault.decrypt(row?.keyCipher ?? "")).toBe(SECRET);
    expect(keysOf("alice")).toMatchObject([{ id, key: SECRET, type: 1, mode: "first" }]);
    expect(keysOf("bob")).toBeUndefined();
  });

  test("are changed, switched off and deleted at once", async () => {
    const id = await add();
    await as("alice", "PUT", `/${id}`, input({ key: undefined, name: "renamed", mode: "only" }));
    expect(keysOf("alice")).toMatchObject([{ id, key: SECRET, name: "renamed", mode: "only" }]);
    await as("alice", "PUT", `/${id}`, input({ key: "sk-another-secret" }));
    expect(keysOf("alice")).toMatchObject([{ key: "sk-another-secret" }]);
    await as("alice", "PUT", `/${id}`, input({ key: undefined, enabled: false }));
    expect(keysOf("alice")).toBeUndefined();
    await as("alice", "PUT", `/${id}`, input({ key: undefined }));
    expect(keysOf("alice")).toHaveLength(1);
    expect((await as("alice", "DELETE", `/${id}`)).success).toBe(true);
    expect([keysOf("alice"), await list("alice")]).toEqual([undefined, []]);
  });

  test("stay with their provider: for another one the secret is entered again", async () => {
    const id = await add();
    const moved = await as("alice", "PUT", `/${id}`, input({ key: undefined, provider: "anthropic" }));
    expect(moved.code).toBe("provider_key_required_again");
    expect(keysOf("alice")).toMatchObject([{ type: 1, key: SECRET }]);
    await as("alice", "PUT", `/${id}`, input({ key: "sk-ant-another", provider: "anthropic" }));
    expect(keysOf("alice")).toMatchObject([{ type: 14, key: "sk-ant-another", baseUrl: "" }]);
  });

  test("of another account are not there", async () => {
    const id = await add();
    for (const [method, path, body] of [
      ["PUT", `/${id}`, input({ name: "stolen", key: undefined })],
      ["DELETE", `/${id}`, undefined],
      ["POST", `/${id}/test`, undefined],
    ] as const) {
      for (const who of ["bob", "root"])
        expect([method, (await as(who, method, path, body)).code]).toEqual([method, "provider_key_not_found"]);
    }
    expect(await list("bob")).toEqual([]);
    expect(keysOf("alice")).toMatchObject([{ name: "mine" }]);
    expect(sent).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["no name", { name: " " }, "provider_key_name_invalid"],
    ["a name that is too long", { name: "x".repeat(61) }, "provider_key_name_invalid"],
    ["a provider that is none", { provider: "acme" }, "provider_key_provider_invalid"],
    ["a provider that needs an address", { provider: "azure" }, "provider_key_provider_invalid"],
    ["no key", { key: undefined }, "provider_key_invalid"],
    ["two keys", { key: "sk-one-key,sk-other-key" }, "provider_key_invalid"],
    ["a key with a line break", { key: "sk-one-key\nx-header: 1" }, "provider_key_invalid"],
    ["no models", { models: [" "] }, "provider_key_models_invalid"],
    ["too many models", { models: Array.from({ length: 201 }, (_, at) => `m${at}`) }, "provider_key_models_invalid"],
    ["a broken pattern", { models: ["re:("] }, "name_pattern_invalid"],
  ])("are refused with %s", async (_, fields, code) => {
    expect((await as("alice", "POST", "/", input(fields))).code).toBe(code);
    expect(await list("alice")).toEqual([]);
  });

  test.each([
    ["ProviderKeys", "off", "provider_keys_off"],
    ["ProviderKeys", "call", "provider_keys_off"],
    ["ProviderKeyGroups", '["vip"]', "provider_keys_off"],
    ["ProviderKeyProviders", '["anthropic"]', "provider_key_provider_invalid"],
  ] as const)("are refused where %s is %s", async (option, value, code) => {
    await app.settings.set(option, value);
    expect((await as("alice", "POST", "/", input())).code).toBe(code);
  });

  test("are as many as an account may have", async () => {
    const all = await Promise.all(
      Array.from({ length: 53 }, (_, at) => as("bob", "POST", "/", input({ name: `k${at}` }))),
    );
    const stored = all.filter(({ success }) => success);
    expect(stored).toHaveLength(50);
    expect(await list("bob")).toHaveLength(50);
    expect((await as("bob", "POST", "/", input())).code).toBe("provider_keys_full");
  });

  test("are tested by the provider's list of models, and the list says what it answered", async () => {
    const id = await add();
    expect((await as("alice", "POST", `/${id}/test`)).data).toEqual({
      ...{ success: true, models: ["gpt-4o", "gpt-4o-mini"], error: "" },
    });
    expect(sent).toEqual([`Bearer ${SECRET}`]);
    answer = () => Response.json({ error: { message: `wrong key ${SECRET}` } }, { status: 401 });
    const failed = (await as("alice", "POST", `/${id}/test`)).data as { success: boolean; error: string };
    expect(failed.success).toBe(false);
    expect(failed.error).toContain("401");
    expect(failed.error).not.toContain(SECRET);
    expect(await list("alice")).toMatchObject([{ last_error: failed.error, failed_at: expect.any(Number) }]);
    answer = () => Response.json({ data: [{ id: "gpt-4o" }] });
    await as("alice", "POST", `/${id}/test`);
    expect(await list("alice")).toMatchObject([{ last_error: "", failed_at: null }]);
  });

  test("keep why the provider refused them in a call, until one works", async () => {
    const id = await add();
    directory.report(id, null);
    directory.report(id, "401: Incorrect API key");
    await until(async () => (await list("alice"))[0]?.last_error === "401: Incorrect API key");
    await until(() => keysOf("alice") !== undefined);
    await Bun.sleep(1001);
    directory.report(id, null);
    await until(async () => (await list("alice"))[0]?.last_error === "");
    directory.report(id + 1000, "401: nobody's");
  });

  test("offer what the site allows, with its fee", async () => {
    await app.settings.set("ProviderKeyFeePercent", "5");
    await app.settings.set("ProviderKeyFeePerCall", "0.0001");
    await app.settings.set("ProviderKeyProviders", '["openai"]');
    const offer = (await as("alice", "GET", "/offer")).data as Record<string, unknown>;
    expect(offer).toMatchObject({ stored: true, sent: true, fee_percent: "5", fee_per_call: "0.0001" });
    expect(offer.providers).toMatchObject([{ provider: "openai", name: "OpenAI", key_hint: "sk-…" }]);
    await app.settings.set("ProviderKeys", "off");
    expect((await as("alice", "GET", "/offer")).data).toMatchObject({ stored: false, sent: false });
  });

  test("are counted for administrators, and for nobody else", async () => {
    await add();
    await add("bob", { enabled: false });
    expect((await as("root", "GET", "/count")).data).toEqual([{ provider_name: "OpenAI", keys: 2, enabled: 1 }]);
    expect((await as("alice", "GET", "/count")).success).toBe(false);
  });
});
