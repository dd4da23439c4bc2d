import { Elysia, t } from "elysia";
import type { Db } from "../../../../db/types.ts";
import { ROLE } from "../../../domain/accounts/access/roles.ts";
import type { UserEntry } from "../../../domain/accounts/directory.ts";
import { usableGroups as openGroups } from "../../../domain/accounts/users/usable-groups.ts";
import type { ChannelDirectory } from "../../../domain/channels/directory.ts";
import { listPriceChanges } from "../../../domain/channels/prices/list-price-changes.ts";
import { makersOf, pricePage } from "../../../domain/models/price-page.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ok } from "../../http/envelope.ts";
import { paged, pagingQuery } from "../../http/paging.ts";
import type { PublicModels } from "../public-models.ts";

type Services = Readonly<{
  db: Db;
  settings: SettingsReader;
  channels: ChannelDirectory;
  publicModels: PublicModels;
}>;

const text = t.Optional(t.String({ maxLength: 200 }));

/**
 * GET /api/pricing, its pages, the page of a model and /api/pricing/changes: public; visitors see what the default group may use. `caller`
 * resolves the signed-in user, if any.
 */
export function pricingRoutes(
  { db, settings, channels, publicModels }: Services,
  caller: (request: Request) => Promise<UserEntry | null>,
) {
  return new Elysia({ prefix: "/api", name: "console/pricing" })
    .get("/pricing", async ({ request }) => {
      const group = (await caller(request))?.group ?? "default";
      const { models, groupRatio, discounts, usableGroups } = publicModels.prices(group);
      return { ...ok(models), group_ratio: groupRatio, discounts, usable_group: usableGroups, group };
    })
    .get("/pricing/groups", async ({ request }) => {
      const group = (await caller(request))?.group ?? "default";
      const { names, groups } = publicModels.book(group);
      const { groupRatio, discounts, usableGroups } = groups;
      return ok({ group_ratio: groupRatio, discounts, usable_group: usableGroups, group, makers: makersOf(names()) });
    })
    .get(
      "/pricing/models",
      async ({ request, query }) => {
        const book = publicModels.book((await caller(request))?.group ?? "default");
        return paged(query, async (page) => pricePage(book, query, page));
      },
      { query: t.Object({ ...pagingQuery, keyword: text, maker: text, capability: text, group: text }) },
    )
    .get(
      "/pricing/model",
      async ({ request, query }) => {
        const page = await publicModels.page(query.name, await caller(request));
        if (!page) throw new OperationError("model_not_offered", { model: query.name });
        return ok(page);
      },
      { query: t.Object({ name: t.String({ minLength: 1, maxLength: 200 }) }) },
    )
    .get(
      "/pricing/changes",
      async ({ request, query }) => {
        const user = await caller(request);
        const group = user?.group ?? "default";
        const groups = [...openGroups(settings, group).keys()];
        const isAdmin = user !== null && user.role >= ROLE.admin;
        const models = isAdmin ? null : [...new Set(groups.flatMap((group) => channels.modelsOf(group)))];
        const { groupsOf, priceOf } = publicModels.book(group);
        const unitOf = (model: string) => (groupsOf(model).length > 0 ? priceOf(model).unit : null);
        return paged(query, (page) =>
          listPriceChanges(db, models, page, { quotaPerUnit: settings.get("QuotaPerUnit"), unitOf }),
        );
      },
      { query: t.Object(pagingQuery) },
    );
}
