import { Elysia, t } from "elysia";
import type { Right } from "../../../domain/accounts/access/access-rules.ts";
import { rightsOfRole } from "../../../domain/accounts/access/admin-roles.ts";
import { ROLE } from "../../../domain/accounts/access/roles.ts";
import type { UserDirectory, UserEntry } from "../../../domain/accounts/directory.ts";
import { mayReadKeys } from "../../../domain/channels/manage/key-destination.ts";
import { type Applier, applyConfiguration, type Problem } from "../../../domain/system/configuration/apply.ts";
import { exportConfiguration } from "../../../domain/system/configuration/export.ts";
import { listManaged } from "../../../domain/system/configuration/managed.ts";
import type { ConfigurationDeps } from "../../../domain/system/configuration/transaction.ts";
import { languageOf, say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { type ConfigurationSchema, LABEL } from "./schema.ts";

type Services = ConfigurationDeps &
  Readonly<{ users: UserDirectory; settings: SettingsReader; configurationSchema: ConfigurationSchema }>;

const label = t.String({ pattern: LABEL, description: "Marks what the files make." });

/** The site as a document: applied, exported, and what of it files manage. */
export function configurationRoutes(services: Services, guarded: ReturnType<typeof guard>) {
  const { db, users, settings, configurationSchema: schema } = services;
  /** The guard lets some in by a right: what they may do beyond it is their rights' affair, and they are no super admins. */
  const applierOf = async (actor: UserEntry, rights: ReadonlySet<Right> | null): Promise<Applier> => {
    if (rights) return { actor: { ...actor, role: ROLE.admin }, rights };
    const own = users.get(actor.id);
    if (own && own.role >= ROLE.root) return { actor, rights: null };
    return { actor: { ...actor, role: ROLE.admin }, rights: await rightsOfRole(db, actor.adminRoleId ?? 0) };
  };
  return new Elysia({ prefix: "/api/configuration", name: "console/configuration" })
    .get("/schema.json", () => schema.json())
    .use(guarded)
    .post(
      "/apply",
      async ({ actor, rights, body, request }) => {
        const withMessage = (problem: Problem) => ({
          ...problem,
          message: say(problem.code, languageOf(request), problem.params),
        });
        const { document, problems } = schema.check(body.document);
        const applied =
          problems.length > 0
            ? { changes: [], same: 0, digest: "", problems, isApplied: false }
            : await applyConfiguration(services, await applierOf(actor, rights), {
                ...{
                  document,
                  label: body.label ?? "files",
                  prunes: body.prune ?? false,
                  isDry: body.dry_run ?? false,
                },
                expected: body.expected ?? null,
              });
        const { isApplied, ...plan } = applied;
        return ok({ ...plan, problems: applied.problems.map(withMessage), is_applied: isApplied });
      },
      {
        role: "root",
        body: t.Object({
          document: t.Any({ description: "What a file holds; secrets in clear." }),
          label: t.Optional(label),
          prune: t.Optional(t.Boolean({ description: "Delete what files of this label made and name no more." })),
          dry_run: t.Optional(t.Boolean({ description: "Only say what would change." })),
          expected: t.Optional(t.String({ description: "The digest of the plan: another plan is refused." })),
        }),
      },
    )
    .post(
      "/export",
      async ({ actor, rights, body: { secrets = false, sections } }) => {
        const applier = await applierOf(actor, rights);
        if (secrets && !mayReadKeys(applier.actor)) throw new OperationError("permission_denied");
        const choice = { withSecrets: secrets, sections: sections ? schema.sectionsIn(sections) : null };
        return ok(await exportConfiguration(services, applier, choice));
      },
      {
        role: "root",
        body: t.Object({
          secrets: t.Optional(t.Boolean({ description: "Also return the values of secrets; super admins only." })),
          sections: t.Optional(t.Array(t.String({ maxLength: 40 }), { maxItems: 20 })),
        }),
      },
    )
    .get(
      "/managed",
      async () => {
        const resources = (await listManaged(db)).map(({ section, name, targetId, label: own }) => ({
          ...{ section, name, label: own },
          id: targetId,
        }));
        return ok({ is_locked: settings.get("LockManagedByFiles"), resources });
      },
      { role: "admin" },
    );
}
