import { type AnyElysia, Elysia } from "elysia";
import pino from "pino";
import { createChanges } from "../../../db/changes.ts";
import { identityRoutes } from "../../../src/console/accounts/identity.ts";
import { envelope } from "../../../src/console/http/envelope.ts";
import { guard } from "../../../src/console/http/guard.ts";
import { rateLimit } from "../../../src/console/http/rate-limit.ts";
import { plainPath, sameOrigin } from "../../../src/console/http/request-checks.ts";
import { ROLE, type RoleName } from "../../../src/domain/accounts/access/roles.ts";
import { createUserDirectory, type UserDirectory } from "../../../src/domain/accounts/directory.ts";
import { createAccount } from "../../../src/domain/accounts/identity/create-user.ts";
import { createMailLimits, type MailLimits } from "../../../src/domain/accounts/registration/mail-limits.ts";
import { createSetup } from "../../../src/domain/accounts/registration/setup.ts";
import { createSessions } from "../../../src/domain/accounts/sign-in/sessions.ts";
import { createAlerter } from "../../../src/domain/alerts/alerter.ts";
import { createRoutingIndex } from "../../../src/domain/channels/routing/routing-index.ts";
import { createBroadcasts } from "../../../src/domain/notifications/broadcasts/broadcast.ts";
import { createMailer } from "../../../src/domain/notifications/mail.ts";
import { createNotifier } from "../../../src/domain/notifications/notifier.ts";
import { createClientAddress } from "../../../src/lib/http/client-ip.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import { LOG_OPTIONS, type Logger } from "../../../src/lib/runtime/log.ts";
import { createVault, type Vault } from "../../../src/lib/security/crypto.ts";
import { type Config, readConfig } from "../../../src/server/config.ts";
import { createSettings, type Settings } from "../../../src/settings/settings.ts";
import { openTestDatabase, type TestDatabase } from "../database.ts";
import { channelEntry } from "../gateway/entries.ts";

/** The public address that the console's tests start with. */
export const TEST_SITE = "http://gateway.test";
export const TEST_PASSWORD = "correct horse";
/** Hashing is slow on purpose: this one is as quick as argon2id can be, for each sign-in takes as long as its hash did. */
const testPasswordHash = Bun.password.hash(TEST_PASSWORD, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });

/** What a call answered, for scenarios. */
type Answer = {
  status: number;
  headers: Headers;
  text: string;
  body: { success?: boolean; message?: string; code?: string; data?: unknown } & Record<string, unknown>;
};

type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** Adds routes of other modules. */
type Mount = (
  services: TestServices,
  guarded: ReturnType<typeof guard>,
  limits: ReturnType<typeof rateLimit>,
) => Promise<AnyElysia>;

type TestServices = Pick<TestDatabase, "db" | "changes"> &
  Readonly<{
    mailLimits: MailLimits;
    database: TestDatabase;
    vault: Vault;
    settings: Settings;
    users: UserDirectory;
    log: Logger;
  }>;

