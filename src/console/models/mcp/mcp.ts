import { Elysia, type TSchema, t } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import { ROLE } from "../../../domain/accounts/access/roles.ts";
import { writeManagementLog } from "../../../domain/logs/write-log.ts";
import type { McpFetches } from "../../../domain/models/mcp/credentials.ts";
import { MCP_AUTHENTICATION, MCP_KINDS } from "../../../domain/models/mcp/definition.ts";
import { readServers } from "../../../domain/models/mcp/directory.ts";
import { completeServer } from "../../../domain/models/mcp/openapi/complete-server.ts";
import { MAX_DOCUMENT_BYTES } from "../../../domain/models/mcp/openapi/document.ts";
import {
  createMcpServer,
  deleteMcpServer,
  listMcpServers,
  type McpServerInput,
  type ServerChange,
  updateMcpServer,
} from "../../../domain/models/mcp/save-server.ts";
import { completeIssuer } from "../../../domain/models/mcp/sign-ins/complete-issuer.ts";
import {
  approveTools,
  listServerTools,
  refreshTools,
  withdrawTools,
} from "../../../domain/models/mcp/tools/pin-tools.ts";
import { recordOf } from "../../../formats/json.ts";
import { languageOf } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { sayReason } from "../../../lib/reason.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { integer, rowId } from "../../http/integers.ts";

type Services = Readonly<{ db: Db; changes: Changes; vault: Vault; log: Logger; mcpFetches: McpFetches }>;

const text = (description: string) => t.Optional(t.String({ description }));
const texts = (description: string) => t.Optional(t.Array(t.String(), { description }));
const ids = (description: string) => t.Optional(t.Array(integer(), { description }));

/** For the API description; src/domain/models/mcp/definition.ts validates the fields and names the invalid one. */
const definition: TSchema & { static: object } = t.Object(
  {
    description: t.Optional(t.String()),
    enabled: t.Optional(t.Boolean()),
    kind: text(`One of: ${MCP_KINDS.join(", ")}. http, a server of the protocol, unless set.`),
    url: text(
      "The address of the server's Streamable HTTP transport, or of the API; unless set, the document's first.",
    ),
    command: text("Of stdio: the command that starts the server, as MCP_STDIO_COMMANDS has it."),
    args: texts("Of stdio: its arguments."),
    document_url: text("Of openapi: the address of the document, which is fetched again with each listing."),
    auth: text(`One of: ${MCP_AUTHENTICATION.join(", ")}. none unless set.`),
    header: text("The header of the key; Authorization, as Bearer, unless set."),
    query: text("The member of the query that has the key, instead of a header; as the document says unless set."),
    token_url: text("Of client_credentials: the address of the token endpoint."),
    issuer: text(
      "Of oauth: the authorization server where people sign in; as the server says when it is saved, unless set.",
    ),
    client_id: text(
      "Of client_credentials and oauth: the id of the client. Of oauth, the gateway registers itself unless set.",
    ),
    oauth_scope: text(
      "Of client_credentials and oauth: the scope to request. Of oauth, as the server says unless set.",
    ),
    groups: texts("Only callers of these groups."),
    accounts: ids("Only these people or organizations."),
    projects: ids("Only callers of these projects."),
    keys: ids("Only these API keys."),
    tools: texts("Only tools that match one of these names or patterns."),
    read_only: t.Optional(t.Boolean({ description: "Only tools that the server says change nothing." })),
    prompts: t.Optional(t.Boolean({ description: "Callers get the server's prompts." })),
    resources: t.Optional(t.Boolean({ description: "Callers get the server's resources and templates." })),
    elicitation: t.Optional(t.Boolean({ description: "The server may ask users of clients while a tool runs." })),
    sampling: t.Optional(t.Boolean({ description: "The server may use the client's model while a tool runs." })),
    roots: t.Optional(t.Boolean({ description: "The server may list the client's folders while a tool runs." })),
    timeout_ms: t.Optional(integer({ description: "How long a call may take; 60,000 unless set." })),
    max_result_bytes: t.Optional(integer({ description: "The largest result; 1,048,576 unless set." })),
    max_result_tokens: t.Optional(
      integer({ description: "The most estimated tokens of a result's texts; no bound unless set." }),
    ),
    usd_per_call: text("What a call costs, in dollars; nothing unless set."),
  },
  { additionalProperties: t.Unknown() },
);

const body = t.Object({
  name: t.String({ minLength: 1, maxLength: 32 }),
  server: definition,
  secret: t.Optional(
    t.String({
      maxLength: 8_000,
      description:
        "The key, the secret of the client, or of stdio the variables as lines of NAME=value; never sent back. Absent: it stays as it is; empty: it is deleted.",
    }),
  ),
  document: t.Optional(
    t.String({
      maxLength: MAX_DOCUMENT_BYTES,
      description: "Of openapi: the document as JSON or YAML, unless it has an address. Absent: it stays as it is.",
    }),
  ),
});

const VERBS = {
  added: { action: "create", past: "Added" },
  changed: { action: "update", past: "Changed" },
  deleted: { action: "delete", past: "Deleted" },
} as const;

