import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { readExperimentSeries } from "../../domain/models/experiments/experiment-series.ts";
import { listExperiments } from "../../domain/models/experiments/list-experiments.ts";
import { deleteResults } from "../../domain/models/experiments/store.ts";
import type { Settings } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { clockOf, clockQuery } from "../http/reader-clock.ts";

type Services = Readonly<{ db: Db; settings: Settings }>;

/** Results of the experiments of routes, for administrators. */
export const experimentRoutes = ({ db, settings }: Services, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/experiments", name: "console/experiments" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/", async () => ok(await listExperiments({ db, settings })))
    .get(
      "/series",
      async ({ query: { route, step, ...clock } }) =>
        ok(await readExperimentSeries({ db, settings }, { route, step, ...clockOf(clock) })),
      {
        query: t.Object({
          route: t.String({ minLength: 1, maxLength: 200 }),
          step: t.Union([t.Literal("hour"), t.Literal("day")]),
          ...clockQuery,
        }),
      },
    )
    .delete(
      "/",
      async ({ actor, query: { route } }) => {
        await deleteResults(db, route);
        await writeManagementLog(db, actor, `Deleted the results of the experiment of the route ${route}`, {
          note: { code: "experiment_results_deleted", params: { name: route } },
          action: "delete",
        });
        return ok(null);
      },
      { query: t.Object({ route: t.String({ minLength: 1, maxLength: 200 }) }) },
    );
