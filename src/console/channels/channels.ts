import { Elysia, t } from "elysia";
import { getChannel } from "../../domain/channels/manage/channel-view.ts";
import {
  CHANNEL_SORTS,
  type ChannelFilter,
  LARGEST_BATCH,
  type ListDeps,
  listChannelIds,
  listChannels,
} from "../../domain/channels/manage/list-channels.ts";
import { editTag, listTags, setOverrides, setTag, setTagStatus } from "../../domain/channels/manage/tags.ts";
import {
  copyChannel,
  createChannel,
  deleteChannels,
  deleteDisabledChannels,
  updateChannel,
} from "../../domain/channels/manage/write-channel.ts";
import { fixAbilities } from "../../domain/channels/routing/abilities.ts";
import { previewOverrides } from "../../domain/channels/routing/overrides/preview-overrides.ts";
import { CHANNEL_HEALTHS } from "../../domain/channels/status/channel-health.ts";
import { batchStatus } from "../../domain/channels/status/set-status.ts";
import { languageOf } from "../../lib/messages.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId as id, integer } from "../http/integers.ts";
import { integerField, pagingQuery, readPaging } from "../http/paging.ts";

const text = t.Optional(t.Union([t.String(), t.Null()]));
const number = t.Optional(t.Union([t.Number(), t.Null()]));
const names = t.Union([t.String(), t.Array(t.String())]);
/** Fields of a channel, all optional. */
export const channelBody = {
  type: t.Optional(integer({ minimum: 0, maximum: 100_000 })),
  name: t.Optional(t.String({ maxLength: 200 })),
  key: t.Optional(t.String({ maxLength: 1_000_000 })),
  status: t.Optional(integer()),
  priority: number,
  weight: number,
  base_url: text,
  other: t.Optional(t.String()),
  openai_organization: text,
  max_input_tokens: number,
  models: t.Optional(names),
  group: t.Optional(names),
  groups: t.Optional(t.Array(t.String())),
  model_mapping: text,
  status_code_mapping: text,
  setting: text,
  param_override: text,
  header_override: text,
  model_prefix: text,
  tag: text,
  test_model: text,
  auto_ban: t.Optional(t.Union([t.Number(), t.Boolean(), t.Null()])),
  balance_warn_below: number,
};
/** A new channel, as it is or in the wrapped form that tools written for new-api send. Fields that nobody knows are ignored. */
const newChannel = t.Object({ ...channelBody, channel: t.Optional(t.Object(channelBody)) });
/** What every channel of a tag can be given. */
const tagChange = {
  ...{ model_mapping: text, status_code_mapping: text, setting: text, param_override: text, header_override: text },
  ...{ base_url: text, test_model: text, model_prefix: text, openai_organization: text },
  models: t.Optional(t.Union([names, t.Null()])),
  groups: t.Optional(t.Union([names, t.Null()])),
  priority: t.Optional(t.Union([integer(), t.Null()])),
  weight: t.Optional(t.Union([integer({ minimum: 0 }), t.Null()])),
  max_input_tokens: t.Optional(t.Union([integer({ minimum: 0 }), t.Null()])),
  auto_ban: channelBody.auto_ban,
  balance_warn_below: number,
};
export const channelIds = t.Array(id, { maxItems: LARGEST_BATCH });
const tag = t.String({ maxLength: 200 });

/** Clients of the older search API send no page size, so the default covers most sites. */
const SEARCH_SIZE = 100;
/** A default of undefined; without it, validation fills in the enumeration's first value. */
const NO_DEFAULT = { default: undefined };
const filterQuery = {
  keyword: t.Optional(t.String()),
  group: t.Optional(t.String()),
  model: t.Optional(t.String()),
  status: integerField(),
  type: integerField(),
  tag: t.Optional(t.String()),
  health: t.Optional(t.Union([t.UnionEnum([...CHANNEL_HEALTHS], NO_DEFAULT), t.Literal("")])),
};
const someQuery = t.Object({ ...filterQuery, tag_mode: t.Optional(t.String()) });
const listQuery = t.Object({
  ...pagingQuery,
  ...filterQuery,
  id_sort: t.Optional(t.String()),
  tag_mode: t.Optional(t.String()),
  sort: t.Optional(t.UnionEnum(CHANNEL_SORTS as [(typeof CHANNEL_SORTS)[number]], NO_DEFAULT)),
  order: t.Optional(t.UnionEnum(["asc", "desc"], NO_DEFAULT)),
  stats: t.Optional(t.String()),
});