/** Who asks for a listing; `rights` null: a person. */
type Asking = Readonly<{ actor: Readonly<{ id: number }>; rights: ReadonlySet<string> | null; request: Request }>;

const params = t.Object({ id: rowId });
const MOST_TOOLS = 1_000;
const toolName = t.String({ minLength: 1, maxLength: 128 });

/** MCP servers whose tools callers may use, for administrators. */
export function mcpRoutes({ mcpFetches, ...services }: Services, guarded: ReturnType<typeof guard>) {
  const { db, changes } = services;
  const fetching = { db, fetch: mcpFetches.fetch };
  const audited = async (
    actor: Readonly<{ id: number }>,
    verb: keyof typeof VERBS,
    { name, id, ...change }: ServerChange,
  ) => {
    const { action, past } = VERBS[verb];
    const note = { code: `mcp_server_${verb}`, params: { name } } as const;
    await writeManagementLog(db, actor, `${past} the MCP server ${name}`, { note, action, ...change });
  };
  const serverOf = async (id: number) => {
    const [server] = await readServers(services, [id]);
    if (!server) throw new OperationError("mcp_server_not_found");
    return server;
  };
  /** A command runs as the gateway does, so only who may do everything saves or changes one. */
  const requireStdioRight = (
    actor: Readonly<{ role: number }>,
    saved: object,
    stored?: Readonly<{ kind?: string }>,
  ) => {
    const { kind, command } = recordOf(saved) ?? {};
    if (kind !== "stdio" && stored?.kind !== "stdio") return;
    if (actor.role < ROLE.root) throw new OperationError("mcp_stdio_root_only");
    if (kind !== "stdio" || typeof command !== "string") return;
    if (!mcpFetches.stdio) throw new OperationError("mcp_stdio_not_allowed", { command });
    mcpFetches.stdio.require(command);
  };
  const complete = async (input: McpServerInput, id: number | null) =>
    completeIssuer(mcpFetches.send, await completeServer(fetching, input, id));
  /** With the sign-in of the person who asks, where there is one. */
  const refresh = async (id: number, { actor, rights, request }: Asking) => {
    const by = rights === null ? { actorId: actor.id } : {};
    const { error, ...listed } = await refreshTools({ db, changes, ...mcpFetches }, await serverOf(id), by);
    return { ...listed, error: error === null ? "" : sayReason(error, languageOf(request)) };
  };
  return new Elysia({ prefix: "/api/mcp-server", name: "console/mcp" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/", async ({ request }) => ok(await listMcpServers({ db }, languageOf(request))))
    .post(
      "/",
      async ({ actor, rights, body, request }) => {
        requireStdioRight(actor, body.server);
        const change = await createMcpServer(services, await complete(body, null));
        await audited(actor, "added", change);
        return ok({ id: change.id, listing: await refresh(change.id, { actor, rights, request }) });
      },
      { body },
    )
    .put(
      "/:id",
      async ({ actor, rights, body, params: { id }, request }) => {
        const [stored] = await readServers(services, [id]);
        requireStdioRight(actor, body.server, stored?.definition);
        const change = await updateMcpServer(services, id, await complete(body, id));
        await audited(actor, "changed", change);
        return ok({ id, listing: await refresh(id, { actor, rights, request }) });
      },
      { params, body },
    )
    .delete(
      "/:id",
      async ({ actor, params: { id } }) => {
        await audited(actor, "deleted", await deleteMcpServer(services, id));
        return ok(null);
      },
      { params },
    )
    .post("/:id/refresh", async ({ params: { id }, ...asking }) => ok(await refresh(id, asking)), { params })
    .get("/:id/tools", async ({ params: { id } }) => ok(await listServerTools(db, id)), { params })
    .post(
      "/:id/tools/approve",
      async ({ actor, body: { tools }, params: { id } }) => {
        const { name } = await serverOf(id);
        await approveTools({ db, changes }, id, actor, tools);
        const names = tools.map((tool) => tool.name).join(", ");
        await writeManagementLog(db, actor, `Approved tools of the MCP server ${name}: ${names}`, {
          ...{ action: "update", note: { code: "mcp_tools_approved", params: { name, tools: names } } },
          after: { tools },
        });
        return ok(null);
      },
      {
        params,
        body: t.Object({
          tools: t.Array(t.Object({ name: toolName, hash: t.String({ pattern: "^[0-9a-f]{64}$" }) }), {
            ...{ minItems: 1, maxItems: MOST_TOOLS },
            description: "Each with the hash of the description that was read.",
          }),
        }),
      },
    )
    .post(
      "/:id/tools/withdraw",
      async ({ actor, body: { tools }, params: { id } }) => {
        const { name } = await serverOf(id);
        await withdrawTools({ db, changes }, id, tools);
        const names = tools.join(", ");
        await writeManagementLog(db, actor, `Withdrew tools of the MCP server ${name}: ${names}`, {
          ...{ action: "update", note: { code: "mcp_tools_withdrawn", params: { name, tools: names } } },
          before: { tools },
        });
        return ok(null);
      },
      { params, body: t.Object({ tools: t.Array(toolName, { minItems: 1, maxItems: MOST_TOOLS }) }) },
    );
}
