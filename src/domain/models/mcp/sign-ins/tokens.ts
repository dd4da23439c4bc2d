import { and, eq, sql } from "drizzle-orm";
import { mcpSignIns } from "../../../../../db/schema/models/mcp.ts";
import type { Db } from "../../../../../db/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { OperationError } from "../../../../lib/operation-error.ts";
import type { CheckedFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { keepReason, type Reason, readReason, reasonOf } from "../../../../lib/reason.ts";
import { messageOf } from "../../../../lib/runtime/error-message.ts";
import type { Vault } from "../../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import type { McpServer } from "../directory.ts";
import { type Grant, isGrantFor, openGrant, sealGrant } from "./grant.ts";

/** The server as far as tokens depend on it. */
export type TokenServer = Pick<McpServer, "definition" | "id" | "name" | "secret" | "url">;

type Deps = Readonly<{ db: Db; vault: Vault; send: CheckedFetch; settings: SettingsReader }>;

/** A sign-in whose grant can be used. */
type Usable = Readonly<{ row: typeof mcpSignIns.$inferSelect; grant: Grant }>;

/** Where people sign in. */
const SIGN_INS_PATH = "/mcp-sign-ins";

/** A token is renewed before it expires, since a call takes its time. */
const EXPIRES_EARLY_S = 30;
/** A newer token that is refused is not renewed: the server would refuse the next one, too. */
const RENEWED_AFTER_S = 60;
/** A renewal takes less; when its process ends meanwhile, another one begins after this time. */
const LEASE_S = 20;
/** After a renewal that failed for now. */
const PAUSE_S = 5;
const WAIT_MS = 30_000;
const POLL_MS = 100;
const MAX_SCOPE_LENGTH = 2_000;

/** By the clock that all processes share. */
const databaseNow = sql`extract(epoch from clock_timestamp())::bigint`;

/**
 * Access tokens of accounts at MCP servers. Of calls at the same time one renews a token that has expired, also of several processes:
 * many authorization servers end a sign-in when a refresh token is used twice.
 */
export class SignInTokens {
  readonly #renewals = new Map<number, Promise<string>>();

  constructor(private readonly deps: Deps) {}

  /** The token of an account at a server. Rejects OperationError: it must sign in, or the token cannot be renewed now. */
  of(server: TokenServer, accountId: number): Promise<string> {
    return withDatabase(this.#of(server, accountId));
  }

  async #of(server: TokenServer, accountId: number): Promise<string> {
    const usable = await this.#require(server, accountId);
    if (!isExpiring(usable.row)) return usable.grant.accessToken;
    return await this.#renew(server, accountId, usable);
  }

  /** The token in place of one that the server has refused. Rejects OperationError like `of`. */
  renew(server: TokenServer, accountId: number, refused: string): Promise<string> {
    return withDatabase(this.#renewRefused(server, accountId, refused));
  }

  async #renewRefused(server: TokenServer, accountId: number, refused: string): Promise<string> {
    const usable = await this.#require(server, accountId);
    if (usable.grant.accessToken !== refused) return await this.of(server, accountId);
    if (nowSeconds() - usable.row.issuedAt < RENEWED_AFTER_S) throw this.refused(server);
    return await this.#renew(server, accountId, usable);
  }

  /** The server refuses a token for what it misses; the next sign-in requests that too. Rejects OperationError always. */
  async missScope(server: TokenServer, accountId: number, missing: string): Promise<never> {
    const { row } = await this.#require(server, accountId);
    const scope = [...new Set(`${row.missingScope} ${missing}`.split(" ").filter((each) => each !== ""))].join(" ");
    if (scope !== row.missingScope && scope.length <= MAX_SCOPE_LENGTH)
      await this.deps.db.update(mcpSignIns).set({ missingScope: scope }).where(eq(mcpSignIns.id, row.id));
    throw this.#signIn(server, "gateway_mcp_sign_in_scope");
  }

  /** The error of a server that refuses a token which was just issued. */
  refused = (server: TokenServer): OperationError => this.#signIn(server, "gateway_mcp_sign_in_refused");

  #signIn({ name }: TokenServer, code: SignInCode): OperationError {
    const url = `${this.deps.settings.get("ServerAddress")}${SIGN_INS_PATH}`;
    return new OperationError(code, { server: name, url }, { status: 403 });
  }

  async #require(server: TokenServer, accountId: number): Promise<Usable> {
    const { db, vault } = this.deps;
    const isAccount = and(eq(mcpSignIns.serverId, server.id), eq(mcpSignIns.userId, accountId));
    const [row] = await db.select().from(mcpSignIns).where(isAccount);
    const grant = row && row.grantCipher !== "" ? openGrant(vault, row.grantCipher) : null;
    if (!row || !grant || !isGrantFor(grant, server)) throw this.#signIn(server, "gateway_mcp_sign_in_required");
    return { row, grant };
  }

  #renew(server: TokenServer, accountId: number, usable: Usable): Promise<string> {
    const { id } = usable.row;
    const underWay = this.#renewals.get(id);
    if (underWay) return underWay;
    const renewal = this.#renewInTurn(server, accountId, usable).finally(() => this.#renewals.delete(id));
    this.#renewals.set(id, renewal);
    return renewal;
  }

  /** Renews the token, or waits for the process that does. */
  async #renewInTurn(server: TokenServer, accountId: number, usable: Usable): Promise<string> {
    const { row, grant } = usable;
    if (grant.refreshToken === "") {
      await this.#end(row, { code: "mcp_sign_in_expired" });
      throw this.#signIn(server, "gateway_mcp_sign_in_required");
    }
    const endsAt = performance.now() + WAIT_MS;
    while (performance.now() < endsAt) {
      if (await this.#lease(row)) return await this.#request(server, accountId, usable);
      await Bun.sleep(POLL_MS);
      const current = await this.#require(server, accountId);
      if (current.row.version !== row.version) return current.grant.accessToken;
      if (current.row.lastError !== "") throw renewalFailed(server, readReason(current.row.lastError));
    }
    throw renewalFailed(server, { code: "why_timeout", params: { host: new URL(grant.from.tokenEndpoint).host } });
  }

  /** Whether this process renews the token now; no other does until the time of the lease is over. */
  async #lease({ id, version }: Usable["row"]): Promise<boolean> {
    const leased = await this.deps.db
      .update(mcpSignIns)
      .set({ renewingUntil: sql`${databaseNow} + ${LEASE_S}`, lastError: "" })
      .where(
        and(eq(mcpSignIns.id, id), eq(mcpSignIns.version, version), sql`${mcpSignIns.renewingUntil} < ${databaseNow}`),
      )
      .returning({ id: mcpSignIns.id });
    return leased.length > 0;
  }

  async #request(server: TokenServer, accountId: number, { row, grant }: Usable): Promise<string> {
    const { db, vault, send } = this.deps;
    const { renewTokens, revokeGrant } = await import("./request-tokens.ts");
    const { from, resource } = grant;
    const client = grant.client.isEntered ? { ...grant.client, secret: server.secret } : grant.client;
    const request = { from, client, resource, isSecure: server.url.protocol === "https:" };
    const renewed = await renewTokens(send, request, grant.refreshToken);
    if ("error" in renewed) {
      const reason = reasonOf(renewed.error);
      if (renewed.isOver) {
        await this.#end(row, reason);
        throw this.#signIn(server, "gateway_mcp_sign_in_required");
      }
      await db
        .update(mcpSignIns)
        .set({ renewingUntil: sql`${databaseNow} + ${PAUSE_S}`, lastError: keepReason(reason) })
        .where(isVersion(row));
      throw renewalFailed(server, reason);
    }
    const now = nowSeconds();
    const { accessToken, lifetime, scope } = renewed;
    // Without a new one, the old one stays.
    const next: Grant = { ...grant, accessToken, refreshToken: renewed.refreshToken || grant.refreshToken };
    const stored = await db
      .update(mcpSignIns)
      .set({
        ...{ grantCipher: sealGrant(vault, next), version: row.version + 1, renewingUntil: 0, lastError: "" },
        ...{ issuedAt: now, expiresAt: lifetime === null ? null : now + lifetime },
        ...(scope !== null && { scope }),
      })
      .where(isVersion(row))
      .returning({ id: mcpSignIns.id });
    if (stored.length > 0) return accessToken;
    // Signed out meanwhile, or again.
    void revokeGrant(send, next, server.secret);
    return await this.of(server, accountId);
  }

  /** Deletes tokens that are of no use any more. */
  async #end(row: Usable["row"], reason: Reason): Promise<void> {
    await this.deps.db
      .update(mcpSignIns)
      .set({
        grantCipher: "",
        version: row.version + 1,
        expiresAt: null,
        renewingUntil: 0,
        lastError: keepReason(reason),
      })
      .where(isVersion(row));
  }
}

/** Whether a token expires soon; a short one in the second half of its life. */
function isExpiring({ issuedAt, expiresAt }: Usable["row"]): boolean {
  if (expiresAt === null) return false;
  return nowSeconds() >= expiresAt - Math.min(EXPIRES_EARLY_S, (expiresAt - issuedAt) / 2);
}

type SignInCode = "gateway_mcp_sign_in_refused" | "gateway_mcp_sign_in_required" | "gateway_mcp_sign_in_scope";

const renewalFailed = ({ name }: TokenServer, why: Reason): OperationError =>
  new OperationError("gateway_mcp_sign_in_not_renewed", { server: name, why }, { status: 503 });

const isVersion = ({ id, version }: Usable["row"]) => and(eq(mcpSignIns.id, id), eq(mcpSignIns.version, version));

/** What the database says of its failure is for nobody who calls a server. */
async function withDatabase<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError("database_unavailable", {}, { status: 503, logReason: messageOf(error) });
  }
}
