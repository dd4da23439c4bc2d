import { Elysia, t } from "elysia";
import { AGENT_SORTS, listAgents, readAgent, saveAgent, transferEarnings } from "../../domain/wallet/agents/agents.ts";
import {
  decideWithdrawal,
  listWithdrawals,
  requestWithdrawal,
  WITHDRAWAL_SORTS,
} from "../../domain/wallet/agents/withdrawals.ts";
import { listRebates, REBATE_SORTS } from "../../domain/wallet/invitations/rebates.ts";
import type { WalletDeps } from "../../domain/wallet/operation.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId } from "../http/integers.ts";
import { pagedSorted, pagingQuery, sortingQuery } from "../http/paging.ts";

const text = t.Optional(t.String({ maxLength: 2000 }));
const withdrawalQuery = { ...pagingQuery, ...sortingQuery(WITHDRAWAL_SORTS) };

/** The agent program: agents see and withdraw their earnings, administrators grant terms and pay. */
export function agentRoutes(services: WalletDeps, guarded: ReturnType<typeof guard>) {
  const { db } = services;
  return new Elysia({ prefix: "/api/agent", name: "console/agents" })
    .use(guarded)
    .guard({ role: "user" }, (app) =>
      app
        .get("/self", async ({ actor }) => ok(await readAgent(db, actor.id)))
        .get(
          "/dividends",
          ({ actor, query }) => pagedSorted(REBATE_SORTS, query, (page) => listRebates(db, actor.id, page, "dividend")),
          { query: t.Object({ ...pagingQuery, ...sortingQuery(REBATE_SORTS) }) },
        )
        .get(
          "/withdrawals",
          ({ actor, query }) =>
            pagedSorted(WITHDRAWAL_SORTS, query, (page) => listWithdrawals(db, { userId: actor.id }, page)),
          { query: t.Object(withdrawalQuery) },
        )
        .post(
          "/withdrawals",
          async ({ actor, request, body }) => {
            const { quota, account, note = "" } = body;
            await requestWithdrawal(services, actor.id, { quotaUnits: quota, account, note });
            return done(request, "withdrawal_requested");
          },
          { body: t.Object({ quota: t.Number(), account: t.String({ maxLength: 2000 }), note: text }) },
        )
        .post(
          "/transfer",
          async ({ actor, request, body }) => {
            await transferEarnings(services, actor.id, body.quota);
            return done(request, "transferred");
          },
          { body: t.Object({ quota: t.Number() }) },
        ),
    )
    .guard({ role: "admin" }, (app) =>
      app
        .get("/", ({ query }) => pagedSorted(AGENT_SORTS, query, (page) => listAgents(db, query.keyword ?? "", page)), {
          query: t.Object({ ...pagingQuery, ...sortingQuery(AGENT_SORTS), keyword: text }),
        })
        .put(
          "/",
          async ({ actor, request, body }) => {
            const { username, rate, is_active: isActive = true, note = "" } = body;
            await saveAgent(db, actor, { username, rate: String(rate), isActive, note });
            return done(request, "agent_saved");
          },
          {
            body: t.Object({
              username: t.String({ maxLength: 200 }),
              rate: t.Union([t.Number(), t.String({ maxLength: 20 })]),
              is_active: t.Optional(t.Boolean()),
              note: text,
            }),
          },
        )
        .get(
          "/requests",
          ({ query: { status, ...query } }) =>
            pagedSorted(WITHDRAWAL_SORTS, query, (page) => listWithdrawals(db, status ? { status } : {}, page)),
          { query: t.Object({ ...withdrawalQuery, status: text }) },
        )
        .post(
          "/requests/:id",
          async ({ actor, request, params, body }) => {
            await decideWithdrawal(db, actor, { id: params.id, action: body.action, reply: body.reply ?? "" });
            return done(request, "withdrawal_decision_saved");
          },
          {
            params: t.Object({ id: rowId }),
            body: t.Object({
              action: t.Union([t.Literal("approve"), t.Literal("pay"), t.Literal("reject")]),
              reply: text,
            }),
          },
        ),
    );
}
