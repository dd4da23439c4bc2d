import { join } from "node:path";
import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { users } from "../../../db/schema/accounts/users.ts";
import { readFromPrimary } from "../../../db/server/replica.ts";
import { createBilling } from "../../../src/billing/billing.ts";
import { organizationRoutes } from "../../../src/console/accounts/organizations/organizations.ts";
import { apiKeyLogRoutes } from "../../../src/console/api-keys/api-key-log.ts";
import { apiKeyRoutes } from "../../../src/console/api-keys/api-keys.ts";
import { rateLimit } from "../../../src/console/http/rate-limit.ts";
import { type ApiKeyDirectory, createApiKeyDirectory } from "../../../src/domain/api-keys/directory/index.ts";
import type { Mail } from "../../../src/domain/notifications/mail.ts";
import { createClientAddress } from "../../../src/lib/http/client-ip.ts";
import { silentLog } from "../billing/start-billing.ts";
import { openTestDatabase } from "../database.ts";
import { startTestConsole } from "./start-console.ts";

type Headers = Readonly<Record<string, string>>;

/** The console with organizations turned on, a ledger, a mailbox in place of a mail server, and people who are logged in. */
export async function startTestOrganizations() {
  const database = await openTestDatabase();
  const mails: Mail[] = [];
  const clientAddress = createClientAddress([]);
  const limits = rateLimit({
    countRefusal() {},
    rateLimits: { api: null, user: null, web: null, critical: null },
    identify: async () => null,
    clientAddress,
    sharedLimits: null,
  });
  const mailer = {
    isConfigured: () => true,
    probe: async () => null,
    async send(mail: Mail) {
      mails.push(mail);
    },
  };
  const billing = await createBilling({
    database,
    changes: database.changes,
    dataDir: join(database.dataDir, "billing"),
    processId: Bun.randomUUIDv7(),
    log: silentLog,
  });
  let tokens: ApiKeyDirectory | undefined;
  const app = await startTestConsole(database, async (services, guarded) => {
    tokens = await createApiKeyDirectory(services);
    const keyLog = apiKeyLogRoutes({ reads: readFromPrimary(services.db), tokens });
    return new Elysia()
      .use(organizationRoutes({ ...services, mailer, billing, clientAddress }, guarded, limits))
      .use(apiKeyRoutes(services, guarded))
      .use(new Elysia({ prefix: "/api/log" }).use(keyLog));
  });
  await app.settings.set("Organizations", "on");
  const names = ["alice", "bob", "carol", "dave", "erin"] as const;
  const people = new Map<string, Readonly<{ id: number; headers: Record<string, string> }>>();
  for (const name of names) people.set(name, { id: await app.addUser(name), headers: await app.login(name) });
  const who = (name: string) => {
    const person = people.get(name);
    if (!person) throw new Error(`there is nobody called ${name}`);
    return person;
  };
  /** Calls as a person; for an organization when `headers` name it. Returns status and body. */
  const as = (name: string, method: string, path: string, body?: unknown, headers: Headers = {}) =>
    app.ask(method, path, body, { ...who(name).headers, ...headers });
  const rowOf = async (id: number) => {
    const [row] = await app.db.select().from(users).where(eq(users.id, id));
    if (!row) throw new Error(`there is no account ${id}`);
    return row;
  };
  /** Creates an organization and returns its id. */
  const create = async (owner: string, username: string): Promise<number> => {
    const { body } = await as(owner, "POST", "/api/organization/", { username, display_name: `The ${username}` });
    if (!body.success) throw new Error(JSON.stringify(body));
    return (body.data as { id: number }).id;
  };
  /** Invites by link and returns the token in it. */
  const invite = async (by: string, id: number, role: string): Promise<string> => {
    const { body } = await as(by, "POST", `/api/organization/${id}/invitations`, { role });
    const { link } = body.data as { link: string };
    return new URL(link).searchParams.get("token") ?? "";
  };
  const accept = (name: string, token: string) => as(name, "POST", "/api/organization/invitation/accept", { token });
  /** Makes somebody a member. */
  const addMember = async (by: string, id: number, name: string, role: string) =>
    accept(name, await invite(by, id, role));
  const giveQuota = async (id: number, quota: number) => {
    await app.db.update(users).set({ quota }).where(eq(users.id, id));
    await app.changes.publish("users", [id]);
  };
  const close = async () => {
    tokens?.close();
    await billing.close();
    await app.close();
    await database.close();
  };
  return { ...app, database, billing, mails, who, as, rowOf, create, invite, accept, addMember, giveQuota, close };
}

export type TestOrganizations = Awaited<ReturnType<typeof startTestOrganizations>>;

/** The same with the organization acme of alice, in which bob is a developer. */
export async function startTestOrganization() {
  const app = await startTestOrganizations();
  const id = await app.create("alice", "acme");
  await app.addMember("alice", id, "bob", "developer");
  const call = (by: string, method: string, path: string, body?: object) =>
    app.as(by, method, `/api/organization/${id}/${path}`, body);
  const codeOf = async (...args: Parameters<typeof call>) => (await call(...args)).body.code;
  const createdId = async (...args: Parameters<typeof call>) => ((await call(...args)).body.data as { id: number }).id;
  return { ...app, id, call, codeOf, createdId };
}

export type TestOrganization = Awaited<ReturnType<typeof startTestOrganization>>;
