/** What a release consists of is installed into empty folders, upgraded and downgraded, and keeps its data. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { $ } from "bun";
import type { Pack } from "../../../scripts/build/release/pack.ts";
import { packAll, sumOf, writeAbout } from "../../../scripts/build/release/release.ts";
import { archiveName, TARGETS } from "../../../scripts/build/release/targets.ts";
import { createApiKey, createChannel, login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { setUp, startFakeUpstream, startGateway } from "../../support/e2e/fixture.ts";
import { gatewayCommand } from "../../support/processes/gateway.ts";

const TIMEOUT_MS = 120_000;
const work = await mkdtemp(path.join(tmpdir(), "sluice-release-"));
const target = TARGETS.find(({ cpu, libc, isModern }) => cpu === process.arch && libc === "glibc" && !isModern);
if (!target) throw new Error(`no target for ${process.arch}`);
const [program = ""] = gatewayCommand();
/** Starts the program. Packages with it are made and installed at once, those with 200 MB each are not. */
const starter = path.join(work, "starter");
const VERSIONS = ["9.0.0", "9.1.0"] as const;
type Version = (typeof VERSIONS)[number];

const upstream = startFakeUpstream();
afterAll(async () => {
  await upstream.stop();
  await rm(work, { recursive: true, force: true });
});

const packOf = (version: string, out: string): Pack => ({
  ...{ version, out, epoch: 1_790_000_000, homepage: "https://sluice.example", level: 0 },
});
const folderOf = (version: Version) => path.join(work, version);
const files = async (version: Version, end: string) =>
  (await readdir(folderOf(version)))
    .filter((name) => name.endsWith(end))
    .map((name) => path.join(folderOf(version), name));
const only = async (version: Version, end: string) => (await files(version, end))[0] ?? "";

beforeAll(async () => {
  await Bun.write(starter, `#!/bin/sh\nexec ${program} "$@"\n`);
  for (const version of VERSIONS) {
    const pack = packOf(version, folderOf(version));
    await $`mkdir -p ${pack.out}`;
    const sums = await packAll(pack, [[target, starter]]);
    const origin = { version, commit: "0".repeat(40), bun: Bun.version, lockSha256: "0".repeat(64), epoch: pack.epoch };
    await writeAbout(pack, sums, origin, "");
  }
}, TIMEOUT_MS);

/** Data of a gateway that has served a call, and its key. */
const used = await (async () => {
  const gateway = await startGateway();
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, ["gpt-4o"]);
  const { key } = await createApiKey(root);
  expect(await call(gateway.url, key)).toBe(200);
  expect(await gateway.stop()).toBe(0);
  return { dataDir: gateway.dataDir, key };
})();

/** A way to install a version into a prefix, and to ask for the command that starts it. */
type Channel = Readonly<{
  install: (prefix: string, version: Version) => Promise<unknown>;
  command: (prefix: string) => readonly string[];
  /** Takes it away again; absent: by removing the prefix. */
  remove?: (prefix: string) => Promise<unknown>;
}>;

const NPM = ["--offline", "--no-audit", "--no-fund", "--cache", path.join(work, "npm")];

const rpmFlags = (prefix: string) => ["--dbpath", `${prefix}/rpm`, "--root", prefix, "--nodeps", "--noscripts"];

const channels: Readonly<Record<string, Channel>> = {
  "install.sh": {
    install: (prefix, version) => {
      const from = ["--prefix", prefix, "--from", folderOf(version)];
      return $`sh ${folderOf(version)}/install.sh ${from}`.env({ ...process.env, HOME: prefix }).quiet();
    },
    command: (prefix) => [`${prefix}/bin/sluice`],
    remove: (prefix) => $`sh ${folderOf("9.0.0")}/install.sh --prefix ${prefix} --uninstall`.quiet(),
  },
  npm: {
    install: async (prefix, version) => {
      await $`mkdir -p ${prefix}`;
      // A registry would serve both; here the second is named, as the first asks for it by its version.
      const packages = await files(version, ".tgz");
      await Bun.write(path.join(prefix, "package.json"), "{}");
      await $`npm install ${NPM} --prefix ${prefix} ${packages}`.quiet();
    },
    command: (prefix) => [`${prefix}/node_modules/.bin/sluice`],
    remove: (prefix) => $`npm uninstall ${NPM} --prefix ${prefix} sluice`.quiet(),
  },
  deb: {
    install: async (prefix, version) => {
      await $`mkdir -p ${prefix}/var/lib/dpkg/updates ${prefix}/var/lib/dpkg/info && touch ${prefix}/var/lib/dpkg/status`;
      const flags = [`--root=${prefix}`, "--force-depends", "--force-not-root", "--force-script-chrootless"];
      await $`dpkg ${flags} --install ${await only(version, ".deb")}`.quiet();
    },
    command: (prefix) => [`${prefix}/usr/bin/sluice`],
    remove: (prefix) => $`dpkg --root=${prefix} --force-not-root --force-script-chrootless --purge sluice`.quiet(),
  },
  rpm: {
    install: async (prefix, version) => {
      await $`mkdir -p ${prefix}`;
      await $`rpm ${rpmFlags(prefix)} --oldpackage --upgrade ${await only(version, ".rpm")}`.quiet();
    },
    command: (prefix) => [`${prefix}/usr/bin/sluice`],
    remove: (prefix) => $`rpm ${rpmFlags(prefix)} --erase sluice`.quiet(),
  },
};

