import { eq } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { walletRoutes } from "../../../src/console/wallet/wallet.ts";
import { createClientAddress } from "../../../src/lib/http/client-ip.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import type { OptionKey } from "../../../src/settings/registry/index.ts";
import { transferDirectly } from "../billing/start-billing.ts";
import { startTestConsole } from "./start-console.ts";

/** The console with what people have and pay, two users, an administrator and a super admin logged in. */
export async function startTestWallet(
  options: Partial<Record<OptionKey, string>> = {},
  stripeAddress = "",
  certificateRoots: readonly string[] = [],
) {
  const app = await startTestConsole(undefined, async (services, guarded) =>
    walletRoutes(
      {
        ...services,
        clientAddress: createClientAddress([]),
        fetch: createSafeFetch(createAddressPolicy(true)),
        stripeAddress,
        certificateRoots,
        billing: { transfer: transferDirectly },
      },
      guarded,
    ),
  );
  for (const [key, value] of Object.entries(options)) await app.settings.set(key, value);
  const ids = {
    user: await app.addUser("user"),
    other: await app.addUser("other"),
    admin: await app.addUser("admin", "admin"),
    root: await app.addUser("root", "root"),
  };
  const as = {
    user: await app.login("user"),
    other: await app.login("other"),
    admin: await app.login("admin"),
    root: await app.login("root"),
  };
  const call = async (method: string, path: string, body?: unknown, headers = as.user) =>
    (await app.ask(method, path, body, headers)).body;
  /** The row of a user. */
  const rowOf = async (id: number) => {
    const [row] = await app.db.select().from(users).where(eq(users.id, id));
    if (!row) throw new Error(`there is no user ${id}`);
    return row;
  };
  return { ...app, ids, as, call, rowOf };
}

export type TestWallet = Awaited<ReturnType<typeof startTestWallet>>;
