import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { BOOKS, checkBooks, readUncovered } from "../../billing/check-ledger/check-ledger.ts";
import { readLastCheck } from "../../domain/logs/audit/last-ledger-check.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { writeMail } from "../../domain/notifications/mail.ts";
import type { DiagnosticsContext } from "../../domain/system/diagnostics/diagnostics-context.ts";
import { CHECKS, examine } from "../../domain/system/diagnostics/run-checks.ts";
import {
  EVENTS,
  INTERVAL_MS,
  issueTicket,
  isTicket,
  timedStream,
} from "../../domain/system/diagnostics/timed-stream.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { languageOf, say } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integer } from "../http/integers.ts";

/** Diagnostics of the installation, one check per request, so that a page can show each result as it arrives. */
export function doctorRoutes(context: DiagnosticsContext, guarded: ReturnType<typeof guard>) {
  const { vault, mailer } = context;
  return (
    new Elysia({ prefix: "/api/doctor", name: "console/doctor" })
      // Public, because the gateway requests it through its own public address; the ticket authorizes.
      .get(
        "/stream",
        ({ query }) => {
          if (!isTicket(vault, query.ticket, Date.now()))
            throw new OperationError("permission_denied", {}, { status: 403 });
          return timedStream();
        },
        { query: t.Object({ ticket: t.String({ maxLength: 200 }) }) },
      )
      .use(guarded)
      .guard({ role: "root" })
      .get("/", ({ request }) =>
        ok({
          checks: CHECKS.map((check) => ({ check, title: say(`doctor_title_${check}`, languageOf(request)) })),
          stream: { ticket: issueTicket(vault, Date.now()), events: EVENTS, interval_ms: INTERVAL_MS },
        }),
      )
      .get("/:check", async ({ params, request }) => ok(await examine(context, params.check, languageOf(request))), {
        params: t.Object({ check: t.Union(CHECKS.map((check) => t.Literal(check))) }),
      })
      .post(
        "/mail",
        async ({ body: { to }, request }) => {
          const language = languageOf(request);
          const letter = {
            subject: say("doctor_mail_subject", language),
            paragraphs: [say("doctor_mail_text", language)],
          };
          await mailer.send(writeMail(to, letter));
          return done(request, "doctor_mail_sent", { to });
        },
        { body: t.Object({ to: t.String({ minLength: 3, maxLength: 320, pattern: "^[^@\\s;,]+@[^@\\s;,]+$" }) }) },
      )
  );
}

const count = integer({ minimum: 0, maximum: 1_000_000_000 });

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
      query: t.Object({ after: t.Optional(integer({ minimum: 0, maximum: 253_402_300_799 })) }),
    });
