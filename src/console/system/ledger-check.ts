import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { BOOKS, checkBooks, readUncovered } from "../../billing/check-ledger/check-ledger.ts";
import { readLastCheck } from "../../domain/logs/audit/last-books-check.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

const count = t.Integer({ minimum: 0, maximum: 1_000_000_000 });

/** Recomputes stored sums, one slice per request, so that large sites stay responsive. */
export const bookRoutes = ({ db }: Readonly<{ db: Db }>, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/books", name: "console/books" })
    .use(guarded)
    .guard({ role: "root" })
    .get("/", async () => ok({ books: BOOKS, uncovered: await readUncovered(db), last_check: await readLastCheck(db) }))
    // The console adds up the slices; it reports when it has been through all of them.
    .post(
      "/checked",
      async ({ actor, body: { checked, off } }) => {
        await writeManagementLog(db, actor, `Checked the books: ${checked} totals, ${off} off`, {
          note: { code: "books_checked", params: { checked, off } },
          action: "read",
        });
        return ok(await readLastCheck(db));
      },
      { body: t.Object({ checked: count, off: count }) },
    )
    .get("/:book", async ({ params, query }) => ok(await checkBooks(db, params.book, query.after ?? 0, nowSeconds())), {
      params: t.Object({ book: t.Union(BOOKS.map((book) => t.Literal(book))) }),
      query: t.Object({ after: t.Optional(t.Integer({ minimum: 0, maximum: 253_402_300_799 })) }),
    });
