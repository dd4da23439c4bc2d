import { createChanges } from "../../../db/changes.ts";
import { openDatabase, requireDatabase } from "../../../db/connect.ts";
import {
  type CatalogAction,
  type CatalogResult,
  runCatalogAction,
} from "../../domain/models/catalog/catalog-actions.ts";
import type { UpdatePlan } from "../../domain/models/catalog/plan-update.ts";
import { createAddressPolicy } from "../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../lib/runtime/log.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { loadSecrets } from "../../lib/security/secrets.ts";
import type { Config } from "../../server/config.ts";
import { createSettings } from "../../settings/settings.ts";
import { loadCommandConfig } from "./command-config.ts";
import { askGateway, textOf } from "./control-client.ts";

/**
 * Shows what prices and facts of models a source would change, applies them, or takes the last update back, also while a gateway
 * runs: one with the embedded database is asked to do it, since it alone can. Returns the exit code.
 */
export async function catalog(action: CatalogAction, asJson: boolean): Promise<number> {
  // The file is the caller's, who may be root; the command goes on as the owner of the data.
  const command = await withFile(action);
  const { config } = await loadCommandConfig();
  const result = (await askServing(config, command)) ?? (await runDirectly(config, command));
  process.stdout.write(asJson ? `${JSON.stringify(result, null, 2)}\n` : describe(result));
  return 0;
}

/** The command with the text of the file that it names, if it names one. */
async function withFile(action: CatalogAction): Promise<CatalogAction> {
  if (action.action !== "update" || action.document !== null) return action;
  const file = Bun.file(action.from);
  return (await file.exists()) ? { ...action, document: await file.text() } : action;
}

async function askServing(config: Config, action: CatalogAction): Promise<CatalogResult | null> {
  if (config.databaseUrl !== null) return null;
  const reply = await askGateway(config.dataDir, "catalog", JSON.stringify(action));
  return reply && (JSON.parse(await textOf(reply)) as CatalogResult);
}

async function runDirectly(config: Config, action: CatalogAction): Promise<CatalogResult> {
  requireDatabase(config);
  const log = createLogger({ ...config, logLevel: "silent" });
  const database = await openDatabase(config);
  try {
    const { db } = database;
    const changes = await createChanges(database, (error) => {
      throw error;
    });
    const vault = createVault(await loadSecrets(config));
    const settings = await createSettings({ db, changes, vault, log, basePath: config.basePath });
    const fetch = createSafeFetch(createAddressPolicy(config.allowPrivateUpstreams));
    try {
      return await runCatalogAction({ db, settings, fetch, config }, action);
    } finally {
      settings.close();
      await changes.close();
    }
  } finally {
    await database.close();
  }
}

function describe(result: CatalogResult): string {
  if ("retained" in result) {
    const retained = result.retained.map((model) => `  ${model}: the price was changed since and stays\n`);
    return `The last update was taken back.\n${retained.join("")}`;
  }
  const { plan, url, isApplied } = result;
  const lines = linesOf(plan);
  if (lines.length === 0) return "The model catalog is up to date.\n";
  const end = isApplied ? "Applied." : "Nothing was changed: add --apply to apply it.";
  return `${url === "" ? "" : `${url}\n`}${lines.map((line) => `  ${line}\n`).join("")}${end}\n`;
}

/** A line for each model and member: old, new. */
const linesOf = ({ changes, prices }: UpdatePlan): string[] => [
  ...changes.flatMap(({ model, fields }) =>
    fields.map(
      ({ field, before, after }) => `${model}  ${field}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
    ),
  ),
  ...prices.map(({ model, before, after, applies }) => {
    const stays = applies ? "" : "  (your own price stays)";
    return `${model}  price: ${JSON.stringify(before)} -> ${JSON.stringify(after)}${stays}`;
  }),
];
