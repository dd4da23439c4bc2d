import { Elysia, type TSchema, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { BILLING_UNITS, CURRENCIES, EFFORTS, MODALITIES, REASONING_STYLES } from "../../catalog/entry.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import {
  CATALOG_STATES,
  catalogPage,
  catalogProviders,
  listCatalog,
} from "../../domain/models/catalog/list-catalog.ts";
import { recordCatalogChange } from "../../domain/models/catalog/record-catalog-change.ts";
import { deleteCatalogEntry, saveCatalogEntry } from "../../domain/models/catalog/save-entry.ts";
import {
  applyUpdate,
  type FeedAddresses,
  LARGEST_DOCUMENT,
  previewUpdate,
  readSource,
  undoUpdate,
} from "../../domain/models/catalog/update-catalog.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Settings } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integer } from "../http/integers.ts";
import { paged, pagingQuery } from "../http/paging.ts";

type Services = Readonly<{
  db: Db;
  settings: Settings;
  channels: ChannelDirectory;
  fetch: SafeFetch;
  config: Readonly<{ catalogFeeds: FeedAddresses; isOffline: boolean }>;
}>;

const orNull = <T extends Parameters<typeof t.Union>[0][number]>(schema: T) => t.Optional(t.Union([schema, t.Null()]));
const choice = (choices: readonly string[]) => t.String({ description: `One of: ${choices.join(", ")}.` });
const tokens = integer({ minimum: 0 });
const usd = t.Optional(t.Number({ minimum: 0 }));

/** For the API description; src/catalog/entry.ts validates the fields and names the invalid one. */
const entry: TSchema & { static: object } = t.Object(
  {
    name: orNull(t.String()),
    provider: orNull(t.String()),
    description: orNull(t.String()),
    aliases: t.Optional(t.Array(t.String())),
    context_window: orNull(tokens),
    output_limit: orNull(tokens),
    input_modalities: orNull(t.Array(choice(MODALITIES))),
    output_modalities: orNull(t.Array(choice(MODALITIES))),
    tools: orNull(t.Boolean()),
    structured_output: orNull(t.Boolean()),
    reasoning: orNull(
      t.Object({
        style: choice(REASONING_STYLES),
        efforts: t.Optional(t.Array(choice(EFFORTS))),
        min_budget: t.Optional(tokens),
        max_budget: t.Optional(tokens),
        can_disable: t.Optional(t.Boolean()),
      }),
    ),
    assistant_prefill: orNull(t.Boolean()),
    combines_tools: orNull(t.Boolean()),
    strict_tools: orNull(t.Boolean()),
    call_signatures: orNull(t.Boolean()),
    refuses: orNull(t.Array(t.String())),
    refuses_while_reasoning: orNull(t.Array(t.String())),
    developer_messages: orNull(t.Boolean()),
    encrypted_reasoning: orNull(t.Boolean()),
    responses_only: orNull(t.Boolean()),
    built_in_search: orNull(t.Boolean()),
    search_billing: orNull(choice(["answer", "query"])),
    streams_only: orNull(t.Boolean()),
    billed_by: orNull(choice(BILLING_UNITS)),
    bedrock_version: orNull(t.String()),
    bedrock_profiles: orNull(t.Array(t.String())),
    deprecation_date: orNull(t.String()),
    deprecation_source: orNull(t.String()),
    deprecation_channel_types: orNull(t.Array(integer({ minimum: 1 }))),
    platform_retirements: orNull(
      t.Array(
        t.Object({
          date: t.Optional(t.String()),
          source: t.Optional(t.String()),
          channel_types: t.Optional(t.Array(integer({ minimum: 1 }))),
        }),
      ),
    ),
    successor: orNull(t.String()),
    source: orNull(t.String()),
    read_on: orNull(t.String()),
    price: orNull(
      t.Object(
        {
          ...{ input: usd, output: usd, cache_read: usd, cache_write: usd, audio_input: usd, audio_output: usd },
          ...{ image_input: usd, image_output: usd, per_call: usd, per_megapixel: usd, per_second: usd },
          tiers: t.Optional(t.Array(t.Object({ over: tokens, input: t.Number(), output: t.Number() }))),
          variants: t.Optional(t.Record(t.String(), t.Number())),
          currency: t.Optional(choice(CURRENCIES)),
          estimated: t.Optional(t.Boolean()),
          source: t.Optional(t.String()),
        },
        { description: "Amounts of a million tokens, of a call or of a second. Null: back to the list price." },
      ),
    ),
  },
  { additionalProperties: t.Unknown(), description: "What is absent is inherited; null says that it is not known." },
);

