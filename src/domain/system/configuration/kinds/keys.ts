import { and, asc, eq, isNull } from "drizzle-orm";
import { projects } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { TOKEN_STATUS, tokens } from "../../../../../db/schema/api-keys.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { ApiKeyInput } from "../../../api-keys/api-key-input.ts";
import { createApiKey } from "../../../api-keys/create-api-key.ts";
import type { Owner } from "../../../api-keys/operation.ts";
import { deleteToken, setTokenStatus, updateToken } from "../../../api-keys/update-api-key.ts";
import type { KeyEntry } from "../document.ts";
import { type Kind, listed, type Scope } from "../kind.ts";
import { requireAccount } from "./users.ts";

const DEFAULTS = {
  ...{ project: "", status: 1, quota: 0, unlimited_quota: false, expired_time: -1, model_limits_enabled: false },
  ...{ model_limits: [], allow_ips: "", group: "", strict: false, requests_per_minute: 0, tokens_per_minute: 0 },
  ...{ budget_period: "", budget_quota: 0 },
};

const nameOf = ({ owner, name }: Pick<KeyEntry, "owner" | "name">): string => `${owner}/${name}`;

/** API keys by their owner's and their own name. The site makes the secret of a new one. */
export const keysKind: Kind<KeyEntry> = {
  section: "keys",
  right: "users:write",
  hasNamesakes: true,
  defaults: DEFAULTS,
  entriesOf: (document) => listed(document.keys, nameOf),
  secretsOf: () => [],
  async open(scope) {
    const rows = await readKeys(scope);
    const idsOf = new Map(rows.map(({ key, owner, project }) => [key.id, { owner, project }]));
    const inputOf = async (
      owner: Owner,
      { project, quota, name: _, owner: __, status: ___, ...entry }: Partial<KeyEntry>,
    ) =>
      ({
        ...entry,
        ...(quota !== undefined && { remain_quota: quota }),
        ...(project !== undefined && { project_id: await findProject(scope, owner.id, project) }),
      }) satisfies ApiKeyInput;
    const ownerOf = async (name: string) =>
      ownerFrom(scope, await requireAccount(scope.db, name, ["person", "organization"]));
    return {
      stored: rows.map(({ key, owner, project }) => ({
        id: key.id,
        name: nameOf({ owner: owner.name, name: key.name }),
        entry: {
          ...{ name: key.name, owner: owner.name, project: project ?? "", status: key.status === 2 ? 2 : 1 },
          // Of a key with a budget, what is left is the budget's affair.
          quota: key.budgetPeriod === "" && !key.unlimitedQuota ? key.remainQuota + key.usedQuota - key.usedBefore : 0,
          ...{ unlimited_quota: key.unlimitedQuota, expired_time: key.expiredTime },
          ...{ model_limits_enabled: key.modelLimitsEnabled, model_limits: key.modelLimits, allow_ips: key.allowIps },
          ...{ group: key.group, strict: key.strict, requests_per_minute: key.requestsPerMinute },
          ...{ tokens_per_minute: key.tokensPerMinute, budget_period: key.budgetPeriod, budget_quota: key.budgetQuota },
        },
      })),
      async create(entry) {
        const owner = await ownerOf(entry.owner);
        const { id } = await createApiKey(scope, owner, { ...(await inputOf(owner, entry)), name: entry.name });
        if (entry.status === TOKEN_STATUS.disabled) await setTokenStatus(scope, owner, id, TOKEN_STATUS.disabled);
      },
      async update({ id }, changed) {
        const owner = ownerFrom(scope, idsOf.get(id)?.owner ?? { id: 0, group: "", kind: "person" });
        await updateToken(scope, owner, id, await inputOf(owner, changed));
        if (changed.status !== undefined) await setTokenStatus(scope, owner, id, changed.status);
      },
      remove: ({ id }) =>
        deleteToken(scope, ownerFrom(scope, idsOf.get(id)?.owner ?? { id: 0, group: "", kind: "person" }), id),
    };
  },
};

/** The site acts for the owner of a key; what it does for an organization is in its log. */
const ownerFrom = (
  { actor }: Scope,
  { id, group, kind }: Readonly<{ id: number; group: string; kind: string }>,
): Owner => ({
  ...{ id, group },
  ...(kind === "organization" && {
    member: {
      ...{ id: actor.id, username: actor.username, ownOnly: false, seesSecrets: true, readsRequests: true },
      isService: true,
    },
  }),
});

async function readKeys({ db }: Scope) {
  const rows = await db
    .select({ key: tokens, name: users.username, group: users.group, kind: users.kind, project: projects.name })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .leftJoin(projects, eq(projects.id, tokens.projectId))
    .where(and(isNull(tokens.deletedAt), isNull(users.deletedAt)))
    .orderBy(asc(tokens.id));
  return rows.map(({ key, project, ...owner }) => ({ key, project, owner: { ...owner, id: key.userId } }));
}

async function findProject({ db }: Scope, organizationId: number, name: string): Promise<number> {
  if (name === "") return 0;
  const [row] = await db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.organizationId, organizationId), eq(projects.name, name)));
  if (!row) throw new OperationError("project_not_found", {}, { status: 404 });
  return row.id;
}
