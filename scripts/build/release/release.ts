/**
 * Makes everything of a release from this checkout, reproducibly: executables for all machines, archives, packages, manifests,
 * sums, provenance and notes, in dist/release. Needs Debian's packages dpkg-dev and rpm.
 *   --targets=ID,ID      only these; see targets.ts
 *   --url=ADDRESS        where the archives will be (manifests and install.sh name it)
 *   --homepage=ADDRESS   the project's page
 * Signatures go next to the files: NAME.sig of SHA256SUMS and provenance.json.
 */
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";
import { version } from "../../../package.json";
import { buildConsole } from "../console/build-console.ts";
import { buildDocs } from "../docs.ts";
import { buildExecutable } from "../executable.ts";
import { writeSbom } from "../sbom.ts";
import { ensureSeed } from "../seed.ts";
import { homebrewFormula, type Published, scoopManifest, wingetManifests } from "./manifests.ts";
import { releaseNotes } from "./notes.ts";
import { packNpm } from "./npm.ts";
import { type Pack, packArchive, packDeb, packRpm } from "./pack.ts";
import { type Origin, provenance, type Sum, sumsFile } from "./provenance.ts";
import { TARGETS, type Target } from "./targets.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");

/** SHA-256 of a file, in hexadecimal. */
export async function sumOf(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(file).stream()) hasher.update(chunk);
  return hasher.digest("hex");
}

/** Packs programs, by target, in every form; resolves with the sums of what was made. */
export async function packAll(pack: Pack, programs: readonly (readonly [Target, string])[]): Promise<Sum[]> {
  for (const [target, program] of programs) {
    await packArchive(pack, target, program);
    if (target.deb) await packDeb(pack, { ...target, deb: target.deb }, program);
    if (target.rpm) await packRpm(pack, { ...target, rpm: target.rpm }, program);
  }
  await packNpm(
    pack,
    programs.filter(([{ isModern }]) => !isModern),
  );
  const names = (await readdir(pack.out)).filter((name) => /\.(tar\.[gx]z|zip|deb|rpm|tgz)$/.test(name)).sort();
  return Promise.all(names.map(async (name): Promise<Sum> => [name, await sumOf(path.join(pack.out, name))]));
}

/** Writes what describes the packages: sums, provenance, notes, install.sh and the manifests of package lists. */
export async function writeAbout(pack: Pack, sums: readonly Sum[], origin: Origin, url: string) {
  const put = (name: string, text: string) => Bun.write(path.join(pack.out, name), text);
  const script = await Bun.file(path.join(import.meta.dir, "install.sh")).text();
  await put("install.sh", script.replace("@VERSION@", pack.version).replace("@URL@", url));
  await chmod(path.join(pack.out, "install.sh"), 0o755);
  await put("SHA256SUMS", sumsFile([...sums, ["install.sh", await sumOf(path.join(pack.out, "install.sh"))]]));
  await put("provenance.json", provenance(sums, origin));
  const published: Published = { version: pack.version, url, homepage: pack.homepage, sums: new Map(sums) };
  // The lists name archives of all machines.
  if (!url || sums.filter(([name]) => /\.(tar\.xz|zip)$/.test(name)).length < TARGETS.length) return;
  await put("manifests/sluice.rb", homebrewFormula(published));
  await put("manifests/sluice.json", scoopManifest(published));
  for (const [name, text] of Object.entries(wingetManifests(published))) await put(`manifests/${name}`, text);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      targets: { type: "string", default: TARGETS.map(({ id }) => id).join(",") },
      url: { type: "string", default: "" },
      homepage: { type: "string", default: "" },
    },
  });
  const requested = values.targets.split(",");
  const targets = TARGETS.filter(({ id }) => requested.includes(id));
  if (targets.length < requested.length) throw new Error(`targets are ${TARGETS.map(({ id }) => id).join(", ")}`);
  const notes = releaseNotes(await Bun.file(path.join(ROOT, "CHANGELOG.md")).text(), version);
  const commit = (await $`git rev-parse HEAD`.cwd(ROOT).text()).trim();
  const epoch = Number((await $`git log -1 --format=%ct`.cwd(ROOT).text()).trim());
  const out = path.join(ROOT, "dist/release");
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await Promise.all([ensureSeed(), buildConsole(), buildDocs(), writeSbom()]);
  const programs: [Target, string][] = [];
  for (const target of targets) {
    const { path: file, bytes } = await buildExecutable(target.bun);
    process.stdout.write(`${target.id.padEnd(20)} ${Math.round(bytes / 1e6)} MB\n`);
    programs.push([target, path.join(ROOT, file)]);
  }
  const pack: Pack = { version, epoch, out, homepage: values.homepage, level: 9 };
  const sums = await packAll(pack, programs);
  const lockSha256 = await sumOf(path.join(ROOT, "bun.lock"));
  await writeAbout(pack, sums, { version, commit, bun: Bun.version, lockSha256, epoch }, values.url);
  await Bun.write(path.join(out, "NOTES.md"), notes);
  for (const [name, sum] of sums) process.stdout.write(`${sum}  ${name}\n`);
}

if (import.meta.main) await main();
