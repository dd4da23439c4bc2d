import { and, asc, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Changes } from "../../../../../db/changes.ts";
import { budgets } from "../../../../../db/schema/accounts/organizations/budgets.ts";
import { plans, subscriptions } from "../../../../../db/schema/wallet/plans/plans.ts";
import type { Db } from "../../../../../db/types.ts";
import type { Logger } from "../../../../lib/runtime/log.ts";
import { type NamePattern, namePattern } from "../../../../lib/values/patterns/name-patterns.ts";
import { keepTable, MapCopy, queryOf, type Selection } from "../../../../lib/values/tables/keep-table.ts";

/** What a running subscription says of its account's calls. */
export type PlanTerms = Readonly<{
  /** Of the subscription. */
  id: number;
  userId: number;
  planName: string;
  /** Models that the plan covers, as patterns with *; none: all. */
  models: readonly string[];
  /** The budget that pays calls to these models; null: what is left of the window is part of the balance. */
  budgetId: number | null;
  /** The budget of included calls of the window, and how many it includes; null: none. */
  callsBudgetId: number | null;
  windowCalls: number;
  allowsOverage: boolean;
  /** Epoch seconds. */
  windowEnd: number;
  /** The window lasts so long from its first charge; 0: it runs from the start. */
  rollingSeconds: number;
  /** The window waits for its first charge; until then `windowEnd` is the end of the paid period. */
  isWindowPending: boolean;
  /** 0: the plan sets no limit. */
  requestsPerMinute: number;
  tokensPerMinute: number;
}>;

/** Looks up the terms of accounts; only subscriptions that limit or include calls, or pay for some models, have any. */
export type PlanTermsLookup = Readonly<{
  /** The terms whose window pays first come first. */
  byUser: Readonly<{ get(userId: number): readonly PlanTerms[] | undefined }>;
  all(): Iterable<PlanTerms>;
}>;

export type PlanTermsDirectory = PlanTermsLookup & Readonly<{ close(): void }>;

const PAGE_ROWS = 5000;
const callsBudgets = alias(budgets, "calls_budgets");

/** As accounts distribute charges (`plan-account.ts`). */
const drawOrder = ({ rollingSeconds, windowEnd }: PlanTerms) => (rollingSeconds > 0 ? 0 : windowEnd);

/** The terms of accounts, in a copy that follows its rows. */
function createTermsCopy() {
  const byUser = new Map<number, readonly PlanTerms[]>();
  const copy: MapCopy<PlanTerms> = new MapCopy<PlanTerms>({
    add(terms) {
      const all = [...(byUser.get(terms.userId) ?? []), terms];
      byUser.set(
        terms.userId,
        all.sort((a, b) => drawOrder(a) - drawOrder(b) || a.id - b.id),
      );
    },
    remove({ id, userId }) {
      const others = byUser.get(userId)?.filter((terms) => terms.id !== id) ?? [];
      if (others.length > 0) byUser.set(userId, others);
      else byUser.delete(userId);
    },
  });
  return { copy, byUser, all: () => copy.byId.values() };
}

/**
 * When what was used of the window can be used again, in epoch seconds. Who is refused while it waits for its first charge is
 * refused for calls that are under way: it opens with the first of those.
 */
export const renewsAt = ({ isWindowPending, windowEnd, rollingSeconds }: PlanTerms, now: number): number =>
  isWindowPending ? Math.min(windowEnd, now + rollingSeconds) : windowEnd;

const patterns = new WeakMap<PlanTerms, readonly NamePattern[]>();

/** Whether a plan covers a model, by the exact name. */
export function coversModel(terms: PlanTerms, model: string): boolean {
  if (terms.models.length === 0) return true;
  let known = patterns.get(terms);
  if (!known) {
    known = terms.models.map(namePattern);
    patterns.set(terms, known);
  }
  return known.some((pattern) => pattern.test(model));
}

/** Looks terms up among these. */
export function createPlanTermsIndex(entries: Iterable<PlanTerms>): PlanTermsLookup {
  const { copy, byUser, all } = createTermsCopy();
  for (const entry of entries) copy.put(entry);
  return { byUser, all };
}

/** Loads the terms of all running subscriptions that limit calls, and keeps them true. */
export async function createPlanTermsDirectory(
  deps: Readonly<{ db: Db; changes: Changes; log: Logger }>,
): Promise<PlanTermsDirectory> {
  const { db, changes, log } = deps;
  const { copy, byUser, all } = createTermsCopy();
  const read = (selection: Selection) => readTerms(db, selection);
  const { close } = await keepTable({ changes, log, topic: "subscriptions", read, pageRows: PAGE_ROWS }, copy);
  return { byUser, all, close };
}

function readTerms(db: Db, selection: Selection): Promise<PlanTerms[]> {
  const { where, limit } = queryOf(selection, subscriptions.id);
  return db
    .select({
      id: subscriptions.id,
      userId: subscriptions.userId,
      planName: plans.name,
      models: plans.models,
      budgetId: budgets.id,
      callsBudgetId: callsBudgets.id,
      windowCalls: subscriptions.windowCalls,
      allowsOverage: plans.allowsOverage,
      windowEnd: subscriptions.windowEnd,
      rollingSeconds: subscriptions.rollingSeconds,
      isWindowPending: sql<boolean>`${subscriptions.rollingSeconds} > 0 and not ${subscriptions.isWindowOpen}`,
      requestsPerMinute: plans.requestsPerMinute,
      tokensPerMinute: plans.tokensPerMinute,
    })
    .from(subscriptions)
    .innerJoin(plans, eq(plans.id, subscriptions.planId))
    .leftJoin(
      budgets,
      and(
        ...[eq(budgets.organizationId, subscriptions.userId), eq(budgets.scope, "plan"), isNull(budgets.deletedAt)],
        ...[eq(budgets.scopeId, subscriptions.id), eq(subscriptions.ownQuota, true)],
      ),
    )
    .leftJoin(
      callsBudgets,
      and(
        ...[eq(callsBudgets.organizationId, subscriptions.userId), eq(callsBudgets.scope, "calls")],
        ...[eq(callsBudgets.scopeId, subscriptions.id), isNull(callsBudgets.deletedAt)],
      ),
    )
    .where(
      and(
        where,
        inArray(subscriptions.status, ["active", "past_due"]),
        or(
          ...[eq(subscriptions.ownQuota, true), gt(subscriptions.windowCalls, 0), eq(plans.allowsOverage, false)],
          ...[gt(plans.requestsPerMinute, 0), gt(plans.tokensPerMinute, 0)],
        ),
      ),
    )
    .orderBy(asc(subscriptions.id))
    .limit(limit);
}
