import { readFileSync } from "node:fs";

/** The text of a file; null where it can't be read. */
export type ReadText = (path: string) => string | null;

const ROOT = "/sys/fs/cgroup";

/**
 * Where a control group's file may be: that of the root, which is the container's own, of the process's group, and of those that
 * it is in. `controller`: of cgroup v1; empty: v2.
 */
export function cgroupPaths(read: ReadText, controller: string, file: string): readonly string[] {
  const base = controller === "" ? ROOT : `${ROOT}/${controller}`;
  const paths = [`${base}/${file}`];
  const lines = (read("/proc/self/cgroup") ?? "").split("\n").map((line) => line.split(":"));
  const isOwn = (names = "") => (controller === "" ? names === "" : names.split(",").includes(controller));
  const own = lines.find(([, names]) => isOwn(names))?.[2] ?? "/";
  for (let path = own; path.length > 1; path = path.slice(0, path.lastIndexOf("/")))
    paths.push(`${base}${path}/${file}`);
  return paths;
}

/** A file as text; null where it can't be read. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
