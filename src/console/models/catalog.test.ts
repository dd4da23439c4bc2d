import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { options } from "../../../db/schema/settings.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { createPriceTable } from "../../billing/pricing/price-table.ts";
import { resolvePrice } from "../../billing/pricing/resolve-price.ts";
import { createModelCatalog, shippedDocument } from "../../catalog/catalog.ts";
import { readEntry } from "../../catalog/entry.ts";
import { createChannelDirectory } from "../../domain/channels/directory.ts";
import type { CatalogEntryView } from "../../domain/models/catalog/list-catalog.ts";
import type { UpdatePlan } from "../../domain/models/catalog/plan-update.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { toText } from "../../lib/values/decimal.ts";
import { createCatalogUpdate } from "../../server/jobs/catalog-update.ts";
import { catalogRoutes } from "./catalog.ts";

let app: TestConsole;
let root: Record<string, string>;
let admin: Record<string, string>;
let user: Record<string, string>;
const fetch = createSafeFetch(createAddressPolicy(true));
beforeAll(async () => {
  app = await startTestConsole(undefined, async (services, guarded) => {
    const channels = await createChannelDirectory(services);
    return catalogRoutes(
      { ...services, channels, fetch, config: { catalogFeeds: { modelsDev: "", openRouter: "" }, isOffline: false } },
      guarded,
    );
  });
  for (const [name, role] of [
    ["boss", "root"],
    ["helper", "admin"],
    ["guest", "user"],
  ] as const)
    await app.addUser(name, role);
  root = await app.login("boss");
  admin = await app.login("helper");
  user = await app.login("guest");
});
afterAll(() => app.close());

const put = (model: string, entry: object, headers = root) =>
  app.ask("PUT", "/api/catalog/", { model, entry }, headers);
const remove = (model: string, headers = root) =>
  app.ask("DELETE", `/api/catalog/?model=${encodeURIComponent(model)}`, undefined, headers);
const list = async (headers = admin) =>
  (await app.ask("GET", "/api/catalog/", undefined, headers)).body.data as {
    entries: CatalogEntryView[];
    update: { url: string; applied_at: number } | null;
  };
const entryOf = async (model: string) => (await list()).entries.find((entry) => entry.model === model);
const priceOf = (model: string) => {
  const query = { requestedModel: model, upstreamModel: model, group: "default", acceptUnset: false };
  const price = resolvePrice(createPriceTable(app.settings)(), query);
  return price?.kind === "per_token"
    ? [toText(price.modelRatio), toText(price.completionRatio), toText(price.cacheRatio)]
    : price && toText(price.usdPerCall);
};
const find = (model: string) => createModelCatalog(app.settings)().find(model);

