import { Elysia } from "elysia";
import { createLeakReports } from "../../domain/alerts/leaks/leak-reports.ts";
import { bytesUpTo } from "../../lib/http/limited-body.ts";

const LARGEST_REPORT_BYTES = 262_144;

/** Reports of scanners that found API keys in public: unauthenticated, verified by their signature. */
export function keyLeakRoutes(services: Parameters<typeof createLeakReports>[0]) {
  const takeReport = createLeakReports(services);
  return new Elysia({ prefix: "/api", name: "console/key-leaks" }).post(
    "/key-leaks/report",
    async ({ request }) => {
      const bytes = await bytesUpTo(request, LARGEST_REPORT_BYTES);
      if (!bytes) return respond({ message: "The report is too large." }, 413);
      const outcome = await takeReport({
        body: Buffer.from(bytes).toString("utf8"),
        keyId: request.headers.get("github-public-key-identifier") ?? "",
        signature: request.headers.get("github-public-key-signature") ?? "",
      });
      switch (outcome) {
        case "off":
          return respond({ message: "This site takes no reports." }, 404);
        case "refused":
          return respond({ message: "The signature or the body is not valid." }, 400);
        case "unavailable":
          return respond({ message: "The keys to verify the signature can't be read. Try again later." }, 503);
        default:
          return respond(outcome, 200);
      }
    },
    { parse: "none" },
  );
}

const respond = (body: unknown, status: number): Response =>
  Response.json(body, { status, headers: { "cache-control": "no-store" } });