describe.each(Object.entries(channels))("%s", (name, { install, command, remove }) => {
  test(
    "is installed, upgraded and downgraded, makes calls, and keeps its data",
    async () => {
      const prefix = path.join(work, `prefix-${name}`);
      const dataDir = path.join(work, `data-${name}`);
      await cp(used.dataDir, dataDir, { recursive: true });
      await install(prefix, "9.0.0");
      for (const [version, calls] of [
        ["9.1.0", 2],
        ["9.0.0", 3],
      ] as const) {
        await install(prefix, version);
        const next = await startGateway({ command: command(prefix), dataDir });
        try {
          expect(await call(next.url, used.key)).toBe(200);
          const root = await login(next, ROOT_NAME, ROOT_PASSWORD);
          expect(await root.get("/api/user/self")).toMatchObject({ request_count: calls });
        } finally {
          expect(await next.stop()).toBe(0);
        }
      }
      await remove?.(prefix);
      expect(await Bun.file(command(prefix)[0] ?? "").exists()).toBe(false);
      expect(await readdir(dataDir)).not.toEqual([]);
    },
    TIMEOUT_MS,
  );
});

async function call(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }] }),
  });
  await answer.text();
  return answer.status;
}

test(
  "the same commit makes the same packages",
  async () => {
    const again = path.join(work, "again");
    await $`mkdir -p ${again}`;
    const sums = await packAll(packOf("9.0.0", again), [[target, starter]]);
    expect(sums.length).toBeGreaterThanOrEqual(5);
    for (const [name, sum] of sums)
      expect([name, sum]).toEqual([name, await sumOf(path.join(folderOf("9.0.0"), name))]);
  },
  TIMEOUT_MS,
);

test(
  "the program is in every package as it was built",
  async () => {
    const out = path.join(work, "program");
    await $`mkdir -p ${out}/root`;
    await packAll(packOf("9.0.0", out), [[target, program]]);
    const packed = (end: string) => new Bun.Glob(`*${end}`).scanSync({ cwd: out, absolute: true }).next().value ?? "";
    await $`rpm ${rpmFlags(`${out}/root`)} --install ${packed(".rpm")}`.quiet();
    const sum = await sumOf(program);
    const streams = {
      archive: $`tar -xJOf ${packed(".tar.xz")} ${`sluice-9.0.0-${target.id}/sluice`} | sha256sum`,
      larger: $`tar -xzOf ${packed(".tar.gz")} ${`sluice-9.0.0-${target.id}/sluice`} | sha256sum`,
      deb: $`dpkg-deb --fsys-tarfile ${packed(".deb")} | tar -xO ./usr/bin/sluice | sha256sum`,
      rpm: $`sha256sum < ${out}/root/usr/bin/sluice`,
      npm: $`tar -xzOf ${packed(`${target.id}-9.0.0.tgz`)} package/sluice | sha256sum`,
    };
    for (const [name, stream] of Object.entries(streams))
      expect([name, (await stream.quiet().text()).slice(0, 64)]).toEqual([name, sum]);
  },
  TIMEOUT_MS,
);

test("the sums, the provenance and the files of an archive are as described", async () => {
  const out = folderOf("9.0.0");
  expect((await $`sha256sum --check SHA256SUMS`.cwd(out).quiet()).exitCode).toBe(0);
  const { subject } = await Bun.file(path.join(out, "provenance.json")).json();
  expect(subject.map(({ name }: { name: string }) => name)).toContain(archiveName("9.0.0", target));
  const listed = await $`tar -tJf ${path.join(out, archiveName("9.0.0", target))}`.text();
  for (const name of ["sluice", "LICENSE", "sluice.cdx.json", "man/sluice.1", "completions/_sluice"])
    expect(listed.split("\n").some((line) => line.endsWith(`/${name}`))).toBe(true);
});

test("install.sh takes the larger archive where xz is not installed", async () => {
  const bin = path.join(work, "bin-without-xz");
  await $`mkdir -p ${bin}`;
  for (const tool of [
    "sh",
    "sed",
    "tar",
    "gzip",
    "cp",
    "mv",
    "rm",
    "mkdir",
    "mktemp",
    "dirname",
    "uname",
    "getconf",
    "sha256sum",
  ])
    await $`ln -s ${Bun.which(tool) ?? tool} ${bin}/${tool}`;
  const prefix = path.join(work, "prefix-without-xz");
  const from = ["--prefix", prefix, "--from", folderOf("9.0.0")];
  const env = { ...process.env, HOME: prefix, PATH: bin };
  await $`sh ${folderOf("9.0.0")}/install.sh ${from}`.env(env).quiet();
  expect(await Bun.file(path.join(prefix, "bin/sluice")).text()).toBe(await Bun.file(starter).text());
});

test("install.sh refuses an archive that is not what the sums say", async () => {
  const from = await mkdtemp(path.join(work, "changed-"));
  await cp(path.join(folderOf("9.0.0"), "SHA256SUMS"), path.join(from, "SHA256SUMS"));
  await Bun.write(path.join(from, archiveName("9.0.0", target)), "something else");
  const prefix = path.join(work, "prefix-changed");
  const { exitCode, stderr } = await $`sh ${folderOf("9.0.0")}/install.sh --prefix ${prefix} --from ${from}`
    .nothrow()
    .quiet();
  expect([exitCode, stderr.toString()]).toEqual([1, expect.stringContaining("is not what SHA256SUMS says")]);
  expect(await Bun.file(path.join(prefix, "bin/sluice")).exists()).toBe(false);
});
