import { Elysia } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import type { ProviderRow } from "../../../domain/accounts/identity-providers/providers.ts";
import {
  listOfAll,
  resourceTypes,
  schemas,
  serviceProviderConfig,
} from "../../../domain/accounts/identity-providers/scim/discovery.ts";
import {
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  patchGroup,
  replaceGroup,
} from "../../../domain/accounts/identity-providers/scim/groups.ts";
import type { PatchOperation } from "../../../domain/accounts/identity-providers/scim/patch.ts";
import {
  type Attributes,
  attributeOf,
  errorBody,
  isAttributes,
  ScimError,
} from "../../../domain/accounts/identity-providers/scim/protocol.ts";
import { continuePage, PATCH_SCHEMA, restOf } from "../../../domain/accounts/identity-providers/scim/resources.ts";
import { findByScimToken } from "../../../domain/accounts/identity-providers/scim/scim-token.ts";
import {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  patchUser,
  replaceUser,
  type ScimCall,
  type ScimDeps,
} from "../../../domain/accounts/identity-providers/scim/users.ts";
import { type ClientAddress, limitKeyOf, type PeerSource } from "../../../lib/http/client-ip.ts";
import { bytesUpTo } from "../../../lib/http/limited-body.ts";
import type { Limit } from "../../../lib/limits/rate-limiter.ts";
import { createLimiter, type SharedLimits } from "../../../lib/limits/shared-limits.ts";
import { say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { requireServerAddress } from "../../../settings/option/public-address.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

type ScimServices = Readonly<{
  db: Db;
  changes: Changes;
  vault: Vault;
  settings: SettingsReader;
  clientAddress: ClientAddress;
  sharedLimits: SharedLimits | null;
  log: Logger;
}>;

const LONGEST_BODY = 1_048_576;
const MOST_OPERATIONS = 1000;
/** Wrong tokens per address. */
const GUESSES: Limit = { count: 200, windowMs: 600_000 };

type Kind = Readonly<{
  path: string;
  list: typeof listUsers;
  get: typeof getUser;
  create: typeof createUser;
  replace: typeof replaceUser;
  patch: typeof patchUser;
  remove: typeof deleteUser;
}>;

const KINDS: readonly Kind[] = [
  {
    ...{ path: "/Users", list: listUsers, get: getUser, create: createUser },
    ...{ replace: replaceUser, patch: patchUser, remove: deleteUser },
  },
  {
    ...{ path: "/Groups", list: listGroups, get: getGroup, create: createGroup },
    ...{ replace: replaceGroup, patch: patchGroup, remove: deleteGroup },
  },
];

/** The methods of each endpoint; others are 405. */
const ENDPOINTS: readonly (readonly [path: string, allow: string])[] = [
  ...["/ServiceProviderConfig", "/ResourceTypes", "/ResourceTypes/:id", "/Schemas", "/Schemas/:id"].map(
    (path) => [path, "GET"] as const,
  ),
  ...KINDS.flatMap(({ path }) => [
    [path, "GET, POST"] as const,
    [`${path}/:id`, "GET, PUT, PATCH, DELETE"] as const,
    [`${path}/.search`, "POST"] as const,
  ]),
  ["/.search", "POST"],
];

type Context = Readonly<{
  request: Request;
  server: PeerSource;
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
}>;
type Work = (call: ScimCall, context: Context, deps: ScimDeps) => Promise<Response>;

/** SCIM 2.0 (RFC 7644) for identity providers, each with a token of its own, which names the provider. */
export function scimRoutes(services: ScimServices) {
  const authenticate = scimAuthentication(services);
  const answer = (work: Work) => async (context: Context) => {
    try {
      const base = `${requireServerAddress(services.settings)}/scim/v2`;
      return await work({ row: await authenticate(context), base }, context, services);
    } catch (error) {
      return failure(services.log, error);
    }
  };
  const app = new Elysia({ prefix: "/scim/v2", name: "console/scim" })
    .get(
      "/ServiceProviderConfig",
      answer(async ({ base }) => json(serviceProviderConfig(base))),
    )
    .get(
      "/ResourceTypes",
      answer(async ({ base }) => json(listOfAll(resourceTypes(base)))),
    )
    .get(
      "/ResourceTypes/:id",
      answer(async ({ base }, { params }) => one(resourceTypes(base), params.id)),
    )
    .get(
      "/Schemas",
      answer(async ({ base }) => json(listOfAll(schemas(base)))),
    )
    .get(
      "/Schemas/:id",
      answer(async ({ base }, { params }) => one(schemas(base), params.id)),
    );
  // Bodies are parsed here: their type is none that the framework knows.
  const raw = { parse: "none" } as const;
  for (const { path, list, get, create, replace, patch, remove } of KINDS) {
    const id = ({ params }: Context) => params.id ?? "";
    app
      .get(
        path,
        answer(async (call, { query }, deps) => listed([list], deps, call, query)),
      )
      .post(
        `${path}/.search`,
        answer(async (call, { request }, deps) => listed([list], deps, call, searchOf(await readBody(request)))),
        raw,
      )
      .get(
        `${path}/:id`,
        answer(async (call, context, deps) => json(selected(await get(deps, call, id(context)), context.query))),
      )
      .post(
        path,
        answer(async (call, { request }, deps) => {
          const created = await create(deps, call, await readBody(request));
          const location = attributeOf(created.meta, "location");
          return json(created, 201, typeof location === "string" ? { location } : {});
        }),
        raw,
      )
      .put(
        `${path}/:id`,
        answer(async (call, context, deps) =>
          json(await replace(deps, call, id(context), await readBody(context.request))),
        ),
        raw,
      )
      .patch(
        `${path}/:id`,
        answer(async (call, context, deps) => {
          const operations = operationsOf(await readBody(context.request));
          return json(await patch(deps, call, id(context), operations));
        }),
        raw,
      )
      .delete(
        `${path}/:id`,
        answer(async (call, context, deps) => {
          await remove(deps, call, id(context));
          return new Response(null, { status: 204 });
        }),
      );
  }
  app.post(
    "/.search",
    answer(async (call, { request }, deps) => {
      const lists = KINDS.map(({ list }) => list);
      return listed(lists, deps, call, searchOf(await readBody(request)));
    }),
    raw,
  );
  const hidden = { ...raw, detail: { hide: true } };
  for (const [path, allow] of ENDPOINTS) {
    app.all(path, answer(refuse(405, "This endpoint does not know the method", { allow })), hidden);
  }
  // Else the console would respond with its page; what reads it has routes for GET, which come before those for all methods.
  const nowhere = answer(refuse(404, "There is no such endpoint"));
  for (const path of ["/", "/*"]) app.get(path, nowhere, hidden).all(path, nowhere, hidden);
  return app;
}

const refuse =
  (status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Work =>
  async () =>
    json(errorBody(new ScimError(status, detail)), status, headers);

/** The page of a query over the lists one after another, with the attributes that it wants. Throws ScimError. */
async function listed(
  lists: readonly Kind["list"][],
  deps: ScimDeps,
  call: ScimCall,
  query: Readonly<Record<string, string>>,
): Promise<Response> {
  let page: Awaited<ReturnType<Kind["list"]>> | null = null;
  for (const list of lists) {
    if (!page) page = await list(deps, call, query);
    else page = continuePage(page, await list(deps, call, restOf(query, page)));
  }
  return json({ ...page, Resources: page?.Resources.map((resource) => selected(resource, query)) });
}

const SEARCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/** The query that a search sends as a body (RFC 7644, 3.4.3). Throws ScimError. */
function searchOf(body: Attributes): Record<string, string> {
  const named = attributeOf(body, "schemas");
  if (!Array.isArray(named) || !named.includes(SEARCH_SCHEMA)) {
    throw new ScimError(400, "The body is no SearchRequest", "invalidSyntax");
  }
  const query: Record<string, string> = {};
  for (const name of ["filter", "startIndex", "count", "attributes", "excludedAttributes"]) {
    const value = attributeOf(body, name);
    if (value !== undefined && value !== null) query[name] = [value].flat().join(",");
  }
  return query;
}

/**
 * Finds the provider of a call's token. Addresses that send too many wrong ones get 429, without a query; tokens that worked
 * before still do, as the customers of one provider share its addresses. Throws ScimError.
 */
function scimAuthentication(services: ScimServices) {
  const guesses = createLimiter(services.sharedLimits, "scim-token", GUESSES);
  // Keyed hashes; a provider has one token at a time, and there are few providers.
  const valid = new Set<string>();
  return async ({ request, server }: Context): Promise<ProviderRow> => {
    const token = /^Bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const address = limitKeyOf(services.clientAddress.ip(request, server));
    const hash = services.vault.keyedHash(token);
    const seconds = address === "" || valid.has(hash) ? 0 : await guesses.check(address);
    if (seconds > 0) throw new ScimError(429, "Too many wrong tokens", undefined, seconds);
    const row = await findByScimToken(services, token);
    if (row) {
      valid.add(hash);
      return row;
    }
    valid.delete(hash);
    if (address !== "") await guesses.add(address, 1);
    services.log.warn({ address, reason: "the token is wrong or was revoked" }, "a SCIM call was refused");
    throw new ScimError(401, "The token is wrong or was revoked");
  };
}

const json = (body: object, status = 200, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/scim+json", "cache-control": "no-store", ...headers },
  });

function one(resources: readonly Readonly<{ id: string }>[], id = ""): Response {
  const found = resources.find((resource) => resource.id.toLowerCase() === id.toLowerCase());
  if (!found) throw new ScimError(404, `There is no ${id.slice(0, 80)}`);
  return json(found);
}

function failure(log: Logger, error: unknown): Response {
  if (error instanceof ScimError) {
    const headers: Record<string, string> = {
      ...(error.status === 401 && { "www-authenticate": "Bearer" }),
      ...(error.retryAfterSeconds && {
        "retry-after": String(error.retryAfterSeconds),
      }),
    };
    return json(errorBody(error), error.status, headers);
  }
  if (error instanceof OperationError)
    return json(errorBody(new ScimError(400, say(error.code, "en", error.params))), 400);
  log.error({ error }, "a SCIM call failed");
  return json(errorBody(new ScimError(500, "The server failed")), 500);
}

async function readBody(request: Request): Promise<Attributes> {
  const bytes = await bytesUpTo(request, LONGEST_BODY);
  if (!bytes) throw new ScimError(413, "The body is too large");
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (isAttributes(body)) return body;
  } catch {
    // Reported below.
  }
  throw new ScimError(400, "The body is no JSON object", "invalidSyntax");
}

