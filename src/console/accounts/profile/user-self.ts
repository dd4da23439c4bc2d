import { Elysia, t } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import { updateProfile, updateSetting } from "../../../domain/accounts/profile/update-profile.ts";
import { changePassword } from "../../../domain/accounts/security/change-password.ts";
import { requireSession } from "../../../domain/accounts/sign-in/confirm-owner.ts";
import { deleteUser } from "../../../domain/accounts/users/delete-user.ts";
import { viewUser } from "../../../domain/accounts/users/user-view.ts";
import type { Limiter } from "../../../lib/limits/shared-limits.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { done, ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";

type SelfServices = Readonly<{
  db: Db;
  changes: Changes;
  vault: Vault;
  settings: SettingsReader;
  signInLimiter: Limiter;
}>;

const address = t.Optional(t.String({ maxLength: 2000 }));
const secret = t.Optional(t.Nullable(t.String({ maxLength: 500 })));

/** What users can see and change about their own account. */
export function userSelfRoutes(services: SelfServices, guarded: ReturnType<typeof guard>) {
  const { db, changes, vault, settings, signInLimiter } = services;
  return new Elysia({ prefix: "/api/user", name: "console/user-self" })
    .use(guarded)
    .get("/self", async ({ actor }) => ok(await viewUser(db, actor.id)), { role: "user" })
    .put(
      "/self",
      async ({ actor, session, body }) => {
        await updateProfile({ db, changes }, actor, body);
        if (body.password) {
          await changePassword(
            { db, changes, limiter: signInLimiter },
            {
              userId: actor.id,
              original: body.original_password ?? "",
              password: body.password,
              longest: settings.get("PasswordMaxLength"),
              session,
            },
          );
        }
        return ok(null);
      },
      {
        role: "user",
        body: t.Object({
          username: t.Optional(t.String()),
          display_name: t.Optional(t.String()),
          original_password: t.Optional(t.String({ maxLength: 200 })),
          password: t.Optional(t.String({ maxLength: 200 })),
        }),
      },
    )
    .delete(
      "/self",
      async ({ actor, session, body, query }) => {
        requireSession(session);
        const confirmed = body?.username ?? query.username;
        if (confirmed !== actor.username) throw new OperationError("account_name_mismatch");
        await deleteUser({ db, changes, vault }, actor.id);
        return ok(null);
      },
      {
        role: "user",
        // The own name, typed again; in the query for clients whose DELETE has no body.
        body: t.Optional(t.Object({ username: t.Optional(t.String({ maxLength: 200 })) })),
        query: t.Object({ username: t.Optional(t.String({ maxLength: 200 })) }),
      },
    )
    .put(
      "/setting",
      async ({ actor, body, request }) => {
        await updateSetting({ db, changes, vault }, actor.id, body);
        return done(request, "user_setting_saved");
      },
      {
        role: "user",
        body: t.Object({
          notify_type: t.Optional(t.String()),
          notify_events: t.Optional(t.Array(t.String(), { maxItems: 20 })),
          language: t.Optional(t.String()),
          dingtalk_mobiles: t.Optional(t.Array(t.String({ maxLength: 40 }), { maxItems: 50 })),
          bark_url: address,
          gotify_url: address,
          ntfy_url: address,
          wecom_key: secret,
          dingtalk_token: secret,
          dingtalk_secret: secret,
          bark_key: secret,
          gotify_token: secret,
          ntfy_token: secret,
          quota_warning_threshold: t.Optional(t.Number()),
          webhook_url: address,
          webhook_secret: secret,
          notification_email: t.Optional(t.String({ maxLength: 320 })),
          accept_unset_model_ratio_model: t.Optional(t.Boolean()),
        }),
      },
    );
}
