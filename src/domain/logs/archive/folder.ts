import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ArchivePlace } from "./place.ts";

/** A folder of this host, or one that all hosts share. */
export function openFolder(root: string): ArchivePlace {
  return {
    kind: "folder",
    target: root,
    async write(name, bytes) {
      const path = join(root, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(`${path}.part`, "w", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.part`, path);
      await syncFolder(dirname(path));
    },
    async read(name, start, end) {
      const bytes = await Bun.file(join(root, name)).slice(start, end).bytes();
      if (bytes.length !== end - start) throw new Error(`${name} ends before byte ${end}`);
      return bytes;
    },
    async remove(name) {
      await rm(join(root, `${name}.part`), { force: true });
      await rm(join(root, name), { force: true });
    },
  };
}

/** Makes the name of a new file survive a power failure. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