function operationsOf(body: Attributes): PatchOperation[] {
  const named = attributeOf(body, "schemas");
  const operations = attributeOf(body, "Operations");
  if (!Array.isArray(named) || !named.includes(PATCH_SCHEMA) || !Array.isArray(operations)) {
    throw new ScimError(400, "The body is no PatchOp", "invalidSyntax");
  }
  if (operations.length > MOST_OPERATIONS) throw new ScimError(413, "There are too many operations");
  return operations.map((operation) => {
    const [op, path] = [attributeOf(operation, "op"), attributeOf(operation, "path")];
    if (typeof op !== "string" || (path !== undefined && typeof path !== "string")) {
      throw new ScimError(400, "An operation has no op", "invalidSyntax");
    }
    return { op, path, value: attributeOf(operation, "value") };
  });
}

const ALWAYS: ReadonlySet<string> = new Set(["schemas", "id", "meta"]);

/** The attributes that a query wants (RFC 7644, 3.9), by their names at the top. */
function selected(resource: Attributes, query: Readonly<Record<string, string>>): Attributes {
  const namesOf = (text: string) =>
    new Set(text.split(",").map((name) => name.trim().toLowerCase().split(".")[0] ?? ""));
  const requested = query.attributes ? namesOf(query.attributes) : null;
  const excluded = namesOf(query.excludedAttributes ?? "");
  return Object.fromEntries(
    Object.entries(resource).filter(([key]) => {
      const name = key.toLowerCase();
      return ALWAYS.has(name) || ((requested === null || requested.has(name)) && !excluded.has(name));
    }),
  );
}