describe("entries", () => {
  test("are listed for admins, changed by super admins alone", async () => {
    const denied = { success: false, code: "permission_denied" };
    expect((await app.ask("GET", "/api/catalog/", undefined, user)).body).toMatchObject(denied);
    expect((await put("m", {}, admin)).body).toMatchObject(denied);
    expect((await remove("m", admin)).body).toMatchObject(denied);
    for (const path of ["/api/catalog/update", "/api/catalog/update/preview"])
      expect((await app.ask("POST", path, {}, admin)).body).toMatchObject(denied);
    expect((await app.ask("DELETE", "/api/catalog/update", undefined, admin)).body).toMatchObject(denied);
    expect((await app.ask("GET", "/api/catalog/")).status).toBe(401);
    const { entries, update } = await list();
    expect(update).toBeNull();
    expect(entries.length).toBeGreaterThan(900);
    expect(entries.find(({ model }) => model === "claude-opus-4-8")).toMatchObject({
      ...{ is_pattern: false, is_served: false, is_shipped: true, own: null, has_own_price: false },
      facts: { provider: "Anthropic", context_window: 1_000_000, output_limit: 128_000 },
      price: { input: 5, output: 25, cache_read: 0.5 },
      pages: [expect.stringContaining("models.dev")],
      read_on: "2026-07-02",
    });
    expect(entries.find(({ model }) => model === "claude-*")).toMatchObject({ is_pattern: true, price: null });
  });

  test("are listed by pages, by name, provider and state, as in the whole catalog", async () => {
    const { entries } = await list();
    const page = async (query: string, headers = admin) =>
      (await app.ask("GET", `/api/catalog/models?${query}`, undefined, headers)).body;
    expect(await page("p=2&page_size=50")).toMatchObject({
      data: { items: entries.slice(50, 100), total: entries.length, page: 2 },
    });
    for (const [query, isMeant] of [
      ["keyword=opus48", ({ model }) => /o.*p.*u.*s.*4.*8/i.test(model)],
      ["provider=Anthropic", ({ facts }) => facts.provider === "Anthropic"],
      ["state=patterns", ({ is_pattern }) => is_pattern],
      ["state=ending&provider=OpenAI", ({ facts }) => facts.deprecation_date !== null && facts.provider === "OpenAI"],
    ] as const satisfies [string, (entry: CatalogEntryView) => boolean][]) {
      const found = entries.filter(isMeant);
      expect(found.length, query).toBeGreaterThan(0);
      const { data } = await page(`${query}&page_size=100`);
      expect([query, data]).toMatchObject([query, { items: found.slice(0, 100), total: found.length }]);
    }
    expect(await page("", user)).toMatchObject({ success: false, code: "permission_denied" });
    const { body } = await app.ask("GET", "/api/catalog/summary", undefined, admin);
    expect(body).toMatchObject({ data: { providers: expect.arrayContaining(["Anthropic", "OpenAI"]), update: null } });
  });

  test("an own entry wins, is in force at once, and can be taken back", async () => {
    const facts = { output_limit: 32_000, reasoning: { style: "none" } };
    expect((await put("claude-opus-4-8", facts)).body).toMatchObject({ success: true });
    expect(find("claude-opus-4-8")).toMatchObject({ output_limit: 32_000, context_window: 1_000_000 });
    expect(find("us.anthropic.claude-opus-4-8").reasoning).toEqual({ style: "none" });
    expect(await entryOf("claude-opus-4-8")).toMatchObject({ own: facts, has_own_price: false });
    expect((await put("claude-opus-4-8", { tools: false })).body).toMatchObject({ success: true });
    expect(find("claude-opus-4-8")).toMatchObject({ output_limit: 128_000, tools: false });
    expect((await remove("claude-opus-4-8")).body).toMatchObject({ success: true });
    expect(find("claude-opus-4-8").tools).toBe(true);
    expect((await remove("claude-opus-4-8")).body).toMatchObject({ success: false, code: "catalog_entry_missing" });
  });

  test("new models and patterns can be added, with slashes and any letters", async () => {
    await put("acme/模型-1", { context_window: 1000, source: "https://acme.test/models", read_on: "2026-11" });
    await put("acme-*", { provider: "Acme" });
    expect(await entryOf("acme/模型-1")).toMatchObject({ is_shipped: false, pages: ["https://acme.test/models"] });
    expect(find("acme-7").provider).toBe("Acme");
    for (const model of ["acme/模型-1", "acme-*"]) await remove(model);
    expect(await app.db.select().from(options)).not.toContainEqual(expect.objectContaining({ key: "ModelCatalog" }));
  });

  test("what is wrong is named, and changes nothing", async () => {
    for (const [entry, field] of [
      [{ output_limit: -1 }, null],
      [{ outputLimit: 1 }, "entry.outputLimit"],
      [{ reasoning: { style: "hard" } }, "entry.reasoning.style"],
      [{ price: { output: 1 } }, "entry.price"],
    ] as const) {
      const { body } = await put("acme", entry);
      expect(body.success).toBe(false);
      if (field) expect(body.message).toStartWith(`${field} must be`);
    }
    expect((await put(" acme", {})).body.success).toBe(false);
    expect((await put("*", { tools: true })).body.success).toBe(false);
    expect((await put("acme-*", { price: { input: 1 } })).body).toMatchObject({ code: "catalog_price_of_pattern" });
    expect(find("acme").output_limit).toBeNull();
    expect(await app.db.select().from(options)).not.toContainEqual(expect.objectContaining({ key: "ModelRatio" }));
  });

  test("a price goes into the price options, exactly, and back", async () => {
    const price = { input: 3, output: 15, cache_read: 0.3, tiers: [{ over: 1000, input: 6, output: 22.5 }] };
    await put("acme-1", { output_limit: 5, price });
    expect(priceOf("acme-1")).toEqual(["1.5", "5", "0.1"]);
    expect(app.settings.get("ContextTiers").get("acme-1")).toHaveLength(1);
    expect(await entryOf("acme-1")).toMatchObject({ price, has_own_price: true, own: { output_limit: 5 } });
    await put("acme-1", { output_limit: 5, price: { per_call: 0.25 } });
    expect(priceOf("acme-1")).toBe("0.25");
    expect(app.settings.get("ModelRatio").has("acme-1")).toBe(false);
    await put("acme-1", { output_limit: 6 });
    expect(priceOf("acme-1")).toBe("0.25");
    await put("gpt-4o", { price: { input: 9, output: 9 } });
    expect(priceOf("gpt-4o")).toEqual(["4.5", "1", "1"]);
    await put("gpt-4o", { price: null });
    expect(priceOf("gpt-4o")).toEqual(["1.25", "4", "0.5"]);
    await put("acme-1", { price: null });
    expect(priceOf("acme-1")).toBeNull();
    // With everything as the release has it, nothing is stored: the next release's prices apply.
    const stored = (await app.db.select().from(options)).map(({ key }) => key);
    expect(stored.filter((key) => !key.startsWith("_") && key !== "ServerAddress")).toEqual([]);
  });

  test("entries that are saved at the same moment are all kept", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `many-${index}`);
    await Promise.all(names.map((name) => put(name, { output_limit: 7, price: { input: 2, output: 2 } })));
    for (const name of names)
      expect([name, find(name).output_limit, priceOf(name)]).toEqual([name, 7, ["1", "1", "1"]]);
    await Promise.all(names.map((name) => put(name, { price: null })));
    expect(app.settings.get("ModelCatalog").size).toBe(0);
  });

  test("every shipped entry passes the API's own description", async () => {
    for (const [model, { price, ...facts }] of [...shippedDocument.models].slice(0, 60)) {
      const answer = await put(model, { ...facts });
      expect([model, answer.body.success]).toEqual([model, true]);
      expect(readEntry({ ...facts, ...(price && { price }) }, "")).toBeTruthy();
    }
    await app.settings.reset("ModelCatalog");
  });
});

