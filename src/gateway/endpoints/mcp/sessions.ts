import { LRUCache } from "lru-cache";
import type { CallOptions, ServerConnection, ToolResult } from "../../../domain/models/mcp/connection.ts";
import type { McpFetches } from "../../../domain/models/mcp/credentials.ts";
import type { McpServer } from "../../../domain/models/mcp/directory.ts";
import { openConnection } from "../../../domain/models/mcp/open-connection.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { CircuitBreaker } from "./circuit-breaker.ts";
import { declaredTo } from "./questions/client-abilities.ts";

/** Of one server; of those, of one account, beyond which its own idle ones end. */
const [MAX_SESSIONS, MAX_OF_ACCOUNT] = [2_000, 500];
/** An unused session at a server ends. */
const IDLE_MS = 900_000;
const IDLE_PROCESS_MS = 300_000;
const UPKEEP_MS = 5_000;

type Session = Readonly<{ connection: ServerConnection }> & {
  /** Calls under way. */
  uses: number;
};

/** Whose session it is. */
export type SessionOwner = Readonly<{ user: Readonly<{ id: number }>; token: Readonly<{ id: number }> | null }>;

/** Names a session of a caller among those of all. */
export const sessionKeyOf = ({ user, token }: SessionOwner, session: string): string =>
  `${user.id}/${token?.id ?? 0}/${session}`;

/** Sessions at MCP servers: a server never gets calls of two callers, or of two sessions of a caller, in one. */
export class McpSessions {
  readonly breaker = new CircuitBreaker(Date.now);
  /** By the server as it is configured, which a change replaces. */
  readonly #byServer = new WeakMap<McpServer, LRUCache<string, Session>>();

  /** Servers that are processes, as long as they may have one. */
  readonly #processes = new Set<McpServer>();
  #upkeep: Timer | null = null;

  /** `isCurrent`: whether a server is still configured so. */
  constructor(
    private readonly fetches: McpFetches,
    private readonly isCurrent: (server: McpServer) => boolean,
  ) {}

  /** Rejects OperationError if people sign in at a server, and the caller's account has not, or must again. */
  async requireSignIn(server: McpServer, { user }: SessionOwner): Promise<void> {
    if (server.definition.auth === "oauth") await this.fetches.signIns?.of(server, user.id);
  }

  /** Calls a tool of a server in its session for the client's. One that the server has ended is opened again. */
  async call(
    server: McpServer,
    { caller, session }: Readonly<{ caller: SessionOwner; session: string }>,
    { tool, input, ...options }: Readonly<{ tool: string; input: JsonObject }> & CallOptions,
  ): Promise<ToolResult> {
    return await this.#inSession(server, caller, session, (connection) => connection.callTool(tool, input, options));
  }

  /** Sends another request of the protocol in the same session. Rejects McpError if the server's kind has none. */
  async request(
    server: McpServer,
    { caller, session }: Readonly<{ caller: SessionOwner; session: string }>,
    { method, params, ...options }: Readonly<{ method: string; params: JsonObject }> & CallOptions,
  ): Promise<JsonObject> {
    const { ErrorCode, McpError } = await import("@modelcontextprotocol/sdk/types.js");
    return await this.#inSession(server, caller, session, async (connection) => {
      if (!connection.request) throw new McpError(ErrorCode.MethodNotFound, method);
      return await connection.request(method, params, options);
    });
  }

  async #inSession<Result>(
    server: McpServer,
    caller: SessionOwner,
    session: string,
    use: (connection: ServerConnection) => Promise<Result>,
  ): Promise<Result> {
    const owner = sessionKeyOf(caller, session);
    const { SessionOverError, statusOfFailure } = await import("../../../domain/models/mcp/connection.ts");
    for (let isFirst = true; ; isFirst = false) {
      const used = await this.#sessionOf(server, owner, { accountId: caller.user.id, session });
      const { connection } = used;
      used.uses += 1;
      try {
        return await use(connection);
      } catch (error) {
        // The server knows the session no more, so nothing was called.
        const isOver = (statusOfFailure(error) === 404 || error instanceof SessionOverError) && !connection.hasFailed;
        if (isOver || connection.hasFailed) this.#drop(server, owner, connection);
        if (!isOver || !isFirst) throw error;
      } finally {
        used.uses -= 1;
      }
    }
  }

  /** Ends what a client's session has at servers. */
  end(servers: readonly McpServer[], caller: SessionOwner, session: string): void {
    for (const server of servers) this.#byServer.get(server)?.delete(sessionKeyOf(caller, session));
  }

  async #sessionOf(
    server: McpServer,
    owner: string,
    { accountId, session }: Readonly<{ accountId: number; session: string }>,
  ): Promise<Session> {
    const sessions = this.#byServer.get(server) ?? newSessions();
    this.#byServer.set(server, sessions);
    const known = sessions.get(owner);
    if (known) return known;
    const connection = await openConnection(this.fetches, server, {
      signal: new AbortController().signal,
      accountId,
      capabilities: declaredTo(server, session),
    });
    const other = sessions.get(owner);
    if (other) return other;
    const made = { connection, uses: 0 };
    if (server.kind === "stdio") this.#keep(server);
    makeRoom(sessions, accountId);
    // Idle since the end of its last call, which may take its time.
    const ttl = (server.kind === "stdio" ? IDLE_PROCESS_MS : IDLE_MS) + server.timeoutMs;
    sessions.set(owner, made, { ttl });
    return made;
  }

  /** Ends the processes of a server soon after its configuration has changed. */
  #keep(server: McpServer): void {
    this.#processes.add(server);
    this.#upkeep ??= setInterval(() => {
      for (const each of this.#processes) {
        if (this.isCurrent(each)) continue;
        this.#byServer.get(each)?.clear();
        this.#processes.delete(each);
      }
    }, UPKEEP_MS).unref();
  }

  #drop(server: McpServer, owner: string, connection: ServerConnection): void {
    const sessions = this.#byServer.get(server);
    if (sessions?.peek(owner)?.connection === connection) sessions.delete(owner);
  }
}

/** Ends the session that is idle longest: of an account that has its share, its own, else of all. */
function makeRoom(sessions: LRUCache<string, Session>, accountId: number): void {
  const keys = [...sessions.rkeys()];
  const own = keys.filter((key) => key.startsWith(`${accountId}/`));
  const among = own.length >= MAX_OF_ACCOUNT ? own : keys.length >= MAX_SESSIONS ? keys : [];
  const idle = among.find((key) => sessions.peek(key)?.uses === 0);
  if (idle !== undefined) sessions.delete(idle);
}

const newSessions = () =>
  new LRUCache<string, Session>({
    max: MAX_SESSIONS,
    ttl: IDLE_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: ({ connection }) => connection.close(),
  });
