import { createHash } from "node:crypto";
import { chmod, mkdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { parseJson, recordOf, recordsOf, textOf, textsOf } from "../../../formats/json.ts";
import type { AgentFile } from "./agents.ts";
import type { Setting } from "./edit-settings.ts";

/** Where files of settings are: of the user that runs the command. */
export type Home = Readonly<{
  folder: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
}>;

export const ownHome = (env: NodeJS.ProcessEnv): Home => ({
  ...{ folder: env.HOME || homedir(), platform: process.platform, env },
});

/** The place of an agent's file on this platform. */
export function placeOf({ folder, platform, env }: Home, file: Pick<AgentFile, "path" | "windowsPath">): string {
  if (platform === "win32" && file.windowsPath !== undefined) {
    return path.join(env.APPDATA || path.join(folder, "AppData/Roaming"), file.windowsPath);
  }
  const own = env.XDG_CONFIG_HOME;
  return file.path.startsWith(".config/") && own && platform !== "win32"
    ? path.join(own, file.path.slice(".config/".length))
    : path.join(folder, file.path);
}

/** What was done to a file, so that it can be taken back. */
export type Edited = Readonly<{
  file: string;
  format: AgentFile["format"];
  /** The file before; null: there was none. */
  backup: string | null;
  before: readonly Setting[];
  /** SHA-256 of the file as it was written. */
  written: string;
}>;

/** An agent that is connected. */
export type Connection = Readonly<{
  url: string;
  key: string;
  /** The key was made for it, and goes with it. */
  isOwnKey: boolean;
  files: readonly Edited[];
}>;

const connectionsFile = (home: Home): string => placeOf(home, { path: ".config/sluice/connections.json" });

/** The connected agents by name. */
export async function readConnections(home: Home): Promise<Map<string, Connection>> {
  const root = recordOf(parseJson(await readText(connectionsFile(home)))) ?? {};
  const entries = Object.entries(root).map(([agent, value]): [string, Connection] => {
    const { url, key, isOwnKey, files } = recordOf(value) ?? {};
    return [
      agent,
      {
        url: textOf(url) ?? "",
        key: textOf(key) ?? "",
        isOwnKey: isOwnKey === true,
        files: recordsOf(files).map(readEdited),
      },
    ];
  });
  return new Map(entries);
}

const FORMATS = ["json", "yaml", "toml", "env"] as const;

const readEdited = ({ file, format, backup, before, written }: Record<string, unknown>): Edited => ({
  ...{ file: textOf(file) ?? "", backup: textOf(backup), written: textOf(written) ?? "" },
  format: FORMATS.find((known) => known === format) ?? "json",
  before: recordsOf(before).map((setting) => ({
    path: textsOf(setting.path),
    ...(setting.value !== undefined && { value: setting.value }),
  })),
});

export async function writeConnections(home: Home, connections: ReadonlyMap<string, Connection>): Promise<void> {
  await writePrivate(connectionsFile(home), `${JSON.stringify(Object.fromEntries(connections), null, 2)}\n`);
}

/** A file's text; empty: there is none. */
export async function readText(file: string): Promise<string> {
  const opened = Bun.file(file);
  return (await opened.exists()) ? opened.text() : "";
}

/** Writes a file that its owner alone may read: it holds a key. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await Bun.write(file, text, { mode: 0o600 });
  await chmod(file, 0o600);
}

export const remove = (file: string): Promise<void> => rm(file, { force: true });

export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
