import { and, eq, isNull } from "drizzle-orm";
import { projects } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { tokens } from "../../../../../db/schema/api-keys.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import { listBudgets } from "../../../accounts/organizations/budgets/list-budgets.ts";
import { changeBudget, createBudget, deleteBudget } from "../../../accounts/organizations/budgets/manage-budgets.ts";
import type { BudgetEntry } from "../document.ts";
import { type Kind, listed, type Scope } from "../kind.ts";
import { listAccounts, requireAccount } from "./users.ts";

const DEFAULTS = { target: "", is_hard: true };

const nameOf = ({ organization, scope, target = "", period }: BudgetEntry): string =>
  [organization, scope, ...(target === "" ? [] : [target]), period].join("/");

/** What parts of organizations may spend. */
export const budgetsKind: Kind<BudgetEntry> = {
  section: "budgets",
  right: "organizations:write",
  hasNamesakes: true,
  defaults: DEFAULTS,
  entriesOf: (document) => listed(document.budgets, nameOf),
  secretsOf: () => [],
  async open(scope) {
    const { db, actor } = scope;
    const site = { ...actor, isSite: true } as const;
    const places = new Map<number, number>();
    const stored = [];
    for (const organization of await listAccounts(db, "organization")) {
      for (const budget of await listBudgets(db, organization.id, nowSeconds())) {
        const entry = {
          ...{ organization: organization.name, scope: budget.scope, target: budget.name, period: budget.period },
          ...{ limit: budget.limit, is_hard: budget.is_hard },
        } satisfies BudgetEntry;
        places.set(budget.id, organization.id);
        stored.push({ id: budget.id, name: nameOf(entry), entry });
      }
    }
    const placeOf = (id: number) => ({ organizationId: places.get(id) ?? 0, id });
    return {
      stored,
      async create(entry) {
        const { id } = await requireAccount(db, entry.organization, ["organization"]);
        const target = { scope: entry.scope, scopeId: await targetOf(scope, id, entry), period: entry.period };
        const limit = { limit: entry.limit ?? 0, isHard: entry.is_hard ?? DEFAULTS.is_hard };
        await createBudget(scope, site, id, { ...target, ...limit });
      },
      update: ({ id, entry: before }, changed) =>
        changeBudget(scope, site, placeOf(id), {
          limit: changed.limit ?? Number(before.limit),
          isHard: changed.is_hard ?? before.is_hard === true,
        }),
      remove: ({ id }) => deleteBudget(scope, site, placeOf(id)),
    };
  },
};

async function targetOf({ db }: Scope, organizationId: number, { scope, target = "" }: BudgetEntry): Promise<number> {
  if (scope === "organization") return 0;
  if (scope === "member") return (await requireAccount(db, target, ["person"])).id;
  const [row] =
    scope === "project"
      ? await db
          .select({ id: projects.id })
          .from(projects)
          .where(and(eq(projects.organizationId, organizationId), eq(projects.name, target)))
      : await db
          .select({ id: tokens.id })
          .from(tokens)
          .where(and(eq(tokens.userId, organizationId), eq(tokens.name, target), isNull(tokens.deletedAt)));
  if (!row) throw new OperationError("budget_target_unknown");
  return row.id;
}
