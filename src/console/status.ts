import { sql } from "drizzle-orm";
import { Elysia } from "elysia";
import type { Db } from "../../db/types.ts";
import type { Setup } from "../domain/accounts/setup.ts";
import { toText } from "../lib/decimal.ts";
import { type OptionKey, optionKeys, registry } from "../settings/registry/index.ts";
import type { SettingsReader } from "../settings/settings.ts";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";

type StatusServices = Readonly<{
  db: Db;
  settings: SettingsReader;
  setup: Setup;
  signInAddresses: Readonly<{ turnstile: string }>;
  projectUrl: string | null;
  version: string;
  /** Epoch seconds. */
  startedAt: number;
}>;

/** What anybody may know of the site, and whether it works. */
export function statusRoutes(services: StatusServices, guarded: ReturnType<typeof guard>) {
  const { db, settings, setup, signInAddresses, projectUrl, version, startedAt } = services;
  const options = publicOptions(settings);
  return new Elysia({ prefix: "/api", name: "console/status" })
    .use(guarded)
    .get("/status", async () =>
      ok({
        version,
        project_url: projectUrl ?? "",
        start_time: startedAt,
        setup: await setup.isDone(),
        ...options(),
        turnstile_script: `${signInAddresses.turnstile}/turnstile/v0/api.js`,
        enable_online_topup: (["PayAddress", "EpayId", "EpayKey"] as const).every((key) => settings.get(key) !== ""),
        // Usage is always written in batches here.
        enable_batch_update: true,
      }),
    )
    .get(
      "/status/test",
      async () => {
        await db.execute(sql`select 1`);
        return ok(null, "Server is running");
      },
      { role: "admin" },
    )
    .get("/notice", () => ok(settings.get("Notice")))
    .get("/about", () => ok(settings.get("About")))
    .get("/home_page_content", () => ok(settings.get("HomePageContent")));
}

/** The options that say `status` in the registry, under those names; built once per settings version. */
function publicOptions(settings: SettingsReader): () => Record<string, unknown> {
  const shown = optionKeys.flatMap((key) => {
    const name = registry[key].traits.status;
    return name ? [{ key, name }] : [];
  });
  let builtFor = -1;
  let built: Record<string, unknown> = {};
  return () => {
    if (builtFor !== settings.version) {
      builtFor = settings.version;
      built = Object.fromEntries(shown.map(({ key, name }) => [name, jsonValue(settings, key)]));
    }
    return built;
  };
}

function jsonValue(settings: SettingsReader, key: OptionKey): unknown {
  const value = settings.get(key);
  return typeof value === "object" && "digits" in value ? Number(toText(value)) : value;
}