const text = t.Optional(t.String({ maxLength: 200 }));
const model = t.String({ minLength: 1, maxLength: 200, description: "A model's name, or a pattern with *." });
const document = t.Optional(
  t.String({
    maxLength: LARGEST_DOCUMENT,
    description: "The catalog as JSON text; absent: fetched from the address of the settings.",
  }),
);

const sourceBody = t.Object({
  document,
  source: t.Optional(
    t.Union([t.Literal("models.dev"), t.Literal("OpenRouter"), t.Literal("Sluice")], {
      description: "A feed instead: models.dev, OpenRouter, or the public prices of another Sluice.",
    }),
  ),
  address: t.Optional(t.String({ maxLength: 2000, description: "The address of the other Sluice." })),
});

const digest = t.Optional(
  t.String({ maxLength: 64, description: "Of the preview: refused if the source has changed since." }),
);
const selection = t.Optional(
  t.Array(t.Object({ model, fields: t.Array(t.String({ maxLength: 100 }), { maxItems: 100 }) }), {
    maxItems: 20_000,
    description: "The fields to take over, `price` among them; absent: all.",
  }),
);

/** The model catalog: listed for admins, changed by super admins. */
export function catalogRoutes({ db, settings, channels, fetch, config }: Services, guarded: ReturnType<typeof guard>) {
  const audited = (actor: Readonly<{ id: number }>, work: () => Promise<readonly string[]>) =>
    recordCatalogChange({ db, settings }, actor, work);
  const read = ({ document: text, source, address = "" }: typeof sourceBody.static) =>
    readSource(
      { settings, feeds: config.catalogFeeds, isOffline: config.isOffline },
      fetch,
      text === undefined ? { feed: source ?? null, address } : { document: text },
    );
  const update = () => {
    const { url, applied_at, previous } = settings.get("ModelCatalogUpdate");
    return applied_at === 0 ? null : { url, applied_at, can_undo: previous !== null };
  };
  return new Elysia({ prefix: "/api/catalog", name: "console/catalog" })
    .use(guarded)
    .get("/", () => ok({ entries: listCatalog({ settings, channels }), update: update() }), { role: "admin" })
    .get("/summary", () => ok({ providers: catalogProviders({ settings, channels }), update: update() }), {
      role: "admin",
    })
    .get(
      "/models",
      ({ query }) => {
        const state = CATALOG_STATES.find((name) => name === query.state) ?? "";
        return paged(query, async (page) => catalogPage({ settings, channels }, { ...query, state }, page));
      },
      { role: "admin", query: t.Object({ ...pagingQuery, keyword: text, provider: text, state: text }) },
    )
    .put(
      "/",
      async ({ actor, body }) => {
        await audited(actor, () => saveCatalogEntry({ settings }, body.model, body.entry));
        return ok(null);
      },
      { role: "root", body: t.Object({ model, entry }) },
    )
    .delete(
      "/",
      async ({ actor, query }) => {
        await audited(actor, () => deleteCatalogEntry({ settings }, query.model));
        return ok(null);
      },
      { role: "root", query: t.Object({ model }) },
    )
    .post(
      "/update/preview",
      async ({ body }) => {
        const source = await read(body);
        return ok({ ...previewUpdate({ settings }, source), digest: source.digest, url: source.url });
      },
      { role: "root", body: sourceBody },
    )
    .post(
      "/update",
      async ({ actor, body }) => {
        const source = await read(body);
        const { url } = source;
        if (body.digest !== undefined && body.digest !== source.digest)
          throw new OperationError("catalog_changed_since");
        let plan = previewUpdate({ settings }, source);
        await audited(actor, async () => {
          const selection = body.selection ?? null;
          const applied = await applyUpdate({ settings }, source, { url, nowSeconds: nowSeconds(), selection });
          plan = applied.plan;
          return applied.changed;
        });
        return ok(plan);
      },
      { role: "root", body: t.Composite([sourceBody, t.Object({ digest, selection })]) },
    )
    .post(
      "/update/undo",
      async ({ actor }) => {
        let retained: readonly string[] = [];
        await audited(actor, async () => {
          const undone = await undoUpdate({ settings });
          retained = undone.retained;
          return undone.changed;
        });
        return ok({ retained });
      },
      { role: "root" },
    )
    .delete(
      "/update",
      async ({ actor }) => {
        await audited(actor, async () => {
          await settings.reset("ModelCatalogUpdate");
          return ["ModelCatalogUpdate"];
        });
        return ok(null);
      },
      { role: "root" },
    );
}
