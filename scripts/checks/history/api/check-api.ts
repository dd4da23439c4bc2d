/**
 * Compares the API with that of the last release, and names what breaks its callers. With --accept the present API becomes the
 * one to compare with: part of a release.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../../../src/lib/runtime/log.ts";
import { createApp } from "../../../../src/server/app.ts";
import { readConfig } from "../../../../src/server/config.ts";
import { openApiDocument } from "../../../../src/server/control-plane/api-reference/openapi.ts";
import { openServices } from "../../../../src/server/services.ts";
import { type ApiFacts, breakingChanges, factsOf } from "./facts.ts";

const RELEASED = join(import.meta.dir, "released.txt");

/** What the sources offer. Opens a gateway on an empty database. */
export async function presentFacts(): Promise<ApiFacts> {
  const dataDir = await mkdtemp(join(tmpdir(), "sluice-api-"));
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "error" }, false);
  const services = await openServices(config, createLogger(config));
  try {
    return factsOf(openApiDocument(createApp(services, () => false).apis, "present"));
  } finally {
    await services.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** What the last release offered. */
export const releasedFacts = async (): Promise<ApiFacts> => (await Bun.file(RELEASED).text()).trimEnd().split("\n");

if (import.meta.main) {
  const present = await presentFacts();
  if (process.argv.includes("--accept")) await Bun.write(RELEASED, `${present.join("\n")}\n`);
  const broken = breakingChanges(await releasedFacts(), present);
  const sum = broken.length === 0 ? `${present.length} facts, nothing breaks` : `${broken.length} breaking changes`;
  process.stdout.write([...broken, `API: ${sum}`, ""].join("\n"));
  process.exit(broken.length === 0 ? 0 : 1);
}
