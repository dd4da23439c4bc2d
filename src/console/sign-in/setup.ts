import { Elysia, t } from "elysia";
import type { Setup } from "../../domain/accounts/registration/setup.ts";
import { ok } from "../http/envelope.ts";
import type { rateLimit } from "../http/rate-limit.ts";

type SetupServices = Readonly<{ setup: Setup; databaseKind: "embedded" | "server" }>;

/** First-run setup. */
export function setupRoutes({ setup, databaseKind }: SetupServices, limits: ReturnType<typeof rateLimit>) {
  return new Elysia({ prefix: "/api/setup", name: "console/setup" })
    .use(limits)
    .get("/", async () => {
      if (await setup.isDone()) return ok({ status: true, root_init: false, database_type: "" });
      const type = databaseKind === "server" ? "postgres" : "embedded";
      return ok({ status: false, root_init: await setup.hasRoot(), database_type: type });
    })
    .post(
      "/",
      async ({ body }) => {
        await setup.run({
          username: body.username ?? "",
          password: body.password ?? "",
          confirmPassword: body.confirmPassword ?? "",
          selfUse: body.SelfUseModeEnabled ?? false,
          demo: body.DemoSiteEnabled ?? false,
        });
        return ok(null);
      },
      {
        critical: true,
        body: t.Object({
          username: t.Optional(t.String()),
          password: t.Optional(t.String({ maxLength: 200 })),
          confirmPassword: t.Optional(t.String({ maxLength: 200 })),
          SelfUseModeEnabled: t.Optional(t.Boolean()),
          DemoSiteEnabled: t.Optional(t.Boolean()),
        }),
      },
    );
}
