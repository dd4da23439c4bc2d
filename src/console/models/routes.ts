import { Elysia, type TSchema, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import { type LogNote, type ManagementAction, writeManagementLog } from "../../domain/logs/write-log.ts";
import { refusing } from "../../domain/models/catalog/save-entry.ts";
import { createRoute, deleteRoute, listRoutes, updateRoute } from "../../domain/models/routes/save-route.ts";
import { type PredictOutcomes, simulateRoute } from "../../domain/models/routes/simulation.ts";
import { readRoute, STRATEGIES } from "../../settings/option/model-routes.ts";
import { describeOptionChanges, optionTexts } from "../../settings/record-option-changes.ts";
import type { Settings } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integer } from "../http/integers.ts";

type Services = Readonly<{
  db: Db;
  settings: Settings;
  channels: ChannelDirectory;
  /** Of the gateway, which knows prices and strategies. */
  predictOutcomes: PredictOutcomes;
}>;

const tokens = t.Optional(integer({ minimum: 0, description: "Estimated prompt tokens." }));
const flag = t.Optional(t.Boolean({ description: "True: only calls with it; false: only calls without it." }));
const names = t.Optional(t.Array(t.String()));
const regions = t.Optional(
  t.Array(t.String(), { description: "Only channels whose region matches one of these patterns, such as eu-*." }),
);
const time = t.Optional(t.String({ description: "HH:MM" }));

const candidate = t.Object(
  {
    model: t.String(),
    weight: t.Optional(integer({ minimum: 0 })),
    ...{ min_prompt_tokens: tokens, max_prompt_tokens: tokens },
    ...{ image: flag, audio: flag, file: flag, tools: flag },
    ...{ tags: names, groups: names, channel_tags: names, regions },
    hours: t.Optional(t.Object({ from: time, to: time, zone: t.Optional(t.String()) })),
  },
  { additionalProperties: t.Unknown() },
);

/** For the API description; src/settings/option/model-routes.ts validates the fields and names the invalid one. */
export const routeDefinition: TSchema & { static: object } = t.Object(
  {
    description: t.Optional(t.String()),
    enabled: t.Optional(t.Boolean()),
    strategy: t.Optional(t.String({ description: `One of: ${STRATEGIES.join(", ")}.` })),
    queue: t.Optional(
      t.Object({
        max_wait_ms: t.Optional(integer({ description: "30,000 unless set." })),
        max_length: t.Optional(
          integer({ description: "Calls that may wait at a time in each process; 100 unless set." }),
        ),
        groups: t.Optional(t.Array(t.String(), { description: "Groups in the order in which they are served." })),
      }),
    ),
    experiment: t.Optional(
      t.Object({
        mode: t.String({ description: "canary or mirror." }),
        candidate: candidate,
        percent: t.Optional(integer({ description: "Share of the calls; 5 unless set." })),
        max_usd_per_day: t.Optional(integer({ description: "What copies may cost on a day; 1 unless set." })),
        max_concurrent: t.Optional(integer({ description: "Copies in progress in each process; 4 unless set." })),
        judge: t.Optional(
          t.Object({
            model: t.String(),
            group: t.Optional(t.String({ description: "Whose channels it uses; default unless set." })),
            percent: t.Optional(integer({ description: "Share of the copies; 100 unless set." })),
            instructions: t.Optional(t.String({ description: "What matters to you." })),
          }),
        ),
      }),
    ),
    hedge: t.Optional(
      t.Object({
        after_ms: t.Optional(integer({ description: "Absent: after the channel's 95th percentile." })),
        max_extra_percent: t.Optional(integer({ description: "Of what the route spends; 10 unless set." })),
      }),
    ),
    candidates: t.Array(candidate),
  },
  { additionalProperties: t.Unknown() },
);

const name = t.String({ minLength: 1, maxLength: 200, description: "The name that callers send as the model." });

/** Named routes, for administrators: names that callers use as a model, and the models they resolve to. */
export function modelRouteRoutes(
  { db, settings, channels, predictOutcomes }: Services,
  guarded: ReturnType<typeof guard>,
) {
  const audited = async (
    actor: Readonly<{ id: number }>,
    content: string,
    note: LogNote,
    action: ManagementAction,
    change: () => Promise<unknown>,
  ) => {
    const before = optionTexts(settings);
    await change();
    const reported = describeOptionChanges(["ModelRoutes"], before, optionTexts(settings));
    await writeManagementLog(db, actor, content, { note, action, ...reported });
    return ok(null);
  };
  return new Elysia({ prefix: "/api/route", name: "console/routes" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/", () => ok(listRoutes(settings, channels)))
    .post(
      "/",
      ({ actor, body }) =>
        audited(
          actor,
          `Created the route ${body.name}`,
          { code: "route_created", params: { name: body.name } },
          "create",
          () => createRoute({ settings }, body.name, body.route),
        ),
      { body: t.Object({ name, route: routeDefinition }) },
    )
    .post(
      "/simulate",
      async ({ body }) => {
        const route = refusing(() => readRoute(body.name, body.route, ""));
        const current = settings.get("ModelRoutes").get(body.name) ?? null;
        return ok(await simulateRoute(db, { route, current }, predictOutcomes));
      },
      { body: t.Object({ name, route: routeDefinition }) },
    )
    .put(
      "/",
      ({ actor, body: { name, new_name: newName = name, route } }) =>
        audited(actor, `Updated the route ${name}`, { code: "route_changed", params: { name } }, "update", () =>
          updateRoute({ settings }, name, newName, route),
        ),
      { body: t.Object({ name, new_name: t.Optional(name), route: routeDefinition }) },
    )
    .delete(
      "/",
      ({ actor, query: { name } }) =>
        audited(actor, `Deleted the route ${name}`, { code: "route_deleted", params: { name } }, "delete", () =>
          deleteRoute({ settings }, name),
        ),
      { query: t.Object({ name }) },
    );
}
