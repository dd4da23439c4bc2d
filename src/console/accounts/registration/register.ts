import { Elysia, t } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import type { UserDirectory } from "../../../domain/accounts/directory.ts";
import { registerUser } from "../../../domain/accounts/registration/register.ts";
import type { Setup } from "../../../domain/accounts/registration/setup.ts";
import { checkTurnstile } from "../../../domain/accounts/registration/turnstile.ts";
import { type Sessions, sessionCookieOf } from "../../../domain/accounts/sign-in/sessions.ts";
import { createApiKey } from "../../../domain/api-keys/create-api-key.ts";
import type { ClientAddress } from "../../../lib/http/client-ip.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { done, ok } from "../../http/envelope.ts";
import type { rateLimit } from "../../http/rate-limit.ts";
import { enter } from "../sign-in/complete-sign-in.ts";

type RegisterServices = Readonly<{
  db: Db;
  changes: Changes;
  vault: Vault;
  settings: SettingsReader;
  users: UserDirectory;
  sessions: Sessions;
  clientAddress: ClientAddress;
  fetch: SafeFetch;
  signInAddresses: Readonly<{ turnstileVerify: string }>;
  generateDefaultToken: boolean;
}>;

/** Registration with a password, which signs in. */
export function registerRoutes(services: RegisterServices, limits: ReturnType<typeof rateLimit>) {
  const { settings, fetch, clientAddress, signInAddresses, users, generateDefaultToken } = services;
  return new Elysia({ prefix: "/api/user", name: "console/register" }).use(limits).post(
    "/register",
    async ({ body, query, request, server, set }) => {
      const [ip, host] = [clientAddress.ip(request, server), clientAddress.host(request, server)];
      const turnstile = { settings, fetch, verifyUrl: signInAddresses.turnstileVerify };
      await checkTurnstile(turnstile, { token: query.turnstile, ip, host, action: "register" });
      const userId = await registerUser(services, body);
      const user = users.get(userId);
      if (generateDefaultToken && user && settings.get("Organizations") !== "required") {
        await createApiKey(services, user, { name: user.username, unlimited_quota: true, expired_time: -1 });
      }
      const created = done(request, "registered");
      // Whoever is signed in here stays so: they registered somebody else.
      if (sessionCookieOf(request) !== null) return created;
      try {
        const { data } = await enter(services, { request, server, set }, userId, null);
        return { ...created, data };
      } catch (error) {
        // Their organization signs them in.
        if (error instanceof OperationError) return created;
        throw error;
      }
    },
    {
      critical: true,
      query: t.Object({ turnstile: t.Optional(t.String({ maxLength: 4096 })) }),
      body: t.Object({
        username: t.String({ maxLength: 200 }),
        password: t.String({ maxLength: 200 }),
        password2: t.Optional(t.Nullable(t.String({ maxLength: 200 }))),
        email: t.Optional(t.Nullable(t.String({ maxLength: 320 }))),
        verification_code: t.Optional(t.Nullable(t.String({ maxLength: 64 }))),
        aff_code: t.Optional(t.Nullable(t.String({ maxLength: 64 }))),
      }),
    },
  );
}

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
          serverAddress: body.ServerAddress?.trim() ?? "",
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
          ServerAddress: t.Optional(t.String({ maxLength: 2048 })),
        }),
      },
    );
}
