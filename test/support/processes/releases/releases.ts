/** Executables of the release before this version, and of the one after it. */
import { cp, mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { buildOlder } from "../../../../scripts/soak/cluster/build-older.ts";
import { gatewayCommand } from "../gateway.ts";
import { addMigration } from "./next-migrations.ts";

const ROOT = path.resolve(import.meta.dir, "../../../..");

/** The last release, built out of the repository's history; before the first one, this version. */
export async function lastRelease(): Promise<string[]> {
  const older = await buildOlder(ROOT, (line) => process.stderr.write(`${line}\n`));
  return older === null ? gatewayCommand() : [older];
}

/** This version's sources in `folder`, with one more migration: what the next release is for the database. */
export async function nextRelease(folder: string, sql: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  for (const name of ["src", "db"]) await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  for (const name of ["node_modules", "package.json", "tsconfig.json", "ui", "dist"]) {
    await symlink(path.join(ROOT, name), path.join(folder, name));
  }
  await addMigration(path.join(folder, "db/migrations"), { sql });
  return [process.execPath, path.join(folder, "src/main.ts")];
}
