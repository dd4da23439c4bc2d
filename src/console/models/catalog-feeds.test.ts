/** Feeds of prices and facts of models: models.dev, OpenRouter and another Sluice. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { desc } from "drizzle-orm";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestConsole, type TestConsole } from "../../../test/support/console/start-console.ts";
import { createPriceTable } from "../../billing/pricing/price-table.ts";
import { resolvePrice } from "../../billing/pricing/resolve-price.ts";
import { createModelCatalog } from "../../catalog/catalog.ts";
import { createChannelDirectory } from "../../domain/channels/directory.ts";
import {
  type CatalogAction,
  readCatalogAction,
  runCatalogAction,
} from "../../domain/models/catalog/catalog-actions.ts";
import type { UpdatePlan } from "../../domain/models/catalog/plan-update.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { toText } from "../../lib/values/decimal.ts";
import { catalogRoutes } from "./catalog.ts";

let app: TestConsole;
let root: Record<string, string>;
const feeds = { modelsDev: "", openRouter: "" };
beforeAll(async () => {
  const fetch = createSafeFetch(createAddressPolicy(true));
  app = await startTestConsole(undefined, async (services, guarded) => {
    const channels = await createChannelDirectory(services);
    return catalogRoutes({ ...services, channels, fetch, config: { catalogFeeds: feeds, isOffline: false } }, guarded);
  });
  await app.addUser("boss", "root");
  root = await app.login("boss");
});
afterAll(() => app.close());

const put = (model: string, entry: object) => app.ask("PUT", "/api/catalog/", { model, entry }, root);
const priceOf = (model: string) => {
  const query = { requestedModel: model, upstreamModel: model, group: "default", acceptUnset: false };
  const price = resolvePrice(createPriceTable(app.settings)(), query);
  return price?.kind === "per_token"
    ? [toText(price.modelRatio), toText(price.completionRatio), toText(price.cacheRatio)]
    : undefined;
};
const find = (model: string) => createModelCatalog(app.settings)().find(model);

describe("feeds", () => {
  const fixture = (name: string) => Bun.file(join(import.meta.dir, "../../../test/fixtures/catalog", `${name}.json`));
  const ask = (path: string, body: object = {}) => app.ask("POST", `/api/catalog/update${path}`, body, root);
  const planOf = async (body: object) => (await ask("/preview", body)).body.data as UpdatePlan & { digest: string };
  let answers: Record<string, () => Response | Promise<Response>> = {};
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => answers[new URL(url).pathname]?.() ?? new Response("not here", { status: 404 }),
  });
  afterAll(() => server.stop(true));
  beforeEach(async () => {
    feeds.modelsDev = feeds.openRouter = `http://127.0.0.1:${server.port}`;
    answers = {
      "/api.json": async () => new Response(await fixture("models-dev").text()),
      "/api/v1/models": async () => new Response(await fixture("openrouter").text()),
    };
    await app.settings.reset("ModelCatalogUpdate");
    for (const model of ["gpt-4o", "lumen-1", "acme/lumen-1", "acme/lumen-0"]) await put(model, { price: null });
  });

  test("show each difference with its source, and change nothing before they are applied", async () => {
    const plan = await planOf({ source: "models.dev" });
    expect(plan.changes.find(({ model }) => model === "gpt-4o")).toMatchObject({
      kind: "changed",
      source: "https://models.dev/",
      fields: expect.arrayContaining([{ field: "output_limit", before: 16_384, after: 20_000 }]),
    });
    expect(plan.prices.find(({ model }) => model === "gpt-4o")).toMatchObject({
      before: { input: 2.5, output: 10 },
      after: { input: 2, output: 8, cache_read: 1 },
      applies: true,
      source: "https://models.dev/",
    });
    expect(find("gpt-4o").output_limit).toBe(16_384);
    expect(find("lumen-1").context_window).toBeNull();
  });

  test("keep the relation of tiers and hours that they say nothing about", async () => {
    const { prices } = await planOf({ source: "models.dev" });
    const change = prices.find(({ model }) => model === "gpt-4o");
    // Fast mode costs 1.7 times as much, batches half, whatever the price of a token is.
    expect(change?.before?.service_tiers).toMatchObject({ priority: { input: 4.25, output: 17 } });
    expect(change?.after?.service_tiers).toMatchObject({ priority: { input: 3.4, output: 13.6 }, batch: { input: 1 } });
  });

  test("add to what is in force, one after the other, and say nothing of models that they do not list", async () => {
    await ask("", { source: "models.dev" });
    expect(find("lumen-1").context_window).toBe(400_000);
    const plan = await planOf({ source: "OpenRouter" });
    expect(plan.changes.every(({ kind }) => kind !== "removed")).toBe(true);
    expect((await ask("", { source: "OpenRouter" })).body.success).toBe(true);
    expect(find("lumen-1").context_window).toBe(400_000);
    expect(find("acme/lumen-0")).toMatchObject({ context_window: 8192, deprecation_date: "2026-05-15" });
    expect(priceOf("acme/lumen-1")).toEqual(["0.625", "8", "0.1"]);
    // Once more: nothing is new.
    expect(await planOf({ source: "OpenRouter" })).toMatchObject({ changes: [], prices: [] });
  });

  test("never replace an operator's price, which is shown and stays", async () => {
    await put("lumen-1", { price: { input: 9, output: 90 } });
    const plan = await planOf({ source: "models.dev" });
    expect(plan.prices.find(({ model }) => model === "lumen-1")).toMatchObject({
      before: { input: 9, output: 90 },
      after: { input: 1.25, output: 10 },
      applies: false,
    });
    const selection = [{ model: "lumen-1", fields: ["price", "context_window"] }];
    await ask("", { source: "models.dev", selection });
    expect(priceOf("lumen-1")?.slice(0, 2)).toEqual(["4.5", "10"]);
    expect(find("lumen-1").context_window).toBe(400_000);
  });

  test("take the selected fields alone", async () => {
    const selection = [
      { model: "lumen-1", fields: ["price"] },
      { model: "gpt-4o", fields: ["output_limit"] },
    ];
    expect((await ask("", { source: "models.dev", selection })).body.success).toBe(true);
    expect(priceOf("lumen-1")?.[0]).toBe("0.625");
    expect(find("lumen-1").context_window).toBeNull();
    expect(find("gpt-4o").output_limit).toBe(20_000);
    expect(priceOf("gpt-4o")?.[0]).toBe("1.25");
  });

  test("are undone: facts, and each price that nobody has changed since", async () => {
    await ask("", { source: "models.dev" });
    await ask("", { source: "OpenRouter" });
    expect((await app.ask("GET", "/api/catalog/", undefined, root)).body.data as object).toMatchObject({
      update: { can_undo: true },
    });
    await put("acme/lumen-1", { price: { input: 5, output: 5 } });
    const undone = await ask("/undo");
    expect(undone.body).toMatchObject({ success: true, data: { retained: ["acme/lumen-1"] } });
    expect(find("lumen-1").context_window).toBe(400_000);
    expect(app.settings.get("ModelCatalogUpdate").models.has("acme/lumen-1")).toBe(false);
    expect(priceOf("acme/lumen-1")?.[0]).toBe("2.5");
    expect(priceOf("acme/lumen-0")).toBeUndefined();
    // One step is retained.
    expect((await ask("/undo")).body).toMatchObject({ success: false, code: "catalog_nothing_to_undo" });
    await put("acme/lumen-1", { price: null });
  });

  test("write who changed what into the audit log", async () => {
    await ask("", { source: "models.dev" });
    const [row] = await app.db.select().from(logs).orderBy(desc(logs.id)).limit(1);
    expect(row?.content).toContain("model catalog");
    await ask("/undo");
    const [undone] = await app.db.select().from(logs).orderBy(desc(logs.id)).limit(1);
    expect(undone?.id).not.toBe(row?.id);
  });

  test("that changed after the preview have to be looked at again", async () => {
    const { digest } = await planOf({ source: "models.dev" });
    answers["/api.json"] = () => Response.json({ openai: { models: { "lumen-9": { limit: { context: 9 } } } } });
    expect((await ask("", { source: "models.dev", digest })).body).toMatchObject({ code: "catalog_changed_since" });
    expect(find("lumen-9").context_window).toBeNull();
    const again = await planOf({ source: "models.dev" });
    expect((await ask("", { source: "models.dev", digest: again.digest })).body.success).toBe(true);
    expect(find("lumen-9").context_window).toBe(9);
  });

  test("of another Sluice are read from its public prices", async () => {
    const model = { model_name: "far-1", quota_type: 0, model_ratio: 1.5, completion_ratio: 4, context_window: 7000 };
    answers["/base/api/pricing"] = () => Response.json({ success: true, data: [model] });
    for (const tail of ["/base", "/base/", "/base/v1/"]) {
      const address = `http://127.0.0.1:${server.port}${tail}`;
      expect((await planOf({ source: "Sluice", address })).prices).toMatchObject([
        { model: "far-1", after: { input: 3, output: 12 }, applies: true },
      ]);
    }
    for (const address of ["", "ftp://x", "no address"])
      expect((await ask("/preview", { source: "Sluice", address })).body).toMatchObject({
        code: "catalog_address_invalid",
      });
  });

  test("are shown, applied and undone by the command", async () => {
    const run = (action: CatalogAction) =>
      runCatalogAction(
        {
          ...app,
          fetch: createSafeFetch(createAddressPolicy(true)),
          config: { catalogFeeds: feeds, isOffline: false },
        },
        action,
      );
    const command = readCatalogAction('{"action":"update","from":"models.dev","only":"LUMEN-*","applies":false}');
    const shown = await run(command);
    if (!("plan" in shown) || shown.isApplied) throw new Error("a plan was expected");
    expect(new Set(shown.plan.changes.map(({ model }) => model))).toEqual(
      new Set(["lumen-1", "lumen-2-pro", "lumen-embed", "lumen-open"]),
    );
    expect(find("lumen-1").context_window).toBeNull();
    await put("lumen-1", { price: { input: 9, output: 90 } });
    expect(
      await run({ ...command, action: "update", from: "MODELS.DEV", document: null, only: "lumen-*", applies: true }),
    ).toMatchObject({
      isApplied: true,
    });
    expect(find("lumen-1").context_window).toBe(400_000);
    expect(find("gpt-4o").output_limit).toBe(16_384);
    expect(priceOf("lumen-1")?.[0]).toBe("4.5");
    const [row] = await app.db.select().from(logs).orderBy(desc(logs.id)).limit(1);
    expect(row).toMatchObject({ username: "boss", content: expect.stringContaining("model catalog") });
    expect(await run({ action: "undo" })).toEqual({ retained: [] });
    expect(find("lumen-1").context_window).toBeNull();
  });

  test("may be handed in as files", async () => {
    const document = await fixture("openrouter").text();
    expect((await planOf({ document })).changes.map(({ model }) => model)).toContain("acme/lumen-1");
  });

  const wrong: readonly (readonly [string, () => Response, string])[] = [
    ["an error", () => new Response("no", { status: 503 }), "catalog_fetch_status"],
    ["a page", () => new Response("<html>"), "catalog_not_json"],
    ["another shape", () => Response.json({ data: [{ id: "x", object: "model" }] }), "field_invalid"],
    ["too much", () => new Response("x".repeat(33 * 1024 * 1024)), "catalog_fetch_failed"],
  ];
  test.each(wrong)("that answer with %s change nothing", async (_, answer, code) => {
    await ask("", { source: "models.dev" });
    answers["/api.json"] = answer;
    for (const path of ["", "/preview"])
      expect((await ask(path, { source: "models.dev" })).body).toMatchObject({ success: false, code });
    expect(find("lumen-1").context_window).toBe(400_000);
  });
});