test("the examples of the documentation are valid", async () => {
  const guide = await Bun.file(join(import.meta.dir, "../../../docs/guide/model-catalog.md")).text();
  const { model, entry } = JSON.parse(/-d '(\{[^']*\})'/.exec(guide)?.[1] ?? "");
  expect((await put(model, entry)).body).toMatchObject({ success: true });
  expect(find(model).output_limit).toBe(entry.output_limit);
  expect(await entryOf(model)).toMatchObject({ price: entry.price });
  await put(model, { price: null });
  const document = /```json\n([^`]*)```/.exec(guide)?.[1] ?? "";
  const { body } = await app.ask("POST", "/api/catalog/update/preview", { document }, root);
  expect((body.data as UpdatePlan).changes.map(({ model: name }) => name)).toEqual(["acme-1"]);
});

describe("updates", () => {
  const document = (models: object, sources: object = {}) => JSON.stringify({ format: 1, sources, models });
  const preview = async (text: string) =>
    (await app.ask("POST", "/api/catalog/update/preview", { document: text }, root)).body;
  const apply = async (text: string) => (await app.ask("POST", "/api/catalog/update", { document: text }, root)).body;

  test("show what they change, and change that, but no price of the operator's own", async () => {
    await put("gpt-4o-mini", { price: { input: 1, output: 2 } });
    const text = document(
      {
        "gpt-4o": { output_limit: 20_000, price: { input: 2, output: 8, source: "list" } },
        "gpt-4o-mini": { price: { input: 0.1, output: 0.4, source: "list" } },
        "new-1": { context_window: 5, price: { input: 7.3, output: 14.6, source: "yuan" } },
      },
      { list: { pages: ["https://prices.test/"], read_on: "2026-11-20" }, yuan: { currency: "CNY", pages: [] } },
    );
    const planned = (await preview(text)).data as UpdatePlan;
    expect(planned.changes.map(({ model, kind }) => [model, kind])).toEqual([
      ["gpt-4o", "changed"],
      ["new-1", "added"],
    ]);
    expect(planned.changes[0]?.fields).toContainEqual({ field: "output_limit", before: 16_384, after: 20_000 });
    expect(planned.prices.map(({ model, applies }) => [model, applies])).toEqual([
      ["gpt-4o", true],
      ["gpt-4o-mini", false],
      ["new-1", true],
    ]);
    expect(find("gpt-4o").output_limit).toBe(16_384);
    expect((await apply(text)).success).toBe(true);
    expect(find("gpt-4o").output_limit).toBe(20_000);
    expect(priceOf("gpt-4o")).toEqual(["1", "4", "1"]);
    expect(priceOf("gpt-4o-mini")).toEqual(["0.5", "2", "1"]);
    expect(priceOf("new-1")).toEqual(["0.5", "2", "1"]);
    expect((await list()).update).toMatchObject({ url: "", applied_at: expect.any(Number) });
    // A later update changes its own price again.
    const later = document({ "gpt-4o": { price: { input: 4, output: 8 } } });
    expect((await apply(later)).success).toBe(true);
    expect(priceOf("gpt-4o")).toEqual(["2", "2", "1"]);
    expect(((await preview(later)).data as UpdatePlan).changes).toEqual([]);
    await app.ask("DELETE", "/api/catalog/update", undefined, root);
    expect((await list()).update).toBeNull();
    for (const model of ["gpt-4o", "gpt-4o-mini", "new-1"]) await put(model, { price: null });
  });

  test("give no price to a model that the operator has taken it from", async () => {
    const { "gpt-4o": _, ...others } = JSON.parse(
      app.settings.list().find(({ key }) => key === "ModelRatio")?.value ?? "",
    );
    await app.settings.set("ModelRatio", JSON.stringify(others));
    expect(await entryOf("gpt-4o")).toMatchObject({ price: null });
    const plan = (await preview(document({ "gpt-4o": { price: { input: 2, output: 8 } } }))).data as UpdatePlan;
    expect(plan.prices).toMatchObject([{ model: "gpt-4o", before: null, applies: false }]);
    await app.settings.reset("ModelRatio");
  });

  test.each([
    ["not json", "catalog_not_json"],
    ["[]", "field_invalid"],
    [document({ "gpt-4o": { output_limit: "many" } }), "field_invalid"],
    [document({ "gpt-4o": { surprise: 1 } }), "field_invalid"],
    [JSON.stringify({ format: 2, models: {} }), "field_invalid"],
  ])("%s changes nothing and says why", async (text, code) => {
    expect(await preview(text)).toMatchObject({ success: false, code });
    expect(await apply(text)).toMatchObject({ success: false, code });
    expect((await list()).update).toBeNull();
  });

  test("are fetched from the address of the settings, within bounds", async () => {
    expect((await app.ask("POST", "/api/catalog/update", {}, root)).body).toMatchObject({ code: "catalog_url_unset" });
    let answer = () => new Response(document({ "fetched-1": { context_window: 3 } }));
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answer() });
    try {
      await app.settings.set("ModelCatalogUrl", `http://127.0.0.1:${server.port}/models.json`);
      const plan = (await app.ask("POST", "/api/catalog/update", {}, root)).body.data as UpdatePlan;
      expect(plan.changes.map(({ model }) => model)).toEqual(["fetched-1"]);
      expect((await list()).update?.url).toBe(`http://127.0.0.1:${server.port}/models.json`);
      for (const [bad, code] of [
        [() => new Response("no", { status: 500 }), "catalog_fetch_status"],
        [() => new Response("x".repeat(5 * 1024 * 1024)), "catalog_fetch_failed"],
        [() => new Response("<html>"), "catalog_not_json"],
      ] as const) {
        answer = bad;
        expect((await app.ask("POST", "/api/catalog/update", {}, root)).body).toMatchObject({ success: false, code });
        expect(find("fetched-1").context_window).toBe(3);
      }
      // By itself once a day, when that is on.
      answer = () => new Response(document({ "fetched-1": { context_window: 4 } }));
      let now = Math.floor(Date.now() / 1000) + 3 * 86_400;
      const config = { isOffline: true };
      const update = createCatalogUpdate(
        { settings: app.settings, fetch, log: createLogger({ logLevel: "silent", logFormat: "json" }), config },
        () => now,
      );
      await update();
      expect(find("fetched-1").context_window).toBe(3);
      await app.settings.set("ModelCatalogAutoUpdate", "true");
      await update();
      expect(find("fetched-1").context_window).toBe(3);
      config.isOffline = false;
      await update();
      expect(find("fetched-1").context_window).toBe(4);
      answer = () => new Response(document({ "fetched-1": { context_window: "bad" } }));
      now += 86_400;
      await expect(update()).rejects.toThrow();
      expect(find("fetched-1").context_window).toBe(4);
      answer = () => new Response(document({ "fetched-1": { context_window: 5 } }));
      now += 86_399;
      // It does not try again before a day has passed, and has not succeeded either.
      await expect(update()).rejects.toThrow();
      expect(find("fetched-1").context_window).toBe(4);
      now += 1;
      await update();
      expect(find("fetched-1").context_window).toBe(5);
    } finally {
      await server.stop(true);
    }
  });
});