/** Channels: lists, details, tags and bulk deletion. Tests and balances are in channel-upstream.ts. */
export function channelRoutes(services: ListDeps, guarded: ReturnType<typeof guard>) {
  const list = async (
    { query, request }: { query: typeof listQuery.static; request: Request },
    defaultSize?: number,
  ) => {
    const { page, pageSize } = readPaging(query, 0, defaultSize);
    const sort = query.sort ?? (query.id_sort === "true" ? ("id" as const) : undefined);
    const { items, ...totals } = await listChannels(services, filterOf(query), {
      page,
      pageSize,
      ...(sort && { sort }),
      descending: query.order !== "asc",
      byTag: query.tag_mode === "true",
      withTraffic: query.stats === "true",
      language: languageOf(request),
    });
    return { ...ok(items), ...totals, page, page_size: pageSize };
  };
  return new Elysia({ prefix: "/api/channel", name: "console/channels" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/", (context) => list(context), { query: listQuery })
    .get("/search", (context) => list(context, SEARCH_SIZE), { query: listQuery })
    .get("/ids", async ({ query }) => ok(await listChannelIds(services, filterOf(query), query.tag_mode === "true")), {
      query: someQuery,
    })
    .get("/tags", async () => ok(await listTags(services)))
    .get(
      "/:id",
      async ({ actor, params, query, request }) => {
        const shown = { language: languageOf(request), showKey: query.show_key === "true" };
        return ok(await getChannel(services, actor, params.id, shown));
      },
      { params: t.Object({ id }), query: t.Object({ show_key: t.Optional(t.String()) }) },
    )
    .post(
      "/",
      async ({ actor, body: { channel, ...plain } }) =>
        ok({ id: await createChannel(services, actor, channel ?? plain) }),
      { body: newChannel },
    )
    .put(
      "/",
      async ({ actor, body, request }) => {
        const { id: channelId, ...input } = body;
        await updateChannel(services, actor, channelId, input);
        return ok(await getChannel(services, actor, channelId, { language: languageOf(request) }));
      },
      { body: t.Object({ id, ...channelBody }) },
    )
    .post(
      "/:id/copy",
      async ({ actor, params, body }) => ok({ id: await copyChannel(services, actor, params.id, body.name) }),
      { params: t.Object({ id }), body: t.Object({ name: t.String({ minLength: 1, maxLength: 200 }) }) },
    )
    .delete("/disabled", async ({ actor }) => ok(await deleteDisabledChannels(services, actor)))
    .delete(
      "/:id",
      async ({ actor, params }) => {
        await deleteChannels(services, actor, [params.id]);
        return ok(null);
      },
      { params: t.Object({ id }) },
    )
    .post("/batch", async ({ actor, body }) => ok(await deleteChannels(services, actor, body.ids)), {
      body: t.Object({ ids: channelIds }),
    })
    .post("/batch/status", async ({ actor, body }) => ok(await batchStatus(services, actor, body.ids, body.status)), {
      body: t.Object({ ids: channelIds, status: t.Union([t.Literal(1), t.Literal(2)]) }),
    })
    .post("/batch/tag", async ({ actor, body }) => ok(await setTag(services, actor, body.ids, body.tag)), {
      body: t.Object({ ids: channelIds, tag: t.Union([tag, t.Null()]) }),
    })
    .post(
      "/batch/overrides",
      async ({ actor, body: { ids, ...overrides } }) => ok(await setOverrides(services, actor, ids, overrides)),
      { body: t.Object({ ids: channelIds, param_override: text, header_override: text }) },
    )
    .post(
      "/override_preview",
      async ({ body }) =>
        ok(
          await previewOverrides(services.db, {
            paramOverride: body.param_override ?? "",
            headerOverride: body.header_override ?? "",
            ...{ requestId: body.request_id ?? "", body: body.body ?? "", requestPath: body.request_path ?? "" },
            headers: body.headers,
          }),
        ),
      {
        body: t.Object({
          ...{ param_override: text, header_override: text, request_id: text, body: text, request_path: text },
          headers: t.Optional(t.Record(t.String(), t.String())),
        }),
      },
    )
    .post("/fix", async ({ actor }) => ok(await fixAbilities(services, actor)))
    .put(
      "/tag",
      async ({ actor, body }) => {
        const { tag: name, ...change } = body;
        const { models, groups, ...rest } = change;
        const input = { ...rest, ...(models && { models }), ...(groups && { groups: splitNames(groups) }) };
        return ok(await editTag(services, actor, name, input));
      },
      {
        body: t.Object({
          tag,
          new_tag: text,
          ...tagChange,
        }),
      },
    )
    .post("/tag/enabled", async ({ actor, body }) => ok(await setTagStatus(services, actor, body.tag, 1)), {
      body: t.Object({ tag }),
    })
    .post("/tag/disabled", async ({ actor, body }) => ok(await setTagStatus(services, actor, body.tag, 2)), {
      body: t.Object({ tag }),
    });
}

function filterOf(query: typeof someQuery.static): ChannelFilter {
  const { keyword, group, model, status, type, tag: tagName, health } = query;
  return {
    ...(keyword && { keyword }),
    ...(group && { group }),
    ...(model && { model }),
    ...(status && { status }),
    ...(type && { type }),
    ...(tagName && { tag: tagName }),
    ...(health && { health }),
  };
}

const splitNames = (input: string | string[]): string[] => (typeof input === "string" ? input.split(",") : input);
