import { chmod, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzip, type Pack, packTar } from "./pack.ts";
import { programName, type Target } from "./targets.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
const NAME = "sluice";
const SCOPE = "@sluice";

/**
 * The packages for npm: one for each kind of machine, of which npm installs the one that fits (`os`, `cpu`, `libc` of
 * https://docs.npmjs.com/cli/v11/configuring-npm/package-json), and one whose command starts it. Nothing is downloaded after
 * the installation. `packages` have programs by target. Resolves with the paths.
 */
export async function packNpm(
  pack: Pack,
  packages: readonly (readonly [Target, program: string])[],
): Promise<string[]> {
  const made: string[] = [];
  for (const [target, program] of packages) {
    const manifest = {
      ...describe(pack, `${SCOPE}/${target.id}`, `The program of ${NAME} for ${target.id}`),
      os: [target.os],
      cpu: [target.cpu],
      ...(target.libc && { libc: [target.libc] }),
      preferUnplugged: true,
    };
    made.push(await packOne(pack, manifest, { [programName(target)]: program }));
  }
  const starter = {
    ...describe(pack, NAME, "A gateway in front of every AI provider, as one program"),
    bin: { sluice: "sluice.cjs" },
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(packages.map(([{ id }]) => [`${SCOPE}/${id}`, pack.version])),
  };
  made.push(await packOne(pack, starter, { "sluice.cjs": path.join(import.meta.dir, "npm-starter.cjs") }));
  return made;
}

const describe = ({ version }: Pack, name: string, description: string) => ({
  ...{ name, version, description, license: "Apache-2.0" },
});

async function packOne(
  pack: Pack,
  manifest: { name: string },
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const plainName = manifest.name.replace("@", "").replace("/", "-");
  const file = path.join(pack.out, `npm-${plainName}-${pack.version}.tgz`);
  const work = path.join(pack.out, `.npm-${plainName}`);
  // What npm packs has this folder.
  const folder = path.join(work, "package");
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(path.join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    await copyFile(path.join(ROOT, "LICENSE"), path.join(folder, "LICENSE"));
    for (const [name, from] of Object.entries(files)) {
      await copyFile(from, path.join(folder, name));
      await chmod(path.join(folder, name), 0o755);
    }
    await Bun.write(file, gzip(pack, await packTar(pack, work, "package")));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return file;
}