/** The console's identity calls on a real database (a new one unless given), without a socket; `mount` adds others, `outside` replaces services to sign in with. */
export async function startTestConsole(
  sharedDatabase?: TestDatabase,
  mount?: Mount,
  outside: Partial<Config["signInAddresses"] & Config["notifyAddresses"] & Config["alertAddresses"]> = {},
) {
  const database = sharedDatabase ?? (await openTestDatabase());
  const { db } = database;
  const changes = await createChanges(database, (error) => {
    throw error;
  });
  const warnings: Record<string, unknown>[] = [];
  const log = pino({ ...LOG_OPTIONS, level: "warn" }, { write: (line: string) => warnings.push(JSON.parse(line)) });
  const vault = createVault({ encryptionKey: "the key of the console's tests" });
  const settings = await createSettings({ db, changes, vault, log });
  if (settings.get("ServerAddress") === "") await settings.set("ServerAddress", TEST_SITE);
  const users = await createUserDirectory({ db, changes, log });
  const sessions = createSessions({ db, changes, users, secret: "the session secret of the tests" });
  const setup = await createSetup({ db, changes, vault, version: "test" });
  const clientAddress = createClientAddress([]);
  const guarded = guard({ db, users, sessions, vault, settings });
  const limits = rateLimit({
    countRefusal() {},
    rateLimits: { api: null, user: null, web: null, critical: null },
    identify: async () => null,
    clientAddress,
    sharedLimits: null,
  });
  const policy = createAddressPolicy(true);
  const { signInAddresses, notifyAddresses, alertAddresses, notifyLimit } = readConfig({});
  const fetch = createSafeFetch(policy);
  const mailer = createMailer({ settings, policy, log });
  const localAddress = TEST_SITE;
  const addresses = { ...notifyAddresses, ...outside };
  const notifier = createNotifier(
    { db, settings, vault, mailer, fetch, addresses, log, rootLimit: notifyLimit, localAddress },
    [],
  );
  const alerter = createAlerter({
    ...{ db, settings, vault, fetch, log, localAddress },
    addresses: { ...alertAddresses, ...outside },
  });
  const mailLimits = createMailLimits({ settings, sharedLimits: null });
  const channels = createRoutingIndex();
  channels.add(channelEntry({ baseUrl: "http://upstream.test", models: ["gpt-4o", "x/gpt-4o"] }));
  // OpenAI has turned it off.
  channels.add(channelEntry({ id: 2, models: ["gpt-4"] }));
  const app = new Elysia()
    .use(envelope({ log }))
    .use(plainPath())
    .use(sameOrigin({ clientAddress, settings }))
    .use(
      identityRoutes(
        {
          db,
          databaseKind: "embedded",
          isOffline: false,
          changes,
          vault,
          settings,
          users,
          sessions,
          setup,
          channels,
          clientAddress,
          sharedLimits: null,
          rateLimits: { critical: null },
          mailLimits,
          fetch,
          mailer,
          notifier,
          broadcasts: createBroadcasts({ db, notifier, log }),
          alerter,
          notifyAddresses: addresses,
          log,
          signInAddresses: { ...signInAddresses, ...outside },
          generateDefaultToken: false,
          updateCheckUrl: null,
          projectUrl: null,
          version: "test",
          commit: "0123456789ab",
          startedAt: 1,
        },
        guarded,
        limits,
      ),
    );
  if (mount) app.use(await mount({ mailLimits, database, db, changes, vault, settings, users, log }, guarded, limits));

  /** Calls, and returns an answer that may be read as it comes. */
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const request = new Request(path.startsWith("/") ? `${TEST_SITE}${path}` : path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    });
    return app.handle(request);
  };
  const ask: Ask = async (...call) => {
    const response = await send(...call);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, text, body: isJson && text ? JSON.parse(text) : {} };
  };
  const addUser = async (username: string, role: RoleName = "user") => {
    const id = await createAccount(db, { username, role: ROLE[role] }, await testPasswordHash);
    await changes.publish("users", [id]);
    return id;
  };
  /** Logs in and returns the headers that a browser would send from then on. */
  const login = async (username: string, password = TEST_PASSWORD): Promise<Record<string, string>> => {
    const answer = await ask("POST", "/api/user/login", { username, password });
    const cookie = answer.headers.get("set-cookie")?.split(";")[0];
    if (!cookie) throw new Error(`login of ${username} failed: ${answer.text}`);
    return { cookie, "Sluice-User": String((answer.body.data as { id: number }).id) };
  };
  const close = async () => {
    settings.close();
    users.close();
    sessions.close();
    await changes.close();
    if (!sharedDatabase) await database.close();
  };
  return {
    ask,
    send,
    addUser,
    login,
    close,
    warnings,
    db,
    changes,
    vault,
    settings,
    users,
    sessions,
    notifier,
    alerter,
  };
}

export type TestConsole = Awaited<ReturnType<typeof startTestConsole>>;
