/**
 * Follows the Dockerfile without a container engine, for amd64 and for arm64: builds in an empty folder from what it copies,
 * puts what it ships on a root folder of the packages that its base image consists of, and starts that as the image would,
 * arm64 in QEMU. Needs root on Debian.
 *   --platform=NAME   only amd64 or arm64
 * Exit code 1 when something of it fails.
 */
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { $ } from "bun";
import { type Image, type Instruction, placeOf, readCopy, readDockerfile } from "./dockerfile.ts";
import { startImage } from "./start-image.ts";

const ROOT = path.resolve(import.meta.dir, "../../..");
/**
 * Debian's packages in gcr.io/distroless/base-debian12
 * (https://github.com/GoogleContainerTools/distroless/blob/main/base/README.md): alike everywhere, and by platform.
 */
const COMMON_PACKAGES = ["ca-certificates", "netbase", "tzdata"];
const PLATFORM_PACKAGES = ["base-files", "libc6", "libssl3"];

const { values: flags } = parseArgs({ options: { platform: { type: "string" } } });
const say = (line: string) => process.stdout.write(`${line}\n`);
const images = readDockerfile(await Bun.file(path.join(ROOT, "Dockerfile")).text());
const [build, final] = images;
if (!build || !final || images.length !== 2) throw new Error("the Dockerfile builds other images than two");

let passed = 0;
let failed = 0;
for (const platform of ["amd64", "arm64"].filter((name) => name === (flags.platform ?? name))) {
  const folder = await mkdtemp(path.join(tmpdir(), `sluice-${platform}-`));
  try {
    const built = await buildIn(path.join(folder, "build"), build, platform);
    say(`${platform}: built`);
    const image = await assemble(path.join(folder, "image"), final, built, platform);
    for (const line of await startImage(image, final, platform)) say(`${platform}: ${line}`);
    passed += 1;
  } catch (error) {
    failed += 1;
    say(`${platform}: FAILED: ${error instanceof Error ? error.message : error}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
say(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

function named({ instructions }: Image, instruction: string): Instruction[] {
  return instructions.filter(({ name }) => name === instruction);
}

/** Builds the first image in an empty folder, its working folder in the place of its own; returns the folder. */
async function buildIn(folder: string, image: Image, platform: string): Promise<string> {
  const work = path.join(folder, named(image, "WORKDIR")[0]?.value ?? "/");
  await mkdir(work, { recursive: true });
  for (const { name, value } of image.instructions) {
    if (name === "COPY") {
      const copy = readCopy(value);
      for (const source of copy.sources) {
        await cp(path.join(ROOT, source), path.join(work, placeOf(copy, source)), { recursive: true });
      }
    }
    if (name !== "RUN") continue;
    // The build's own folders stand at the root of its image.
    const command = value.replaceAll("mkdir /", `mkdir ${folder}/`);
    await $`sh -c ${command}`
      .cwd(work)
      .env({ ...process.env, TARGETARCH: platform, SOURCE_COMMIT: "container" })
      .quiet();
  }
  return folder;
}

/** The image's root folder: the base image's packages for the platform, and what the second image copies. */
async function assemble(folder: string, image: Image, built: string, platform: string): Promise<string> {
  const packages = `${folder}-packages`;
  await Promise.all([folder, packages].map((each) => mkdir(each, { recursive: true })));
  const names = [...COMMON_PACKAGES, ...PLATFORM_PACKAGES.map((name) => `${name}:${platform}`)];
  await $`apt-get download ${names}`.cwd(packages).quiet();
  for (const file of new Bun.Glob("*.deb").scanSync(packages)) await $`dpkg -x ${file} ${folder}`.cwd(packages).quiet();
  for (const { value } of named(image, "COPY")) {
    const copy = readCopy(value);
    for (const source of copy.sources) {
      const target = path.join(folder, placeOf(copy, source));
      await mkdir(path.dirname(target), { recursive: true });
      await cp(path.join(built, source), target, { recursive: true });
      if (copy.owner) await $`chown -R ${copy.owner} ${target}`.quiet();
    }
  }
  return folder;
}
