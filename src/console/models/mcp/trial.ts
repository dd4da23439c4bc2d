import { Elysia, t } from "elysia";
import type { ClientAddress } from "../../../lib/http/client-ip.ts";
import { languageOf } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { type Reason, sayReason } from "../../../lib/reason.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId } from "../../http/integers.ts";

/** Calls an approved tool as the user, who pays for it. */
export type TryTool = (
  attempt: Readonly<{
    request: Request;
    ip: string;
    userId: number;
    serverId: number;
    tool: string;
    input: Record<string, unknown>;
  }>,
) => Promise<
  Readonly<{
    requestId: string;
    elapsedMs: number;
    /** What the tool returned, which may be an error of its own; null: the call failed. */
    result: Readonly<{
      content: readonly object[];
      structuredContent?: Readonly<Record<string, unknown>> | undefined;
      isError?: boolean | undefined;
    }> | null;
    error: Reason | null;
  }>
>;

/** POST /api/mcp-server/{id}/tools/try: an administrator calls a tool. */
export function mcpTrialRoutes(
  { tryTool, clientAddress }: Readonly<{ tryTool: TryTool; clientAddress: ClientAddress }>,
  guarded: ReturnType<typeof guard>,
) {
  return new Elysia({ prefix: "/api/mcp-server", name: "console/mcp-trial" })
    .use(guarded)
    .guard({ role: "admin" })
    .post(
      "/:id/tools/try",
      async ({ actor, rights, body, params: { id }, request, server }) => {
        // A service account has no balance.
        if (rights !== null) throw new OperationError("service_account_not_here", {}, { status: 403 });
        const { requestId, elapsedMs, result, error } = await tryTool({
          ...{ request, ip: clientAddress.ip(request, server), userId: actor.id, serverId: id },
          ...{ tool: body.tool, input: body.arguments },
        });
        return ok({
          request_id: requestId,
          elapsed_ms: elapsedMs,
          error: error === null ? "" : sayReason(error, languageOf(request)),
          is_error: result?.isError === true,
          content: result?.content ?? [],
          structured_content: result?.structuredContent ?? null,
        });
      },
      {
        params: t.Object({ id: rowId }),
        body: t.Object({
          tool: t.String({ minLength: 1, maxLength: 128 }),
          arguments: t.Record(t.String(), t.Unknown()),
        }),
      },
    );
}
