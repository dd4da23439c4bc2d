import { Elysia, t } from "elysia";
import type { DiagnosticsContext } from "../../domain/diagnostics/diagnostics-context.ts";
import { CHECKS, examine } from "../../domain/diagnostics/run-checks.ts";
import { EVENTS, INTERVAL_MS, issueTicket, isTicket, timedStream } from "../../domain/diagnostics/timed-stream.ts";
import { writeMail } from "../../domain/notifications/mail/mail-text.ts";
import { languageOf, say } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

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
