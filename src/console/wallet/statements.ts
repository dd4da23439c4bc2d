import { Elysia, t } from "elysia";
import type { WalletDeps } from "../../domain/wallet/operation.ts";
import {
  draftStatement,
  listStatements,
  readBillingProfile,
  readStatement,
  STATEMENT_SORTS,
  type StatementDocument,
  saveBillingProfile,
} from "../../domain/wallet/statements/documents.ts";
import { exportMovements } from "../../domain/wallet/statements/movements/export-movements.ts";
import { CHARGES_BY } from "../../domain/wallet/statements/movements/movement-rows.ts";
import { renderCsv } from "../../domain/wallet/statements/render/render-csv.ts";
import { readLogo, renderPdf } from "../../domain/wallet/statements/render/render-pdf.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { languageOf, languageOfTag } from "../../lib/messages.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { csvFile } from "../http/csv-file.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId } from "../http/integers.ts";
import { pagedSorted, pagingQuery, sortingQuery } from "../http/paging.ts";

const FORMATS = t.Union([t.Literal("pdf"), t.Literal("csv")]);
const listQuery = { ...pagingQuery, ...sortingQuery(STATEMENT_SORTS), month: t.Optional(t.String({ maxLength: 7 })) };
/** `draft` is the present month; `lang` the language of the file, by default the browser's. */
const fileQuery = t.Object({
  id: t.Union([rowId, t.Literal("draft")]),
  format: FORMATS,
  lang: t.Optional(t.String({ maxLength: 20 })),
});

/** Monthly statements and all movements of the balance: an account's own, and everybody's statements for administrators. */
export function statementRoutes(
  services: WalletDeps & Readonly<{ fetch: SafeFetch }>,
  guarded: ReturnType<typeof guard>,
) {
  const { db, settings } = services;
  const draft = (userId: number) => draftStatement(db, settings, userId, nowSeconds());
  const download = async (document: StatementDocument, request: Request, query: typeof fileQuery.static) => {
    const language = languageOfTag(query.lang ?? "") ?? languageOf(request);
    const isPdf = query.format === "pdf";
    const content = isPdf
      ? await renderPdf(document, language, await readLogo(services))
      : renderCsv(document, language);
    const name = `${document.number ?? "draft"}-${document.month}`.replace(/[^\w.-]+/g, "_");
    return new Response(content as BodyInit, {
      headers: {
        "content-type": isPdf ? "application/pdf" : "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="${name}.${query.format}"`,
        "cache-control": "no-store",
      },
    });
  };
  return new Elysia({ prefix: "/api", name: "console/statements" })
    .use(guarded)
    .guard({ account: "wallet.read" }, (app) =>
      app
        .get(
          "/user/statements",
          ({ actor, query }) =>
            pagedSorted(STATEMENT_SORTS, query, (page) =>
              listStatements(db, { userId: actor.id, ...(query.month && { month: query.month }) }, page),
            ),
          { query: t.Object(listQuery) },
        )
        .get("/user/statements/draft", async ({ actor }) => ok(await draft(actor.id)))
        .get("/user/statements/one", async ({ actor, query }) => ok(await readStatement(db, query.id, actor.id)), {
          query: t.Object({ id: rowId }),
        })
        .get("/user/billing_profile", async ({ actor }) => ok(await readBillingProfile(db, actor.id))),
    )
    .guard({ account: ["wallet.read", "exports.download"] }, (app) =>
      app
        .get(
          "/user/statements/file",
          async ({ actor, request, query }) =>
            download(
              query.id === "draft" ? await draft(actor.id) : await readStatement(db, query.id, actor.id),
              request,
              query,
            ),
          { query: fileQuery },
        )
        .get(
          "/user/movements",
          async ({ actor, requireRight, query }) => {
            // Each charge by itself says what was requested when.
            if (query.charges === "call") requireRight("requests.read");
            const deps = { db, unitsPerDollar: settings.get("QuotaPerUnit") };
            return csvFile("movements", await exportMovements(deps, actor.id, query.charges, nowSeconds));
          },
          { query: t.Object({ charges: t.UnionEnum(CHARGES_BY, { default: "day" }) }) },
        ),
    )
    .put(
      "/user/billing_profile",
      async ({ actor, request, body }) => {
        await saveBillingProfile(db, actor.id, body);
        return done(request, "billing_profile_saved");
      },
      {
        account: "wallet.topUp",
        body: t.Object({
          ...{ name: t.String(), address: t.String(), taxId: t.String() },
          country: t.String({ default: "", maxLength: 10 }),
        }),
      },
    )
    .guard({ role: "admin" }, (app) =>
      app
        .get(
          "/statements",
          ({ query }) =>
            pagedSorted(STATEMENT_SORTS, query, (page) =>
              listStatements(
                db,
                { ...(query.month && { month: query.month }), ...(query.keyword && { keyword: query.keyword }) },
                page,
              ),
            ),
          { query: t.Object({ ...listQuery, keyword: t.Optional(t.String({ maxLength: 200 })) }) },
        )
        .get("/statements/one", async ({ query }) => ok(await readStatement(db, query.id)), {
          query: t.Object({ id: rowId }),
        })
        .get(
          "/statements/file",
          async ({ request, query }) => download(await readStatement(db, query.id), request, query),
          {
            query: t.Object({
              id: rowId,
              format: FORMATS,
              lang: t.Optional(t.String({ maxLength: 20 })),
            }),
          },
        ),
    );
}
