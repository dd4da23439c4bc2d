import { Elysia, t } from "elysia";
import { flowCookie, flowCookieOf } from "../../../domain/accounts/sign-in/flows.ts";
import { sessionCookieOf } from "../../../domain/accounts/sign-in/sessions.ts";
import { listSignIns, signOut } from "../../../domain/models/mcp/sign-ins/list-sign-ins.ts";
import type { SignInDeps } from "../../../domain/models/mcp/sign-ins/sign-in.ts";
import type { ClientAddress } from "../../../lib/http/client-ip.ts";
import { languageOf } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId } from "../../http/integers.ts";
import type { rateLimit } from "../../http/rate-limit.ts";

type Services = SignInDeps & Readonly<{ clientAddress: ClientAddress }>;

const params = t.Object({ id: rowId });
const text = t.Optional(t.String({ maxLength: 4096 }));
const callback = t.Object({
  state: t.String({ maxLength: 200 }),
  code: text,
  iss: t.Optional(t.String({ maxLength: 2_000, description: "The issuer that answers (RFC 9207)." })),
  error: text,
});

/** The session in which a sign-in begins and ends. Throws OperationError without one: tokens have no browser. */
function requireSession(request: Request): string {
  const session = sessionCookieOf(request);
  if (session === null) throw new OperationError("mcp_sign_in_browser", {}, { status: 403 });
  return session;
}

/** Sign-ins at MCP servers of the account that the request acts for; those of other accounts are never reachable. */
export const mcpSignInRoutes = (
  services: Services,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) =>
  new Elysia({ prefix: "/api/mcp_sign_ins", name: "console/mcp-sign-ins" })
    .use(guarded)
    .use(limits)
    .get("/", async ({ request, ...acting }) => ok(await listSignIns(services, acting, languageOf(request))), {
      account: "keys.read",
    })
    .post(
      "/:id/start",
      async ({ request, server, set, params: { id }, ...acting }) => {
        const { startSignIn } = await import("../../../domain/models/mcp/sign-ins/sign-in.ts");
        const session = requireSession(request);
        const { url, cookie } = await startSignIn(services, acting, { serverId: id, session });
        set.headers["set-cookie"] = flowCookie("mcp_sign_in", cookie, services.clientAddress.isHttps(request, server));
        return ok({ url });
      },
      { account: "keys.all", critical: true, params },
    )
    .post(
      "/complete",
      async ({ actor, body, request }) => {
        const { completeSignIn } = await import("../../../domain/models/mcp/sign-ins/sign-in.ts");
        const [session, cookie] = [requireSession(request), flowCookieOf(request, "mcp_sign_in")];
        const { accountId, server } = await completeSignIn(services, actor, { cookie, session, callback: body });
        return ok({ server, account_id: accountId });
      },
      { role: "user", critical: true, body: callback },
    )
    .delete("/:id", async ({ params: { id }, ...acting }) => ok({ revoked: await signOut(services, acting, id) }), {
      account: "keys.all",
      params,
    });
